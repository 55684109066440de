"""What machines share, against what a fit in one process computes."""

import numpy as np
import pytest
from tests.dask.here import blocks_of

from dcsvm.dask.figures import N_EXPONENTS, exponents, pair_scaling, shared_problem
from dcsvm.data.pairs import class_pairs
from dcsvm.data.rows import canonical_rows
from dcsvm.training.compiled import prepare
from dcsvm.training.problems import TrainingParameters
from dcsvm.training.train import problems_of

RNG = np.random.default_rng(0)
Y = np.arange(300) % 5
X = RNG.normal(size=(300, 4)) * [1, 2, 0.1, 5] + RNG.normal(size=(5, 4))[Y]


def parameters(**changes):
    defaults = {"C": 2.0, "kernel": "rbf", "degree": 3, "gamma": "scale", "coef0": 0.0}
    others = {"scaling": None, "tol": 1e-3, "cache_size": 1, "max_iter": -1, "n_jobs": None}
    return TrainingParameters(**{**defaults, **others, "on_trained": len, **changes})


SETS = {
    "as it is": X,
    "in single precision": X.astype(np.float32),
    "far from zero": X + 1e5,
    "far from all spread": X * 1e-6 + 1e4,
    "huge": X * 1e12,
    "tiny": X * 1e-12,
    "one enormous row": np.vstack([X[:-1], X[-1:] * 1e9]),
    "one row beyond all": np.vstack([X[:-1], X[-1:] * 1e120]),
    "zeros": X * 0,
}


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("scaling", [None, "global", "pair"])
@pytest.mark.parametrize("name", SETS)
def test_the_shared_problem_is_that_of_a_local_fit(kernel, scaling, name):
    given = parameters(kernel=kernel, scaling=scaling)
    rows = canonical_rows(SETS[name], Y, np.ones(300), 5)
    blocks = blocks_of(rows, np.array([0, 2, 3, 5]))

    def run():
        return shared_problem(blocks.map, rows.n_rows, rows.X, given)

    try:
        problems, scaled = problems_of(rows, np.ones(5), given, None)
        expected = prepare(problems)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)[:20]):
            run()
        return
    shared = run()
    assert shared.kernel == problems.kernel
    assert problems.C[0] / rows.weight[0] == shared.C
    own = pair_scaling(shared, class_pairs(5), rows.X)
    for found, wanted in ((shared.scaling.of_machines(4), scaled), (own, problems.scaling)):
        assert (found is None) == (wanted is None)
        if found is not None:
            assert np.array_equal(found.centre, wanted.centre)
            assert np.array_equal(found.inverse_scale, wanted.inverse_scale)
    assert shared.prepared.form == expected.form
    assert np.array_equal(shared.prepared.centre, expected.centre)
    assert shared.prepared[3:] == expected[3:]


def test_exponents_order_all_norms():
    norms = np.array([0.0, 5e-324, 1e-300, 0.4, 0.5, 0.99, 1.0, 1e300, np.finfo(float).max])
    found = exponents(norms)
    assert (np.diff(found) >= 0).all()
    assert found[0] == 0 < found[1]
    assert found[-1] < N_EXPONENTS
    assert found[3] < found[4] == found[5] < found[6]
