"""Results in the form of GridSearchCV."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from dcsvm import DCSVC
from dcsvm.estimators.search.grid import Setting
from dcsvm.estimators.search.results import Results

CS = np.array([1.0, 10.0])
THREE = np.array([1.0, 10.0, 100.0])


def results(settings, scores):
    scores = np.array(scores, dtype=np.float64)
    return Results(settings, CS, scores, scores, scores)


def test_the_columns_are_those_of_grid_search():
    X, y = load_iris(return_X_y=True)
    grid = {"C": [1.0, 10.0], "gamma": [0.1, 0.2, 0.3]}
    expected = GridSearchCV(DCSVC(), grid, cv=2).fit(X, y).cv_results_
    found = Results.empty(2, [Setting("rbf", g) for g in grid["gamma"]], CS)
    found.score[:] = np.moveaxis(
        [expected[f"split{f}_test_score"].reshape(2, 3) for f in range(2)], 1, 2
    )
    ours = found.cv_results()
    assert set(ours) == set(expected)
    assert ours["params"] == expected["params"]
    for name in ("param_C", "param_gamma", "rank_test_score", "split1_test_score"):
        np.testing.assert_array_equal(ours[name], expected[name])
    for name in ("mean_test_score", "std_test_score"):
        np.testing.assert_allclose(ours[name], expected[name])


def test_kernels_without_gamma_are_masked():
    kernels = ["rbf", "linear"]
    found = results([Setting(kernels[0], 0.1), Setting(kernels[1], None)], [[[1, 2], [3, 4]]])
    ours = found.cv_results()
    assert ours["params"] == [
        *({"C": c, "gamma": 0.1, "kernel": "rbf"} for c in CS),
        *({"C": c, "kernel": "linear"} for c in CS),
    ]
    assert ours["param_gamma"].mask.tolist() == [False, False, True, True]
    assert ours["rank_test_score"].tolist() == [4, 3, 2, 1]


def test_the_best_is_finished_and_of_equals_the_first():
    settings = [Setting("rbf", 0.1), Setting("rbf", 0.2)]
    found = results(settings, [[[0.5, 0.9], [0.8, 0.8]], [[0.5, np.nan], [0.8, 0.8]]])
    assert found.best() == (1, 0)
    assert found.parameters(1, 0) == {"C": 1.0, "gamma": 0.2}
    assert found.cv_results()["rank_test_score"].tolist() == [3, 1, 4, 1]
    assert results(settings, [[[np.nan] * 2] * 2]).best() is None


def test_further_values_stand_in_order():
    settings = [Setting("rbf", 0.1)]
    more = Results(settings, np.array([0.1, 5.0]), *(np.array([[[7.0, 8.0]]]),) * 3)
    joined = results(settings, [[[1, 2]]]).beside(more)
    assert joined.Cs.tolist() == [0.1, 1, 5, 10]
    assert joined.score.tolist() == [[[7, 1, 8, 2]]]


def test_edges_are_warned_of():
    settings = [Setting("rbf", 0.1), Setting("rbf", 0.2), Setting("rbf", 0.3)]

    def best_at(s, c):
        score = np.zeros((1, 3, 3))
        score[0, s, c] = 1
        return Results(settings, THREE, *(score,) * 3)

    with pytest.warns(UserWarning, match=r"C=100 \(Cs\) and gamma=0.3 \(gammas\)"):
        best_at(2, 2).warn_of_edges()
    with pytest.warns(UserWarning, match=r"grid: C=1 \(Cs\)\. "):
        best_at(1, 0).warn_of_edges()
    best_at(1, 1).warn_of_edges()
    results(settings[:2], [[[0, 0], [0, 1]]]).warn_of_edges()  # of two values, both are edges
