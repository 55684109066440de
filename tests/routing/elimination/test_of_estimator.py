"""Shortlists that are classifiers of the user's own."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.data.rows import canonical_rows


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:900] / 16, y[:900], X[900:] / 16, y[900:]


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


def test_the_only_row_of_a_class_is_fitted_to_and_does_not_count(digits):
    """The others get the scores they have with it in every fold: checked by doing just that."""
    X, y, asked, truth = digits
    X, y = X[:401], np.concatenate([y[:400], [10]])
    clf = DCSVC(theta=0.01, shortlist=LogisticRegression(max_iter=500)).fit(X, y)
    rows = canonical_rows(X, y.astype(np.int64), np.ones(401), 11)
    codes, X = rows.codes(np.arange(401)), rows.X
    assert (codes == 10).nonzero()[0].tolist() == [400]
    behind = []
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for train, test in folds.split(X[:400], codes[:400]):
        seen = np.append(train, 400)
        scores = (
            LogisticRegression(max_iter=500).fit(X[seen], codes[seen]).decision_function(X[test])
        )
        assert scores.shape[1] == 11
        behind.extend(scores.max(axis=1) - scores[np.arange(len(test)), codes[test]])
    found = clf.shortlist_
    np.testing.assert_allclose(found.calibration.behind, np.sort(behind), rtol=1e-6, atol=1e-9)
    assert len(found.calibration.behind) == 400
    # The gap keeps the right class of all but a share θ of them: the ⌈401 · 0.99⌉-th smallest.
    assert found.gap == pytest.approx(np.sort(behind)[396])
    scores = found.scores(asked, clf.machines_)[:, :11].astype(np.float64)
    beyond = scores.max(axis=1) - scores[np.arange(len(truth)), truth] > found.gap
    assert beyond.mean() < 0.06  # other writers wrote these


def test_classes_of_one_row_each_are_all_candidates():
    X = np.eye(5)
    clf = DCSVC(shortlist=LogisticRegression()).fit(X, np.arange(5))
    assert clf.shortlist_.gap == np.inf
    assert clf.predict(X).tolist() == [0, 1, 2, 3, 4]


def test_errors_of_shortlists_say_what_to_do(digits):
    X, y, _, _ = digits
    with pytest.raises(ValueError, match="shortlist"):
        DCSVC(shortlist=StandardScaler()).fit(X, y)
    with pytest.raises(ValueError, match="one-versus-rest"):
        DCSVC(shortlist=SVC(decision_function_shape="ovo")).fit(X[:200], y[:200])
    fitted = DCSVC().fit(X[:200], y[:200])
    with pytest.raises(ValueError, match="Fit with this shortlist"):
        fitted.rethreshold(shortlist=LogisticRegression())
    with pytest.raises(AttributeError, match="rethreshold"):
        fitted.dag_  # noqa: B018
