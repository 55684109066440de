import numpy as np
import pytest
from tests.cuda.problems import classes_in_plane, rows_there

from dcsvm.data.rows import canonical_rows


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_classes_and_merged_rows_are_those_of_the_host(device, dtype):
    X, y = classes_in_plane()
    X = np.vstack([X, X[:7], -X[:2]]).astype(dtype)
    y = np.concatenate([y, y[:7], y[:2]])
    X[3, 0], X[-1] = 0.0, X[3]
    y[-1], X[-1, 0] = y[3], -0.0
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    weight[10] = 0
    there, here = rows_there(device, X, y, weight), canonical_rows(X, y, weight, 4)
    assert np.array_equal(there.class_start, here.class_start)
    assert np.array_equal(there.matrix, here.X)
    assert np.allclose(there.weight, here.weight, rtol=1e-15)
    assert np.array_equal(there.origin_there, here.origin)
    assert np.array_equal(X[there.origin_there], there.matrix)


def test_rows_that_differ_late_are_in_the_order_of_the_host(device):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (90, 12)) * rng.uniform(-1, 1, 12), np.arange(90) % 4
    X[:, 3] = 7.0
    there, here = rows_there(device, X, y), canonical_rows(X, y, np.ones(90), 4)
    assert np.array_equal(there.matrix, here.X)
    assert np.array_equal(there.origin_there, here.origin)


def test_the_order_of_the_rows_does_not_matter(device):
    X, y = classes_in_plane()
    order = np.random.default_rng(1).permutation(len(y))
    one, other = rows_there(device, X, y), rows_there(device, X[order], y[order])
    assert np.array_equal(one.matrix, other.matrix)


def test_rows_that_are_asked_for_come_to_the_host(device):
    X, y = classes_in_plane()
    rows = rows_there(device, X, y)
    numbers = np.array([5, 1, 30])
    assert np.array_equal(rows.take(numbers), rows.matrix[numbers])
    assert np.array_equal(rows.take(slice(3, 9)), rows.matrix[3:9])
    assert rows.X.shape == X.shape


def test_a_sample_has_rows_of_every_class(device):
    X, y = classes_in_plane()
    rows = rows_there(device, X, y)
    drawn = rows.sample(5, np.random.RandomState(0))
    assert np.diff(drawn.class_start).tolist() == [5] * 4
    for c in range(4):
        own = {row.tobytes() for row in rows.matrix[rows.of_class(c)]}
        assert {row.tobytes() for row in drawn.take(drawn.of_class(c))} <= own
