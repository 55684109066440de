"""Probabilities of all classifiers."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from dcsvm import DAGSVC, DCSVC, DCSVCCV, DivideAndConquerClassifier, OneVsOneSVC

X, y = load_digits(return_X_y=True)
X = X / 16
Xa, ya, Xb, yb = X[:900], y[:900], X[900:], y[900:]

KINDS = {
    "default": DCSVC(),
    "paper": DCSVC.paper(),
    "structure": DCSVC(shortlist=None),
    "needed": DCSVC(machines="needed"),
    "linear": DCSVC(kernel="linear"),
    "scaled in pairs": DCSVC(scaling="pair"),
    "shortlist of its own": DCSVC(shortlist=LogisticRegression(C=0.01)),
    "vote": OneVsOneSVC(),
    "vote with ties broken": OneVsOneSVC(break_ties=True),
    "DAG": DAGSVC(),
    "any classifier": DivideAndConquerClassifier(LogisticRegression()),
    "any classifier, paper": DivideAndConquerClassifier.paper(LogisticRegression()),
    "search": DCSVCCV(Cs=[1, 10], gammas=["scale"], cv=3),
}


def check_probabilities(clf, X, y=None, most_loss=np.inf):
    p = clf.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p > 0).all()
    np.testing.assert_array_equal(clf.classes_[p.argmax(axis=1)], clf.predict(X))
    logs = clf.predict_log_proba(X)
    np.testing.assert_allclose(np.exp(logs), p)
    np.testing.assert_array_equal(logs.argmax(axis=1), p.argmax(axis=1))
    if y is not None:
        assert log_loss(y, p, labels=clf.classes_) < most_loss
    return p


@pytest.mark.parametrize("kind", KINDS)
def test_every_classifier(kind):
    parameters = KINDS[kind].get_params(deep=False)
    clf = type(KINDS[kind])(**{**parameters, "probability": True})
    expected = type(clf)(**parameters).fit(Xa[:500], ya[:500]).predict(Xb[:300])
    clf.fit(Xa[:500], ya[:500])
    np.testing.assert_array_equal(clf.predict(Xb[:300]), expected)
    check_probabilities(clf, Xb[:300], yb[:300], 0.45)


@pytest.mark.parametrize("kind", ["default", "vote", "DAG", "any classifier"])
def test_calibrate_later(kind):
    clf = type(KINDS[kind])(**KINDS[kind].get_params(deep=False)).fit(Xa[:500], ya[:500])
    assert not hasattr(clf, "predict_proba")
    assert not hasattr(clf, "predict_log_proba")
    assert clf.calibrate(Xa[500:], ya[500:]) is clf
    check_probabilities(clf, Xb, yb, 0.3)
    assert not hasattr(clf.fit(Xa[:500], ya[:500]), "predict_proba")


def test_as_good_as_svc_and_in_agreement_with_predict():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        svc = SVC(probability=True, random_state=0).fit(Xa, ya)
        theirs = log_loss(yb, svc.predict_proba(Xb))
    clf = DCSVC(probability=True).fit(Xa, ya)
    assert log_loss(yb, clf.predict_proba(Xb)) < theirs


def test_what_to_do_without_probabilities():
    clf = DCSVC().fit(Xa, ya)
    with pytest.raises(AttributeError) as error:
        clf.predict_proba(Xb)
    assert "probability=True, or call calibrate(X, y)" in str(error.value.__cause__)
    clf.set_params(probability=True)
    with pytest.raises(NotFittedError, match="probability=True, or call calibrate"):
        clf.predict_proba(Xb)
    with pytest.raises(NotFittedError):
        DCSVC(probability=True).predict_proba(Xb)


def test_two_classes():
    data, labels = make_blobs(n_samples=200, centers=2, cluster_std=3, random_state=3)
    clf = DCSVC(probability=True).fit(data[:120], labels[:120])
    p = check_probabilities(clf, data[120:], labels[120:], 0.6)
    order = np.argsort(clf.decision_function(data[120:]))
    assert (np.diff(p[order, 1]) >= -1e-9).all()


def test_sparse_rows_and_a_kernel_matrix():
    clf = DCSVC(gamma=0.05, probability=True).fit(Xa, ya)
    dense = clf.predict_proba(Xb)
    few = sparse.csr_matrix(Xa), sparse.csr_matrix(Xb)
    others = DCSVC(gamma=0.05, probability=True).fit(few[0], ya)
    p = check_probabilities(others, few[1], yb, 0.3)
    assert abs(p - dense).mean() < 0.01  # other rows are left out together
    again = others.calibrate(few[1], yb).predict_proba(few[0])
    np.testing.assert_allclose(again, clf.calibrate(Xb, yb).predict_proba(Xa), atol=1e-3)
    given = DCSVC(kernel="precomputed", probability=True).fit(rbf_kernel(Xa, gamma=0.05), ya)
    p = check_probabilities(given, rbf_kernel(Xb, Xa, gamma=0.05), yb, 0.3)
    assert abs(p - dense).mean() < 0.01


def test_a_row_of_weight_two_is_a_row_written_twice():
    weight = 1.0 + (np.arange(len(ya)) % 3 == 0)
    twice = np.repeat(np.arange(len(ya)), weight.astype(int))
    a = DCSVC(probability=True).fit(Xa, ya, sample_weight=weight)
    b = DCSVC(probability=True).fit(Xa[twice], ya[twice])
    np.testing.assert_allclose(a.predict_proba(Xb), b.predict_proba(Xb), atol=1e-9)
    c = DCSVC().fit(Xa, ya)
    weighted = c.calibrate(Xb, yb, sample_weight=np.arange(len(yb)) % 2).predict_proba(Xa)
    np.testing.assert_allclose(weighted, c.calibrate(Xb[1::2], yb[1::2]).predict_proba(Xa))


def test_class_weights_and_labels_of_text():
    names = np.array([f"digit {label}" for label in y])
    clf = DCSVC(class_weight="balanced", probability=True).fit(Xa, names[:900])
    check_probabilities(clf, Xb, names[900:], 0.3)
    with pytest.raises(ValueError, match="label 'ten', which was not among"):
        clf.calibrate(Xb[:1], ["ten"])


def test_calibrate_says_what_is_wrong():
    clf = DCSVC().fit(Xa, ya)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clf.calibrate(Xb, yb[:-1])
    with pytest.raises(ValueError, match="weight above 0"):
        clf.calibrate(Xb, yb, sample_weight=-np.ones(len(yb)))
    with pytest.raises(NotFittedError):
        DCSVC().calibrate(Xb, yb)


def test_classes_of_a_single_row():
    rows = np.concatenate([Xa[:200], Xa[-1:]])
    labels = np.concatenate([ya[:200], [99]])
    clf = DCSVC(probability=True).fit(rows, labels)
    check_probabilities(clf, Xb[:50])
    alone = DCSVC(probability=True).fit(np.eye(3), [0, 1, 2])
    check_probabilities(alone, np.eye(3))


def test_subsets_and_threads_change_nothing():
    clf = DCSVC(probability=True).fit(Xa, ya)
    p = clf.predict_proba(Xb)
    np.testing.assert_allclose(clf.predict_proba(Xb[7:9]), p[7:9], atol=1e-9)
    np.testing.assert_allclose(clf.set_params(n_jobs=2).predict_proba(Xb), p, atol=1e-9)


def test_rules_changed_later_keep_the_probabilities():
    clf = DCSVC(probability=True).fit(Xa, ya)
    check_probabilities(clf.rethreshold(theta=0.01, routing="sign", shortlist=None), Xb)
    check_probabilities(OneVsOneSVC.from_machines(clf), Xb)


def test_a_search_by_log_loss():
    data, labels = load_iris(return_X_y=True)
    search = DCSVCCV(Cs=[0.01, 1], gammas=["scale"], cv=3, scoring="neg_log_loss")
    search.set_params(probability=True).fit(data, labels)
    check_probabilities(search, data)
    found = [
        cross_val_score(
            DCSVC(C=C, probability=True), data, labels, cv=3, scoring="neg_log_loss"
        ).mean()
        for C in (0.01, 1)
    ]
    np.testing.assert_allclose(search.scores_.mean(axis=0)[0], found, atol=0.05)


def test_learning_in_parts_asks_for_calibration():
    inner = SGDClassifier(loss="log_loss", random_state=0)
    clf = DivideAndConquerClassifier(inner, probability=True).fit(Xa, ya)
    check_probabilities(clf, Xb)
    clf.partial_fit(Xa, ya)
    with pytest.raises(NotFittedError, match="calibrate"):
        clf.predict_proba(Xb)
    check_probabilities(clf.calibrate(Xb, yb), Xb)
