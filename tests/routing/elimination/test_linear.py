"""Shortlists that are linear in features, products or kernel values."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.svm import SVC, LinearSVC
from tests.oracles import kernel_matrix

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm._core import EngineDouble, EngineFloat
from dcsvm.data.rows import canonical_rows
from dcsvm.routing.elimination.linear import landmark_shortlist, linear_shortlist


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:900] / 16, y[:900], X[900:] / 16, y[900:]


def training_rows(X, y):
    return canonical_rows(X, y.astype(np.int64), np.ones(len(y)), y.max() + 1)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("scaling", [None, "global", "pair"])
def test_linear_scores_are_those_of_numpy(kernel, scaling, digits, arithmetic):
    X, y, asked, _ = digits
    X = X.copy()
    X[:, 5] = 7.0  # a constant feature
    clf = DCSVC.paper(kernel=kernel, gamma=0.01, scaling=scaling).fit(X[:300], y[:300])
    expected_engine = EngineDouble if arithmetic == "double" else EngineFloat
    assert isinstance(clf.machines_.engine, expected_engine)
    shortlist = linear_shortlist(training_rows(X[:300], y[:300]), clf.machines_).shortlist
    expected = asked @ shortlist.weights.T + shortlist.intercept
    for rows in (asked, sparse.csr_array(asked)):
        found = shortlist.scores(rows, clf.machines_)[:, :10]
        np.testing.assert_allclose(found, expected, atol=1e-4)
    one = shortlist.scores(asked[3:4], clf.machines_)[0, :10]
    assert (one == shortlist.scores(asked, clf.machines_)[3, :10]).all()
    again = pickle.loads(pickle.dumps(shortlist))
    assert (
        again.scores(asked, clf.machines_)[:, :10] == shortlist.scores(asked, clf.machines_)[:, :10]
    ).all()


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
@pytest.mark.parametrize("n_landmarks", [16, 32])
def test_landmark_scores_are_those_of_the_kernel(kernel, n_landmarks, digits, arithmetic):
    X, y, asked, _ = digits
    clf = DCSVC.paper(kernel=kernel, gamma=0.05, coef0=0.3).fit(X[:300], y[:300])
    machines = clf.machines_
    fitted = landmark_shortlist(training_rows(X[:300], y[:300]), machines, n_landmarks=n_landmarks)
    shortlist = fitted.shortlist
    assert len(np.unique(shortlist.landmarks)) == n_landmarks
    K = kernel_matrix(machines.kernel, asked, machines.pool[shortlist.landmarks])
    expected = K @ shortlist.weights.T + shortlist.intercept
    size = np.abs(K).max() * np.abs(shortlist.weights).sum(axis=1).max()
    found = shortlist.scores(asked, machines)[:, :10]
    np.testing.assert_allclose(found, expected, atol=1e-6 * size + 1e-5)
    assert (expected.argmax(axis=1) == digits[3]).mean() > 0.6


def test_a_shortlist_costs_what_it_is_worth(digits):
    X, y, asked, _ = digits
    clf = DCSVC(C=10).fit(X, y)
    cost, machines = clf.decision_cost(asked), clf.machines_
    # A multiplication and an addition per class and feature, over those of a kernel evaluation,
    # and where there are landmarks so many kernel evaluations.
    operations = 2 * 64 + 20
    shortlist = clf.shortlist_
    if shortlist.landmarks is None:
        expected = 2 * 10 * 64 / operations
    else:
        expected = 2 * 10 * len(shortlist.landmarks) / operations + len(shortlist.landmarks)
    assert shortlist.cost == pytest.approx(expected)
    path = clf.decision_path(asked)
    for row in range(0, len(asked), 60):
        support = [
            machines.index[machines.start[m] : machines.start[m + 1]] for m in path[row].indices
        ]
        distinct = len(np.unique(np.concatenate(support))) if support else 0
        assert cost.decisions[row] == len(support)
        assert cost.kernel_evaluations[row] == pytest.approx(distinct + expected)


def test_a_shortlist_left_out_can_be_taken_up_again(digits):
    X, y, asked, _ = digits
    fitted = DCSVC().fit(X[:300], y[:300])
    without = fitted.rethreshold(shortlist=None)
    assert without.dag_.n_nodes > 10
    assert without.shortlist_ is None
    again = without.rethreshold(shortlist="auto")
    assert (again.decision_function(asked) == fitted.decision_function(asked)).all()
    assert again.get_params() == fitted.get_params()


def test_a_linear_kernel_needs_no_scores(digits):
    X, y, asked, _ = digits
    clf = DCSVC(kernel="linear", theta=0.001).fit(X[:300], y[:300])
    assert clf.shortlist_ is None
    assert clf.dag_.n_nodes > 10
    assert (clf.predict(asked) == OneVsOneSVC.from_machines(clf).predict(asked)).mean() > 0.95


def test_a_kernel_matrix_is_scored_by_some_of_its_columns(digits):
    X, y, asked, truth = digits
    X, y, asked = X[:300], y[:300], asked @ X[:300].T
    clf = DCSVC(kernel="precomputed").fit(X @ X.T, y)
    shortlist = clf.shortlist_
    columns = clf.machines_.pool[shortlist.landmarks]
    expected = asked[:, columns] @ shortlist.weights.T + shortlist.intercept
    found = shortlist.scores(asked, clf.machines_)[:, :10]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    vote = SVC(kernel="precomputed").fit(X @ X.T, y)
    assert clf.score(asked, truth) >= vote.score(asked, truth) - 0.02
    assert [clf.predictor_.predict(x) for x in asked[:20]] == clf.predict(asked[:20]).tolist()


@pytest.mark.parametrize("shortlist", ["auto", LinearSVC(), None])
def test_two_classes_need_no_scores(shortlist, digits):
    X, y, asked, _ = digits
    clf = DCSVC(shortlist=shortlist).fit(X[:200], y[:200] > 4)
    assert clf.shortlist_ is None
    assert (clf.predict(asked) == SVC().fit(X[:200], y[:200] > 4).predict(asked)).all()
