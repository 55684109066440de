"""Reaches of rows left out, against leaving each out by hand, and against fresh values."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

from dcsvm import DCSVC
from dcsvm.data.pairs import class_pairs
from dcsvm.data.rows import canonical_rows
from dcsvm.routing.left_out import keep_values, left_out_tail, values_to_keep
from dcsvm.routing.plausibility import deviation, expected_maximum, plausible_range
from dcsvm.table.building import build_table


def rows_of(X, y):
    return canonical_rows(X, y.astype(np.int64), np.ones(len(y)), y.max() + 1)


def reaches_by_hand(clf, rows):
    """One row, one machine at a time."""
    found = []
    values = np.array(clf.machines_.all_values(clf.machines_.prepare(rows.X), 0, rows.n_rows))
    variance = np.square(clf.table_.values.spread, dtype=np.float64)
    for m, own in enumerate(class_pairs(rows.n_classes)):
        for c in set(range(rows.n_classes)) - set(own.tolist()):
            of_class = values[rows.of_class(c), m]
            for r, v in enumerate(of_class):
                rest = np.delete(of_class, r)
                freedom = np.diff(rows.class_start) - 1.0
                pooled = np.where(np.arange(rows.n_classes) == c, rest.var(ddof=1), variance[m])
                freedom[c] -= 1
                unit = deviation(rest.var(ddof=1), freedom[c], pooled @ freedom / freedom.sum())
                beyond = max(v - rest.max(), rest.min() - v)
                found.append(beyond / unit + expected_maximum(np.array([len(rest)]))[0])
    return np.sort(found)


def test_reaches_are_those_of_rows_left_out_one_by_one():
    X, y = load_digits(return_X_y=True)
    X, y = X[y < 5][:90], y[y < 5][:90]
    clf = DCSVC(C=10, gamma=1e-3).fit(X, y)
    rows = rows_of(X, y)
    expected = reaches_by_hand(clf, rows)
    kept = values_to_keep(rows)
    table, _ = build_table(clf.machines_, rows, clf.classes_, 2, False, kept)
    tail = left_out_tail(rows, kept, table.values)
    n = len(expected)
    np.testing.assert_allclose(tail.reach, expected[(n * (1 - tail.share)).astype(int)], atol=1e-4)
    assert clf.table_.values.tail.excess == pytest.approx(tail.excess)


def test_values_kept_are_those_of_the_machines_chosen(monkeypatch):
    monkeypatch.setattr("dcsvm.routing.left_out.PAIRS_TO_POOL", 2000)
    X, y = make_blobs(700, centers=8, n_features=3, random_state=0)
    clf = DCSVC().fit(X, y)
    rows = rows_of(X, y)
    kept, alone = values_to_keep(rows), values_to_keep(rows)
    assert len(kept.machine) < len(clf.machines_.pairs)
    build_table(clf.machines_, rows, clf.classes_, 2, False, kept)
    keep_values(alone, clf.machines_, rows)
    np.testing.assert_array_equal(kept.values, alone.values)
    values = clf.machines_.all_values(clf.machines_.prepare(rows.take(kept.rows)), 0, 700)
    np.testing.assert_array_equal(kept.values, values.T[kept.machine])


def shares_outside(n_rows, thetas, seed, k=30):
    """The shares of fresh values of third classes that are implausible, each divided by its θ."""
    blobs = {"centers": k, "n_features": 6, "center_box": (-5, 5), "random_state": seed}
    X, y = make_blobs(80 * k, **blobs)
    order = np.argsort(y, kind="stable").reshape(k, 80)
    train, test = order[:, :n_rows].ravel(), order[:, 40:].ravel()
    clf = DCSVC(C=10, gamma=0.1, theta=0.01).fit(X[train], y[train])
    values = clf.machines_.all_values(clf.machines_.prepare(X[test]), 0, len(test))
    third = (class_pairs(k)[np.newaxis] != y[test][:, np.newaxis, np.newaxis]).all(axis=2)
    found = []
    for theta in thetas:
        low, high = plausible_range(clf.table_.values, theta)
        outside = (values < low.T[y[test]]) | (values > high.T[y[test]])
        found.append(outside[third].mean() / theta)
    return found


@pytest.mark.parametrize(("n_rows", "thetas"), [(8, (0.01,)), (40, (0.01, 0.001))])
def test_fresh_values_are_implausible_with_a_chance_of_theta(n_rows, thetas):
    # Rows, not machines, are what varies: a draw of 30 classes is known to a third or so.
    found = np.mean([shares_outside(n_rows, thetas, seed) for seed in range(3)], axis=0)
    assert (found > 1 / 1.5).all(), found
    assert (found < 1.5).all(), found


def test_too_few_rows_tell_nothing():
    X = np.array([[0.0], [1.0], [2.0]])
    assert DCSVC().fit(X, [0, 1, 2]).table_.values.tail is None
    X, y = make_blobs(40, centers=2, random_state=0)  # no third class
    assert DCSVC().fit(X, y).table_.values.tail is None
