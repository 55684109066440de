"""The All-Predictions table against counting row by row."""

import sys
import tracemalloc
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.svm import SVC

from dcsvm import DCSVC, PredictionTable
from dcsvm.data.rows import canonical_rows
from dcsvm.machines.value_statistics import value_statistics
from dcsvm.routing.sides import sides
from dcsvm.table.building import build_table
from dcsvm.table.prediction_table import Tail


def counted_with_svc(X, y, weight, **parameters):
    """The table from scikit-learn's SVC, fitted to each pair of classes."""
    k = len(np.unique(y))
    counts = np.zeros((k * (k - 1) // 2, k, 2))
    for m, (i, j) in enumerate(combinations(range(k), 2)):
        pair = np.isin(y, [i, j])
        svc = SVC(**parameters).fit(X[pair], y[pair], sample_weight=weight[pair])
        sent = svc.predict(X)
        for c in range(k):
            counts[m, c] = [weight[(y == c) & (sent == side)].sum() for side in (i, j)]
    return counts


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_counts_of_a_real_problem(n_jobs):
    X, y = load_iris(return_X_y=True)
    table = DCSVC(gamma=0.5, n_jobs=n_jobs).fit(X, y).table_
    counts = counted_with_svc(X, y, np.ones(150), gamma=0.5)
    np.testing.assert_array_equal(table.counts, counts)
    np.testing.assert_array_equal(table.likelihoods, counts[:, :, 0] / 50)
    assert table.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]


@pytest.mark.parametrize("whole", [True, False])
def test_weights_count(whole):
    X, y = make_blobs(200, 3, centers=5, cluster_std=3.0, random_state=1)
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 4, 200).astype(float) if whole else rng.uniform(0.1, 2, 200)
    table = DCSVC(gamma=0.2, tol=1e-6).fit(X, y, sample_weight=weight).table_
    counts = counted_with_svc(X, y, weight, gamma=0.2, tol=1e-6)
    np.testing.assert_allclose(table.counts, counts, rtol=1e-12)
    # A side without rows is exactly empty, however the weights round.
    assert ((table.counts == 0) == (counts == 0)).all()


def test_blocks_of_rows_add_up(monkeypatch):
    X, y = make_blobs(300, 3, centers=4, cluster_std=3.0, random_state=1)
    whole = DCSVC().fit(X, y).table_
    monkeypatch.setattr("dcsvm.machines.pairwise.MOST_ROWS_PER_CALL", 7)
    assert (DCSVC().fit(X, y).table_.counts == whole.counts).all()


def test_frame_prints_per_cent_pairs():
    table = PredictionTable.from_likelihoods(["a", "b"], [[1.0, 0.034]])
    expected = pd.DataFrame(
        [["100.0, 0.0", "3.4, 96.6"]],
        index=pd.Index(["a vs b"], name="machine"),
        columns=pd.Index(["a", "b"], name="class"),
    )
    pd.testing.assert_frame_equal(table.to_frame(), expected)


@pytest.mark.parametrize(
    ("theta", "share"), [(0.0, 3 / 6), (0.0199, 3 / 6), (0.02, 4 / 6), (0.25, 5 / 6)]
)
def test_separation(theta, share):
    to_i = np.array([[100, 0, 98], [50, 25, 100], [50, 50, 50]])
    table = PredictionTable(["a", "b", "c"], np.stack([to_i, 100 - to_i], axis=-1))
    # The third machine is undecided about everything and adds nothing but its three entries.
    assert table.separation(theta) == pytest.approx(share * 6 / 9)


def test_theta_is_met_whatever_the_rounding():
    fractions = PredictionTable.from_likelihoods(["a", "b"], [[0.98, 0.02]])
    assert fractions.separation(0.02) == 1.0
    tenths = PredictionTable(["a", "b"], [[[4.9, 0.1], [0.1 * 3, 14.7]]])  # 0.1 / 5 > 0.02
    assert tenths.separation(0.02) == 1.0
    assert tenths.separation(0.0199) == 0.0


def test_a_tail_is_read_off_between_its_quantiles_and_exponential_beyond_them():
    tail = Tail(np.array([0.1, 0.01]), np.array([2.0, 3.0]), excess=0.5)
    assert tail.beyond(0.1) == 2.0
    assert tail.beyond(np.sqrt(0.001)) == pytest.approx(2.5)
    assert tail.beyond(0.01 / np.e) == pytest.approx(3.5)
    assert tail.beyond(0.0) == np.inf
    assert tail.beyond(0.4) == 2.0  # no more is known


def test_building_takes_little_more_room_than_the_table(monkeypatch):
    k = 120
    X = np.random.default_rng(0).normal(size=(k * 8, 3))
    y = np.repeat(np.arange(k), 8)
    rows = canonical_rows(X, y, np.ones(len(y)), k)

    class Coins:
        n_classes = k
        rows_per_call = 8
        engine = None

        def observe_classes(self, X, weight, edges, entries, keep_signs, kept):
            values = np.ones((len(X), k * (k - 1) // 2))
            entries.write_all(value_statistics(values, weight, edges, keep_signs), edges)

    monkeypatch.setattr("dcsvm.table.building.SIGNS_BUDGET", 0)
    tracemalloc.start()
    table, _ = build_table(Coins(), rows, np.arange(k), None)
    sides(table, 0.01)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    room = table.counts.nbytes + sum(part.nbytes for part in table.values[:4])
    assert peak < 2.5 * room


def test_frames_need_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'dcsvm\[pandas\]'"):
        PredictionTable.from_likelihoods(["a", "b"], [[1.0, 0.0]]).to_frame()


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.ones((3, 2, 2)), "need counts of shape"),
        (np.ones((1, 2)), "need counts of shape"),
        (-np.ones((1, 2, 2)), "must not be negative"),
        (np.zeros((1, 2, 2)), "without rows"),
        (np.full((1, 2, 2), np.nan), "must not be negative"),
    ],
)
def test_impossible_tables_are_refused(counts, message):
    with pytest.raises(ValueError, match=message):
        PredictionTable(["a", "b"], counts)
