"""Explanations in words and as plain data."""

import json

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from dcsvm import DCSVC
from dcsvm.inspection import explain, explanations


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 5, 9], dtype=np.int8),
        np.array(["a,b", 'say "x"', "<ü>"]),
        np.array([False, True]),
        np.array([1.0, 2.0, 3.0], dtype=np.float32),
        np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="datetime64[ns]"),
        np.array(["x", "y", "z"], dtype=object),
    ],
)
def test_labels_of_any_type_become_plain_data(labels):
    X, y = make_blobs(60, centers=len(labels), random_state=0)
    clf = DCSVC.paper().fit(X, labels[y])
    found = explain(clf, X[0])
    assert found.label == clf.predict(X[:1])[0]
    data = json.loads(json.dumps(found.to_dict()))
    assert data["label"] == (str(found.label) if labels.dtype.kind == "M" else found.label)
    assert str(found.label) in str(found)


def test_words_give_the_reasons(digits):
    X, y = digits
    words = "\n".join(
        map(str, explanations(DCSVC(C=10, theta=0.01).fit(X[:400], y[:400]), X[400:]))
    )
    for part in (
        "Scores: dropped as more than",
        "(lost)",
        "the value is implausible for",
        "is set aside and stays in",
        "Final vote (",
        "Only 3 is left.",
        "kernel evaluations. Runner-up: ",
    ):
        assert part in words
    paper = DCSVC.paper(C=10, theta=0.02).fit(X[:400], y[:400])
    assert "too few of their training rows are on this side: " in "\n".join(
        map(str, explanations(paper, X[400:]))
    )


def test_probabilities_in_words_and_as_data(blobs):
    X, y = blobs
    clf = DCSVC().fit(X[:200], y[:200])
    assert "Probabilities" not in str(explain(clf, X[0]))
    assert explain(clf, X[0]).to_dict()["probabilities"] is None
    clf.calibrate(X[200:], y[200:])
    found = explain(clf, X[0])
    labels, shares = clf.predict_top(X[:1], n=5)
    first, *_ = str(found).splitlines()
    assert f" Probabilities: {labels[0, 0]} {100 * shares[0, 0]:.3g} %" in first
    data = json.loads(json.dumps(found.to_dict()))["probabilities"]
    assert [one["label"] for one in data] == labels[0].tolist()
    assert [one["probability"] for one in data] == pytest.approx(shares[0])
