"""Warnings of structures that take long to grow."""

import warnings
from itertools import count

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from dcsvm import DCSVC
from dcsvm.routing.dag import duration


@pytest.fixture(scope="module")
def many_classes():
    X, y = make_blobs(700, centers=70, n_features=4, cluster_std=0.5, random_state=0)
    return DCSVC().fit(X, y), X


@pytest.mark.parametrize(("seconds", "expected"), [(0.5, None), (5.0, 34)])
def test_the_time_for_all_rows_follows_from_that_for_some(
    seconds, expected, many_classes, monkeypatch
):
    clf, X = many_classes
    clock = count(0, seconds)
    monkeypatch.setattr(duration, "monotonic", lambda: float(next(clock)))
    without = clf.rethreshold(shortlist=None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = without.predict(X)
    if expected is None:
        assert not caught
    else:
        (warning,) = caught
        # 5 s · (700 / 64)^0.8
        assert f"about {expected} s to grow along 700 rows" in str(warning.message)
        assert "shortlist='auto'" in str(warning.message)
        assert warning.filename == __file__
    again = clf.rethreshold(shortlist=None)
    assert (
        labels.tolist() == [again.predict(x[np.newaxis])[0] for x in X[:20]] + labels[20:].tolist()
    )


def test_a_fit_is_warned_of_too(monkeypatch):
    X, y = make_blobs(320, centers=64, n_features=4, random_state=0)
    clock = count(0, 100)
    monkeypatch.setattr(duration, "monotonic", lambda: float(next(clock)))
    with pytest.warns(UserWarning, match="to grow along 320 rows"):
        DCSVC(shortlist=None).fit(X, y)


def test_few_rows_or_few_classes_are_not_measured(monkeypatch):
    monkeypatch.setattr(duration, "monotonic", None)
    X, y = make_blobs(320, centers=63, n_features=4, random_state=0)
    clf = DCSVC(shortlist=None).fit(X, y)
    clf.predict(X)
    X, y = make_blobs(200, centers=64, n_features=4, random_state=0)
    DCSVC(shortlist=None).fit(X, y).predict(X)
