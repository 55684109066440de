"""Shortlists: the conformal gap, compiled scores, and classifiers of the user's own."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from tests.oracles import kernel_matrix

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.data.rows import canonical_rows
from dcsvm.routing.elimination.calibration import calibrate
from dcsvm.routing.elimination.linear import landmark_shortlist, linear_shortlist


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:900] / 16, y[:900], X[900:] / 16, y[900:]


def training_rows(X, y):
    return canonical_rows(X, y.astype(np.int64), np.ones(len(y)), y.max() + 1)


def test_gap_by_hand():
    scores = np.array([[3.0, 0.0], [0.0, 1.0], [2.0, 2.5], [0.0, 4.0]])
    found = calibrate(scores, np.array([0, 0, 0, 0]), np.ones(4))
    assert found.behind.tolist() == [0.0, 0.5, 1.0, 4.0]
    # Of five rows, the new one among them, as many as (1 − θ) 5 must lie within.
    assert found.gap(0.2) == 4.0
    assert found.gap(0.4) == 1.0
    assert found.gap(0.41) == 1.0
    assert found.gap(0.19) == np.inf
    assert found.gap(0.0) == np.inf
    twice = calibrate(scores, np.array([0, 0, 0, 0]), np.array([2.0, 1.0, 1.0, 1.0]))
    repeated = calibrate(scores[[0, 0, 1, 2, 3]], np.zeros(5, dtype=int), np.ones(5))
    for theta in (0.1, 0.17, 0.3, 0.4, 0.49):
        assert twice.gap(theta) == repeated.gap(theta)


@pytest.mark.parametrize("theta", [0.3, 0.05, 0.01])
@pytest.mark.parametrize("n", [60, 500])
def test_the_gap_keeps_the_right_class_of_fresh_rows(n, theta):
    rng = np.random.default_rng(n)

    def draw(n):
        codes = rng.integers(0, 5, n)
        return rng.normal(size=(n, 5)) + 1.5 * (codes[:, np.newaxis] == np.arange(5)), codes

    kept = []
    for _ in range(400):
        gap = calibrate(*draw(n), np.ones(n)).gap(theta)
        scores, codes = draw(200)
        kept.append((scores.max(axis=1) - scores[np.arange(200), codes] <= gap).mean())
    # The mean over calibrations lies between 1 − θ and 1 − θ + 1 / (n + 1), or is 1 where there
    # are too few rows; 400 · 200 rows tell it to within three standard errors.
    error = 3 * np.std(kept) / 20
    assert np.mean(kept) >= 1 - theta - error
    if theta * (n + 1) >= 1:
        assert np.mean(kept) <= 1 - theta + 1 / (n + 1) + error
    else:
        assert np.mean(kept) == 1


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("scaling", [None, "global", "pair"])
def test_linear_scores_are_those_of_numpy(kernel, scaling, digits, instruction_set):
    X, y, asked, _ = digits
    X = X.copy()
    X[:, 5] = 7.0  # a constant feature
    clf = DCSVC.paper(kernel=kernel, gamma=0.01, scaling=scaling).fit(X[:300], y[:300])
    assert clf.machines_.engine is not None
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
def test_landmark_scores_are_those_of_the_kernel(kernel, n_landmarks, digits, instruction_set):
    X, y, asked, _ = digits
    clf = DCSVC.paper(kernel=kernel, gamma=0.05, coef0=0.3).fit(X[:300], y[:300])
    machines = clf.machines_
    fitted = landmark_shortlist(training_rows(X[:300], y[:300]), machines, n_landmarks)
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


@pytest.mark.parametrize(
    "shortlist",
    [
        LogisticRegression(max_iter=500, tol=0.01),
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=500, tol=0.01)),
        GaussianNB(var_smoothing=1e-2),
    ],
)
def test_a_classifier_of_ones_own(shortlist, digits):
    X, y, asked, truth = digits
    names = np.array([f"digit {c}" for c in range(10)])
    clf = DCSVC(C=10, theta=0.01, shortlist=shortlist).fit(X, names[y])
    assert not hasattr(shortlist, "classes_"), "the classifier given is left as it is"
    vote = OneVsOneSVC.from_machines(clf)
    labels = clf.predict(asked)
    score = (labels == names[truth]).mean()
    assert score >= vote.score(asked, names[truth]) - 0.02
    assert clf.decision_cost(asked).decisions.mean() < 15
    assert (clf.classes_[clf.decision_function(asked).argmax(axis=1)] == labels).all()
    assert (pickle.loads(pickle.dumps(clf)).predict(asked) == labels).all()
    assert [clf.predictor_.predict(x) for x in asked[:20]] == labels[:20].tolist()
    # The right class is cut off of at most a share θ of new rows, but for chance.
    shortlist = clf._route.shortlist
    scores = shortlist.scores(asked, clf.machines_)[:, :10].astype(np.float64)
    behind = scores.max(axis=1) - scores[np.arange(len(truth)), truth]
    assert (behind > shortlist.gap).mean() < 0.05
    expected = clf.shortlist_.estimator
    method = "decision_function" if hasattr(expected, "decision_function") else "predict_proba"
    np.testing.assert_allclose(scores, getattr(expected, method)(asked), rtol=1e-5, atol=1e-6)
    assert clf.shortlist_.cost == pytest.approx(2 * 10 * 64 / (2 * 64 + 20))


def test_a_classifier_of_ones_own_learns_from_weights(digits):
    X, y, asked, _ = digits
    weight = np.random.default_rng(0).integers(1, 20, len(y))
    clf = DCSVC(shortlist=LogisticRegression()).fit(X, y, weight)
    alone = LogisticRegression().fit(X, y, weight)
    found = clf.shortlist_.scores(asked, clf.machines_)[:, :10]
    np.testing.assert_allclose(found, alone.decision_function(asked), atol=1e-3)
    unweighted = LogisticRegression().fit(X, y).decision_function(asked)
    assert np.abs(found - unweighted).max() > 0.1


def test_errors_of_shortlists_say_what_to_do(digits):
    X, y, _, _ = digits
    with pytest.raises(ValueError, match="shortlist"):
        DCSVC(shortlist=StandardScaler()).fit(X, y)
    with pytest.raises(ValueError, match="one-versus-rest"):
        DCSVC(shortlist=SVC(decision_function_shape="ovo")).fit(X[:200], y[:200])
    alone = np.concatenate([y[:200], [10]])
    with pytest.raises(ValueError, match="single distinct row"):
        DCSVC(shortlist=LogisticRegression()).fit(X[:201], alone)
    fitted = DCSVC().fit(X[:200], y[:200])
    with pytest.raises(ValueError, match="Fit with this shortlist"):
        fitted.rethreshold(shortlist=LogisticRegression())
    with pytest.raises(AttributeError, match="rethreshold"):
        fitted.dag_  # noqa: B018


def test_a_shortlist_left_out_can_be_taken_up_again(digits):
    X, y, asked, _ = digits
    fitted = DCSVC().fit(X[:300], y[:300])
    without = fitted.rethreshold(shortlist=None)
    assert without.dag_.n_nodes > 10
    assert without.shortlist_ is None
    again = without.rethreshold(shortlist="auto")
    assert (again.decision_function(asked) == fitted.decision_function(asked)).all()
    assert again.get_params() == fitted.get_params()


@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_kernels_that_need_no_scores_have_none(kernel, digits):
    X, y, asked, _ = digits
    if kernel == "precomputed":
        clf = DCSVC(kernel=kernel).fit(X[:300] @ X[:300].T, y[:300])
        asked = asked @ X[:300].T
    else:
        clf = DCSVC(kernel=kernel).fit(X[:300], y[:300])
    assert clf.shortlist_ is None
    assert clf.dag_.n_nodes > 10
    assert (clf.predict(asked) == OneVsOneSVC.from_machines(clf).predict(asked)).mean() > 0.95


@pytest.mark.parametrize("shortlist", ["auto", LinearSVC(), None])
def test_two_classes_need_no_scores(shortlist, digits):
    X, y, asked, _ = digits
    clf = DCSVC(shortlist=shortlist).fit(X[:200], y[:200] > 4)
    assert clf.shortlist_ is None
    assert (clf.predict(asked) == SVC().fit(X[:200], y[:200] > 4).predict(asked)).all()
