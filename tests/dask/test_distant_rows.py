import numpy as np
import pytest
from tests.dask.here import blocks_of, stored

from dcsvm.dask.distant_rows import (
    DistantArray,
    distant_rows,
    joined_summaries,
    rows_at,
    summary_of,
)
from dcsvm.data.rows import canonical_rows, sample_rows
from dcsvm.training.common import SharedScaling

RNG = np.random.default_rng(0)
X, Y = RNG.integers(0, 9, (120, 3)).astype(float), np.arange(120) % 4
EDGES = np.array([0, 1, 3, 4])


@pytest.mark.parametrize("weight", [np.ones(120), RNG.integers(1, 4, 120) / 2])
def test_rows_are_fetched_as_they_are_indexed(weight):
    rows = canonical_rows(X, Y, weight, 4)
    blocks = blocks_of(rows, EDGES)
    summaries = [summary_of(block.result) for block in blocks.stored]
    start, known = joined_summaries(summaries)
    assert np.array_equal(start, rows.class_start)
    assert np.array_equal(known, rows.weight)
    distant = distant_rows(blocks, known, start, 3, X.dtype)
    for numbers in (np.array([0]), RNG.permutation(rows.n_rows)[:50], np.array([5, 5, 2])):
        assert np.array_equal(distant.take(numbers), rows.take(numbers))
        assert np.array_equal(distant.origin[numbers], rows.origin[numbers])
    assert np.array_equal(distant.X[3:70], rows.X[3:70])
    assert np.array_equal(sample_rows(distant).X, sample_rows(rows).X)
    drawn = distant.sample(5, np.random.RandomState(1))
    assert np.array_equal(drawn.X, rows.sample(5, np.random.RandomState(1)).X)
    scaled = DistantArray(blocks, "X", rows.X.shape, X.dtype, SharedScaling(4.0))
    assert np.array_equal(scaled[np.array([7, 50])], rows.X[[7, 50]] / 4)


def test_weights_of_one_take_no_room():
    rows = canonical_rows(np.arange(120.0)[:, np.newaxis], Y, np.ones(120), 4)
    _, weight = joined_summaries([summary_of(stored(rows))])
    assert weight.strides == (0,)


def test_only_the_rows_between_are_read():
    rows = stored(canonical_rows(X, Y, np.ones(120), 4))
    read = []
    rows.X.__class__ = type(
        "Watched",
        (type(rows.X),),
        {"read": lambda s, a, b: read.append((a, b)) or np.zeros((b - a, 3))},
    )
    start = rows.class_start
    rows_at(rows, "X", np.array([start[1] + 2, start[1] + 4, start[3]]), SharedScaling(1.0))
    assert read == [(start[1] + 2, start[1] + 5), (start[3], start[3] + 1)]
