"""Which classes are compared at a row, and by which values."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

from dcsvm import DCSVC
from dcsvm.data.pairs import machine_of
from dcsvm.probability.contests import (
    MOST_CLASSES_FOR_ALL,
    MOST_RIVALS_BY_SCORE,
    contests,
    first_and_best,
    losses,
)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return DCSVC(n_jobs=1).fit(X[:600], y[:600]), X[600:700]


@pytest.fixture(scope="module")
def many():
    X, y = make_blobs(n_samples=800, centers=MOST_CLASSES_FOR_ALL + 8, n_features=6, random_state=0)
    return DCSVC(n_jobs=1).fit(X, y), X[:60]


def values_by_hand(clf, X, found):
    every = clf.machines_.all_values(clf.machines_.prepare(X), 0, len(X))
    k = clf.machines_.n_classes
    for r, classes in enumerate(found.classes):
        for t, (a, b) in enumerate(combinations(classes, 2)):
            m = machine_of(min(a, b), max(a, b), k)
            assert found.machine[r, t] == m
            assert found.values[r, t] == pytest.approx(every[r, m], abs=1e-5)
            assert found.first_is_lower[r, t] == (a < b)


def test_all_machines_of_few_classes(digits):
    clf, X = digits
    winner = clf.apply(X)
    found = contests(clf.machines_, X, winner, None, 1)
    assert (found.classes[:, 0] == winner).all()
    assert (np.sort(found.classes, axis=1) == np.arange(10)).all()
    values_by_hand(clf, X, found)
    lost = losses(clf.machines_.all_values(clf.machines_.prepare(X), 0, len(X)), 10)
    others = np.take_along_axis(lost, found.classes[:, 1:], axis=1)
    assert (np.diff(others, axis=1) >= 0).all()


def test_what_a_class_loses():
    # Machines (0, 1), (0, 2), (1, 2): class 0 loses 2 to class 2, class 1 loses 1 to class 0.
    np.testing.assert_array_equal(losses(np.array([[1.0, -2.0, 3.0]]), 3), [[2.0, 1.0, 3.0]])


def test_few_of_many_classes_by_their_scores(many):
    clf, X = many
    winner = clf.apply(X)
    scores = np.random.RandomState(0).normal(size=(len(X), clf.machines_.n_classes))
    found = contests(clf.machines_, X, winner, lambda part: scores[: len(part)], 1)
    assert found.classes.shape == (len(X), MOST_RIVALS_BY_SCORE)
    for r in range(len(X)):
        others = [c for c in np.argsort(-scores[r]) if c != winner[r]]
        assert found.classes[r].tolist() == [winner[r], *others[: MOST_RIVALS_BY_SCORE - 1]]
    values_by_hand(clf, X, found)


def test_few_of_many_classes_by_what_they_lose_to_the_winner(many):
    clf, X = many
    winner = clf.apply(X)
    found = contests(clf.machines_, X, winner, None, 1)
    values_by_hand(clf, X, found)
    every = clf.machines_.all_values(clf.machines_.prepare(X), 0, len(X))
    k = clf.machines_.n_classes
    for r, w in enumerate(winner):
        lead = {
            c: every[r, machine_of(min(c, w), max(c, w), k)] * (1 if c < w else -1)
            for c in range(k)
            if c != w
        }
        best = sorted(lead, key=lead.get, reverse=True)[: MOST_RIVALS_BY_SCORE - 1]
        assert set(found.classes[r, 1:]) == set(best)


def test_threads_change_nothing(digits):
    clf, X = digits
    one = contests(clf.machines_, X, clf.apply(X), None, 1)
    two = contests(clf.machines_, X, clf.apply(X), None, 2)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_winner_comes_first_whatever_the_scores():
    scores = np.array([[np.nan, 5.0, 7.0], [np.inf, -np.inf, 0.0]])
    assert first_and_best(np.array([0, 1]), scores, 2).tolist() == [[0, 2], [1, 0]]


def test_no_rows(digits):
    clf, X = digits
    found = contests(clf.machines_, X[:0], np.empty(0, dtype=np.int64), None, 1)
    assert found.classes.shape == (0, 10)
    assert found.values.shape == (0, 45)
