"""What the engine sees of rows, against the values themselves."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from tests.kernel_problems import problem

from dcsvm import DCSVC
from dcsvm.data.rows import TrainingRows, canonical_rows
from dcsvm.machines.value_statistics import ClassEntries, value_statistics
from dcsvm.table.building import TableEntries, _calls, build_table, observe_classes


def test_what_is_observed_is_what_the_values_are(arithmetic):
    X, y = make_blobs(300, centers=7, n_features=5, cluster_std=4.0, random_state=0)
    machines = DCSVC().fit(X[77:], y[77:]).machines_
    asked = X[:77]
    weight, edges = np.arange(77.0), np.array([0, 5, 40, 77])
    seen = machines.observe(asked, weight, edges, keep_signs=True)
    values = machines.all_values(machines.prepare(asked), 0, 77)
    expected = value_statistics(values, weight, edges, keep_signs=True)
    assert (seen.signs == expected.signs).all()
    for found, wanted in zip(seen[:-1], expected[:-1], strict=True):
        tolerance = 1e-12 if arithmetic == "double" else 1e-5
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [1, 5, 16, 17, 97, 200])
def test_values_that_lie_close_together_keep_their_deviation(size, weighted, arithmetic):
    """Of one class, cut into blocks of rows in every way, far from zero against their deviation."""
    rng = np.random.default_rng(size)
    X = np.vstack([rng.normal(size=(size, 3)) * 0.01 + 2, rng.normal(size=(60, 3))])
    y = np.r_[np.zeros(size, int), 1 + np.arange(60) % 3]
    machines = DCSVC().fit(X, y).machines_
    weight = rng.integers(1, 4, size) / 2 if weighted else np.full(size, 2.0)
    seen = machines.observe(X[:size], weight, np.array([0, size]), keep_signs=True)
    values = machines.all_values(machines.prepare(X), 0, size)
    deviation = np.sqrt(np.maximum(seen.squares[0] - seen.sum[0] ** 2 / size, 0) / size)
    np.testing.assert_allclose(deviation, values.std(axis=0), rtol=1e-3, atol=1e-7)
    assert seen.to_i[0].tolist() == (weight @ (values > 0)).tolist()
    assert seen.to_j[0].tolist() == (weight @ (values <= 0)).tolist()
    assert (seen.signs == np.packbits(values.T > 0, axis=1, bitorder="little")).all()


@pytest.mark.parametrize(
    ("most_rows", "expected"),
    [
        (100, [(0, 14)]),
        (6, [(0, 4), (4, 7), (7, 11), (11, 14)]),  # 7 rows of a class in two pieces
        (7, [(0, 4), (4, 11), (11, 14)]),
    ],
)
def test_calls_are_whole_classes_or_pieces_of_one(most_rows, expected):
    rows = TrainingRows(None, np.ones(14), np.array([0, 3, 4, 11, 14]))
    assert [(call.start, call.stop) for call in _calls(rows, most_rows)] == expected


@pytest.mark.parametrize("counts", [np.uint8, np.uint16, np.uint32, np.float64])
@pytest.mark.parametrize("size", [1, 16, 97, 230])
def test_entries_of_classes_are_what_has_been_seen_of_them(size, counts, arithmetic):
    """Of classes of one block of rows and of several, against what NumPy makes of the values."""
    X, y = make_blobs(400, centers=14, n_features=5, cluster_std=4.0, random_state=0)
    machines = DCSVC().fit(X, y).machines_  # 91 of them: more than the core takes at a time
    edges, rows = np.array([0, size, size + 9, size + 29]), size + 29
    weight = np.ones(rows) if counts == np.uint8 else np.arange(rows) % 3 + 1.0
    found, expected = (
        ClassEntries(
            np.zeros((3, 91, 2), dtype=counts), *(np.zeros((3, 91), np.float16) for _ in range(3))
        )
        for _ in range(2)
    )
    signs = machines.observe_classes(X[:rows], weight, edges, found, keep_signs=True)
    values = machines.all_values(machines.prepare(X[:rows]), 0, rows)
    seen = value_statistics(values, weight, edges, keep_signs=True)
    expected.write_all(seen, edges)
    assert (signs == seen.signs).all()
    assert (found.counts == expected.counts).all()
    for ours, theirs in zip(found[1:], expected[1:], strict=True):
        np.testing.assert_allclose(ours.astype(float), theirs.astype(float), rtol=2e-3, atol=1e-5)


@pytest.mark.parametrize("rows_per_call", [3, 40, 1000])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_table_does_not_depend_on_calls_and_threads(rows_per_call, n_jobs, monkeypatch):
    X, y = make_blobs(300, centers=[[c, 0] for c in range(5)], random_state=0)
    weight = np.random.default_rng(0).random(300)
    rows = canonical_rows(X, y, weight, 5)
    machines = DCSVC().fit(X, y, weight).machines_
    expected, signs = build_table(machines, rows, np.arange(5), 1)
    monkeypatch.setattr(type(machines), "rows_per_call", rows_per_call)
    found, found_signs = build_table(machines, rows, np.arange(5), n_jobs)
    np.testing.assert_allclose(found.counts, expected.counts, rtol=1e-12)
    for part, wanted in zip(found.values[:3], expected.values[:3], strict=True):
        np.testing.assert_allclose(part.astype(float), wanted.astype(float), rtol=2e-3, atol=1e-6)
    unpacked = [
        np.hstack([np.unpackbits(b.signs, axis=1, count=b.n_rows, bitorder="little") for b in s])
        for s in (signs, found_signs)
    ]
    assert (unpacked[0] == unpacked[1]).all()
    assert build_table(machines, rows, np.arange(5), 1, want_signs=False)[1] is None


def test_entries_of_some_classes_are_those_of_the_table():
    X, y, _, _ = problem()
    rows = canonical_rows(X, y, np.ones(len(y)), 7)
    machines = DCSVC(kernel="rbf", gamma=0.1).fit(X, y).machines_
    table, _ = build_table(machines, rows, np.arange(7), 1)
    parts = []
    for classes in (slice(0, 3), slice(3, 4), slice(4, 7)):
        start = rows.class_start[classes.start : classes.stop + 1]
        part = slice(start[0], start[-1])
        some = TrainingRows(rows.X[part], rows.weight[part], start - start[0])
        parts.append(observe_classes(machines, some, 1)[0])
    joined = TableEntries.joined(parts).table(np.arange(7))
    assert np.array_equal(joined.counts, table.counts)
    for ours, theirs in zip(joined.values[:4], table.values[:4], strict=True):
        assert np.array_equal(ours, theirs)
