"""Sets of classes and the likeliest classes, beside MAPIE and crepes."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LogisticRegression

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC

X, y = make_blobs(n_samples=3000, centers=8, n_features=3, cluster_std=3.2, random_state=1)
Xa, ya, Xb, yb = X[:1200], y[:1200], X[1200:], y[1200:]
CLF = DCSVC(probability=True).fit(Xa, ya)


def coverage(sets, classes, labels):
    return sets[np.arange(len(labels)), np.searchsorted(classes, labels)].mean()


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("of", ["fit", "calibrate"])
def test_coverage(confidence, of):
    clf = CLF if of == "fit" else DCSVC().fit(Xa[:700], ya[:700]).calibrate(Xa[700:], ya[700:])
    sets = clf.predict_set(Xb, confidence)
    assert sets.dtype == bool
    assert sets.shape == (len(Xb), 8)
    assert coverage(sets, clf.classes_, yb) == pytest.approx(confidence, abs=0.03)
    p = clf.predict_proba(Xb)
    for is_in, row in zip(sets, p, strict=True):
        assert not is_in.any() or (row[is_in].min() > row[~is_in].max(initial=0.0))


def test_coverage_of_each_class():
    sets = CLF.predict_set(Xb, 0.9, class_conditional=True)
    for c in range(8):
        assert coverage(sets[yb == c], CLF.classes_, yb[yb == c]) == pytest.approx(0.9, abs=0.09)


def test_labels_in_order():
    names = np.array([f"class {label}" for label in y])
    clf = DCSVC(probability=True).fit(Xa, names[:1200])
    sets, indicator = clf.predict_set(Xb, output="labels"), clf.predict_set(Xb)
    p = clf.predict_proba(Xb)
    for labels, is_in, row in zip(sets, indicator, p, strict=True):
        at = np.searchsorted(clf.classes_, labels)
        assert set(at) == set(np.flatnonzero(is_in))
        assert (np.diff(row[at]) <= 0).all()


def test_empty_sets():
    data, labels = load_digits(return_X_y=True)
    clf = DCSVC(probability=True).fit(data[:900], labels[:900])
    sets = clf.predict_set(data[900:], 0.8)
    assert (~sets.any(axis=1)).mean() > 0.05  # it is right far more often than that
    full = clf.predict_set(data[900:], 0.8, allow_empty=False)
    assert full.any(axis=1).all()
    np.testing.assert_array_equal(full[sets.any(axis=1)], sets[sets.any(axis=1)])
    empty = np.flatnonzero(~sets.any(axis=1))
    np.testing.assert_array_equal(full[empty].argmax(axis=1), clf.apply(data[900:])[empty])


def test_many_classes_give_sparse_sets():
    data, labels = make_blobs(n_samples=1212, centers=101, n_features=5, random_state=0)
    clf = DCSVC(probability=True).fit(data, labels)
    sets = clf.predict_set(data[:30])
    assert sparse.issparse(sets)
    assert sets.shape == (30, 101)
    for row, found in enumerate(clf.predict_set(data[:30], output="labels")):
        assert set(found) == set(sets.toarray()[row].nonzero()[0])


@pytest.mark.parametrize(
    "clf",
    [OneVsOneSVC(), DAGSVC(), DivideAndConquerClassifier(LogisticRegression()), DCSVC.paper()],
    ids=lambda clf: type(clf).__name__,
)
def test_every_classifier(clf):
    assert not hasattr(clf.fit(Xa, ya), "predict_set")
    clf.set_params(probability=True).fit(Xa, ya)
    assert coverage(clf.predict_set(Xb, 0.9), clf.classes_, yb) == pytest.approx(0.9, abs=0.04)


def test_the_likeliest_classes():
    labels, probabilities = CLF.predict_top(Xb, 3)
    assert labels.shape == probabilities.shape == (len(Xb), 3)
    np.testing.assert_array_equal(labels[:, 0], CLF.predict(Xb))
    p = CLF.predict_proba(Xb)
    np.testing.assert_array_equal(probabilities, -np.sort(-p, axis=1)[:, :3])
    np.testing.assert_array_equal(p[np.arange(len(Xb)), labels[:, 1]], probabilities[:, 1])
    assert CLF.predict_top(Xb, 99)[0].shape == (len(Xb), 8)


def test_wrong_values():
    with pytest.raises(ValueError, match="confidence"):
        CLF.predict_set(Xb, 95)
    with pytest.raises(ValueError, match="'indicator' or 'labels'"):
        CLF.predict_set(Xb, output="list")
    with pytest.raises(ValueError, match="n == 0"):
        CLF.predict_top(Xb, 0)


def test_crepes_makes_the_same_sets():
    crepes = pytest.importorskip("crepes", reason="make bench-proba installs crepes")
    clf = DCSVC(probability=True).fit(Xa, ya)
    wrapped = crepes.WrapClassifier(clf)
    wrapped.calibrate(Xb[:800], yb[:800])
    theirs = wrapped.predict_set(Xb[800:], labels=False, confidence=0.9, smoothing=False)
    assert coverage(theirs == 1, clf.classes_, yb[800:]) == pytest.approx(0.9, abs=0.04)
    ours = clf.predict_set(Xb[800:], 0.9)
    assert (np.asarray(theirs == 1) == ours).mean() > 0.95


def test_mapie_makes_similar_sets():
    mapie = pytest.importorskip("mapie.classification", reason="make bench-proba installs MAPIE")
    clf = DCSVC(probability=True).fit(Xa, ya)
    wrapped = mapie.SplitConformalClassifier(clf, confidence_level=0.9, prefit=True)
    theirs = wrapped.conformalize(Xb[:800], yb[:800]).predict_set(Xb[800:])[1][:, :, 0]
    assert coverage(theirs, clf.classes_, yb[800:]) == pytest.approx(0.9, abs=0.04)
    assert (theirs == clf.predict_set(Xb[800:], 0.9)).mean() > 0.95
