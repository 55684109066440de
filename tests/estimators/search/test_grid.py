"""The values of C and γ that are tried."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from dcsvm.estimators.search.grid import bounds_of_gamma, costs, further_costs, settings


def test_values_of_the_cost():
    np.testing.assert_allclose(costs(4), np.geomspace(10**-1.5, 1e3, 4), rtol=1e-3)
    assert costs("auto").tolist() == costs(10).tolist()
    assert costs([5, 1, 5]).tolist() == [1, 5]
    assert costs(1) == pytest.approx(10**-0.25 * 10, rel=1e-3)
    for wrong in ([], [1, -1], [np.inf]):
        with pytest.raises(ValueError, match="Cs must be"):
            costs(wrong)


def test_growth_goes_on_in_steps_of_the_edge():
    Cs = np.array([1.0, 10.0, 100.0])
    assert further_costs(Cs, 2).tolist() == [1e3, 1e4, 1e5]
    assert further_costs(Cs, 0).tolist() == [1e-3, 1e-2, 1e-1]
    assert further_costs(Cs, 1).size == 0
    assert further_costs(np.array([1e-5, 1e-4]), 0).size == 0, "there is an end to it"
    assert further_costs(np.array([1.0]), 0).size == 0


def test_gammas_follow_the_distances():
    X, _ = load_iris(return_X_y=True)
    least, most = bounds_of_gamma("rbf", X, False)
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    assert least == pytest.approx(0.1 / np.median(squares[squares > 0]))
    squares[squares == 0] = np.inf
    assert most == pytest.approx(1 / np.median(squares.min(axis=1)))
    found = [s.gamma for s in settings("rbf", "auto", X, False)]
    np.testing.assert_allclose([found[0], found[-1]], [least, most], rtol=1e-3)
    half, _ = bounds_of_gamma("rbf", 2 * X, False)
    assert half == pytest.approx(least / 4)
    scaled = bounds_of_gamma("rbf", X, True)
    assert scaled == pytest.approx(bounds_of_gamma("rbf", 3 * X + 1, True))
    as_sparse = bounds_of_gamma("rbf", sparse.csr_matrix(X), True)
    assert as_sparse == pytest.approx(scaled)
    assert 0 < np.prod(bounds_of_gamma("poly", X, False)) < np.inf


@pytest.mark.parametrize("X", [np.zeros((5, 2)), np.ones((1, 3)), np.repeat(np.eye(2), 3, axis=0)])
def test_rows_without_distances_have_gammas_too(X):
    gammas = [s.gamma for s in settings("rbf", 3, X, False)]
    assert len(gammas) == 3
    assert np.isfinite(gammas).all()


def test_settings_of_several_kernels():
    X = np.arange(12.0).reshape(6, 2)
    found = settings(["rbf", "linear", np.dot], [0.1, "scale"], X, False)
    assert [(s.kernel, s.gamma) for s in found] == [
        *(("rbf", 0.1), ("rbf", "scale")),
        *(("linear", None), (np.dot, None)),
    ]
    for wrong in ([], [-1.0], [np.nan]):
        with pytest.raises(ValueError, match="gammas"):
            settings("rbf", wrong, X, False)
