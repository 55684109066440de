"""What problems share, against what it is defined to be."""

import numpy as np
import pytest

from dcsvm.data.rows import TrainingRows
from dcsvm.data.scaling import global_standardisation
from dcsvm.training.common import (
    SharedScaling,
    check_scaling,
    costs,
    kernel_and_factor,
    needs_variance,
)
from dcsvm.training.problems import TrainingParameters

ROWS = TrainingRows(np.array([[1.0, 4.0], [3.0, 8.0], [5.0, 0.0]]), np.ones(3), np.array([0, 1, 3]))


def parameters(**changes):
    defaults = {"C": 2.0, "kernel": "rbf", "degree": 3, "gamma": "scale", "coef0": 0.0}
    others = {"scaling": None, "tol": 1e-3, "cache_size": 1, "max_iter": -1, "n_jobs": None}
    return TrainingParameters(**{**defaults, **others, "on_trained": len, **changes})


def test_rows_are_divided_and_then_standardised():
    assert SharedScaling(1.0).rows(ROWS) is ROWS
    assert SharedScaling(1.0).of_machines(2) is None
    divided = SharedScaling(4.0).rows(ROWS)
    assert np.array_equal(divided.X, ROWS.X / 4)
    both = SharedScaling(4.0, global_standardisation(divided))
    expected = (ROWS.X - ROWS.X.mean(axis=0)) / ROWS.X.std(axis=0, ddof=1)
    np.testing.assert_allclose(both.rows(ROWS).X, expected)
    np.testing.assert_allclose(both.of_machines(2).apply(ROWS.X), expected)
    np.testing.assert_allclose(SharedScaling(4.0).of_machines(2).apply(ROWS.X), ROWS.X / 4)


def test_units_go_into_the_kernel_or_its_cost():
    assert kernel_and_factor(parameters(), 2, 5.0, 4.0)[0].gamma == 1 / 10
    kernel, C = kernel_and_factor(parameters(gamma=0.5), 2, 1.0, 4.0)
    assert (kernel.gamma, C) == (8.0, 2.0)
    assert kernel_and_factor(parameters(kernel="linear"), 2, 1.0, 4.0)[1] == 32.0
    assert kernel_and_factor(parameters(kernel="linear"), 2, 1.0, 1.0)[1] == 2.0
    with pytest.raises(ValueError, match="too large for C or gamma"):
        kernel_and_factor(parameters(gamma=0.5), 2, 1.0, 1e150)


def test_variance_is_needed_for_gamma_alone():
    assert needs_variance(parameters())
    assert not needs_variance(parameters(gamma=1.0))
    assert not needs_variance(parameters(scaling="pair"))
    assert not needs_variance(parameters(kernel="precomputed"))


def test_costs_count_weights_of_rows_and_classes():
    rows = TrainingRows(ROWS.X, np.array([1.0, 2.0, 3.0]), ROWS.class_start)
    assert costs(rows, np.array([10.0, 100.0]), 0.5).tolist() == [5.0, 100.0, 150.0]


@pytest.mark.parametrize(
    ("changes", "is_sparse", "message"),
    [
        ({"kernel": "precomputed"}, False, "precomputed"),
        ({"kernel": "poly"}, True, "fill a sparse matrix"),
    ],
)
def test_scaling_that_cannot_be_is_refused(changes, is_sparse, message):
    check_scaling(parameters(**changes), is_sparse)
    with pytest.raises(ValueError, match=message):
        check_scaling(parameters(scaling="pair", **changes), is_sparse)
