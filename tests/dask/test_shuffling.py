import numpy as np
import pytest

from dcsvm.dask.partitions import Part
from dcsvm.dask.shuffling import gather, piece, split
from dcsvm.data.rows import canonical_rows


def problem(n=200, k=6):
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    X = rng.integers(0, 3, (n, 4)).astype(float)  # many rows are equal
    X[::7] *= -0.0
    return X, y, rng.integers(0, 3, n) / 2


@pytest.mark.parametrize("cuts", [[], [50, 120], [0, 0, 3, 3, 199]])
@pytest.mark.parametrize("edges", [[0, 6], [0, 1, 4, 6]])
def test_blocks_have_the_rows_that_a_local_fit_has(cuts, edges):
    X, y, weight = problem()
    names = np.array(list("abcdef"))
    parts = [
        Part(*columns)
        for columns in zip(*(np.split(a, cuts) for a in (X, names[y], weight)), strict=True)
    ]
    first = np.cumsum([0, *(len(part.y) for part in parts)])
    half = len(parts) // 2 + 1
    runs = [slice(0, half), slice(half, len(parts))] if half < len(parts) else [slice(0, half)]
    cut = [split(parts[r], int(first[r.start]), names, np.array(edges), X.dtype) for r in runs]
    expected = canonical_rows(X, y, weight, 6)
    for b in range(len(edges) - 1):
        found = gather([piece(pieces, b) for pieces in cut]).read()
        own = slice(*expected.class_start[[edges[b], edges[b + 1]]])
        for name in ("X", "weight", "origin"):
            assert np.array_equal(getattr(found, name), getattr(expected, name)[own]), name
        assert np.array_equal(
            np.diff(found.class_start), np.diff(expected.class_start)[edges[b] : edges[b + 1]]
        )


def test_rows_are_checked():
    X, y, _ = problem()
    whole = np.arange(6), np.array([0, 6]), np.float64
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        split([Part(X, y[:-1])], 0, *whole)
    with pytest.raises(ValueError, match="X contains NaN"):
        split([Part(np.where(X == 1, np.nan, X), y)], 0, *whole)


def test_other_types_become_that_of_training():
    X, y, _ = problem()
    pieces = split([Part(X.astype(int), y)], 0, np.arange(6), np.array([0, 6]), np.float32)
    assert gather(pieces).X.dtype == np.float32
