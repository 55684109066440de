"""Shortlists that are classifiers of the user's own."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from dcsvm import DCSVC, OneVsOneSVC


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
