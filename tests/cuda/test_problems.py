import numpy as np
import pytest
from tests.cuda.problems import classes_in_plane, rows_there

from dcsvm.cuda.problems import obstacle_to_training, problems_on
from dcsvm.data.rows import canonical_rows
from dcsvm.training.compiled import prepare
from dcsvm.training.problems import TrainingParameters
from dcsvm.training.train import problems_of


def parameters(**changes):
    usual = {
        "C": 1.0,
        "kernel": "rbf",
        "degree": 3,
        "gamma": "scale",
        "coef0": 0.0,
        "scaling": None,
        "tol": 1e-3,
        "cache_size": None,
        "max_iter": -1,
        "n_jobs": 1,
        "on_trained": lambda machines: None,
    }
    return TrainingParameters(**{**usual, **changes})


@pytest.mark.parametrize("factor", [1.0, 1e-20, 1e12])
@pytest.mark.parametrize("changes", [{}, {"scaling": "global"}, {"kernel": "linear", "C": 2.0}])
def test_kernel_and_scaling_are_those_of_the_host(device, changes, factor):
    X, y = classes_in_plane()
    X = X * factor * [1, 5, 0.1] + factor
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    given = parameters(**changes)
    there = problems_on(rows_there(device, X, y, weight), np.ones(4), given)
    here, scaling = problems_of(canonical_rows(X, y, weight, 4), np.ones(4), given, None)
    assert there.kernel.gamma == pytest.approx(here.kernel.gamma, rel=1e-12)
    assert np.sort(there.C) == pytest.approx(np.sort(here.C), rel=1e-12)
    assert (there.scaling is None) == (scaling is None)
    if scaling is not None:
        assert np.allclose(there.scaling.centre, scaling.centre, rtol=1e-10)
        assert np.allclose(there.scaling.inverse_scale, scaling.inverse_scale, rtol=1e-10)
    prepared = prepare(here)
    assert there.prepared.form.name == prepared.form.name
    assert np.allclose(there.prepared.centre, prepared.centre)
    assert there.prepared.contrast == pytest.approx(prepared.contrast, rel=1e-6)
    assert there.prepared.mean_error == pytest.approx(prepared.mean_error, rel=1e-6)


@pytest.mark.parametrize(
    ("kernel", "scaling", "says"),
    [("precomputed", None, "precomputed"), (np.dot, None, "function"), ("rbf", "pair", "pair")],
)
def test_what_is_not_possible_is_named(kernel, scaling, says):
    assert says in obstacle_to_training(kernel, scaling)
    assert obstacle_to_training("rbf", "global") is None
