"""A fit by tasks gives what a local fit gives, to the last bit."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.dask.here import stages_of

from dcsvm import DCSVC
from dcsvm.dask import stages
from dcsvm.data.rows import canonical_rows
from dcsvm.estimators.access import fit_elsewhere

RNG = np.random.default_rng(0)
Y = np.arange(420) % 7
X = np.round(RNG.normal(size=(420, 4)) + 2 * RNG.normal(size=(7, 4))[Y], 1)
WEIGHT = RNG.integers(1, 5, 420) / 2

PARAMETERS = [
    {},
    {"kernel": "linear", "C": 0.5},
    {"kernel": "poly", "degree": 2, "scaling": "global"},
    {"kernel": "sigmoid", "gamma": 0.01},
    {"scaling": "pair", "class_weight": "balanced"},
    {"tol": 1e-7},
    {"routing": "sign", "shortlist": None},
    {"table_rows": 20, "random_state": 3},
    {"theta": 0.01, "shortlist": LogisticRegression()},
    {"theta": "auto", "random_state": 0},
    {"machines": "needed", "theta": 0.01},
]


def fitted_elsewhere(parameters, X=X, y=Y, weight=WEIGHT):
    clf, k = DCSVC(**parameters), len(np.unique(y))
    where, distant = stages_of(canonical_rows(X, y, weight, k))
    fit_elsewhere(clf, X[:1], lambda: (distant, np.unique(y), where))
    return clf


def assert_equal(found, expected, X=X):
    for name in ("start", "index", "coef", "intercept", "pool", "origin", "n_iter", "converged"):
        ours, theirs = getattr(found.machines_, name), getattr(expected.machines_, name)
        assert np.array_equal(ours, theirs), name
    assert found.theta_ == expected.theta_
    assert np.array_equal(found.support_, expected.support_)
    assert np.array_equal(found.decision_function(X), expected.decision_function(X))
    if hasattr(expected, "table_"):
        assert np.array_equal(found.table_.counts, expected.table_.counts)
        assert found.table_.counts.dtype == expected.table_.counts.dtype
        for name in ("low", "high", "spread", "n_rows"):
            ours, theirs = (getattr(clf.table_.values, name) for clf in (found, expected))
            assert np.array_equal(ours, theirs), name
        tails = [clf.table_.values.tail or () for clf in (found, expected)]
        assert all(map(np.array_equal, *tails))
        assert len(tails[0]) == len(tails[1])


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_a_fit_by_tasks_is_a_local_fit(parameters):
    assert_equal(fitted_elsewhere(parameters), DCSVC(**parameters).fit(X, Y, WEIGHT))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_all_types_and_two_classes(dtype):
    few = Y < 2
    found = fitted_elsewhere({}, X[few].astype(dtype), Y[few], WEIGHT[few])
    assert_equal(found, DCSVC().fit(X[few].astype(dtype), Y[few], WEIGHT[few]), X[few])


def test_progress_comes_as_tasks_end(capsys):
    fitted_elsewhere({"verbose": True})
    assert "21 of 21 machines" in capsys.readouterr().out


def test_a_sample_stands_for_more_rows_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(stages, "MOST_IN_SAMPLE", 7 * 4 * 10)
    rows = canonical_rows(X, Y, WEIGHT, 7)
    where, distant = stages_of(rows)
    sample = where.in_memory(distant)
    assert np.diff(sample.class_start).tolist() == [10] * 7
    assert set(map(tuple, sample.X)) <= set(map(tuple, X))
    assert where.in_memory(sample) is sample
    for parameters in (
        {"machines": "needed", "theta": 0.01},
        {"routing": "sign", "shortlist": None},
    ):
        found = fitted_elsewhere(parameters)
        assert (found.predict(X) == DCSVC(**parameters).fit(X, Y, WEIGHT).predict(X)).mean() > 0.95
