"""Canonical training rows."""

import numpy as np
import pytest
from scipy import sparse

from dcsvm.data.rows import canonical_rows, rows_in_place


def as_dense(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_equal_rows_of_a_class_become_one_with_their_weight(container, dtype):
    X = np.array([[1, 2], [0, 3], [1, 2], [1, 2], [0, 3], [-0.0, 3]], dtype=dtype)
    y = np.array([1, 0, 1, 0, 0, 0])
    rows = canonical_rows(container(X), y, np.array([1.0, 2, 4, 8, 16, 32]), 2)
    found = {
        (c, *as_dense(rows.X)[r].tolist()): rows.weight[r]
        for c in range(2)
        for r in range(rows.n_rows)[rows.of_class(c)]
    }
    assert found == {(0, 0.0, 3.0): 50.0, (0, 1.0, 2.0): 8.0, (1, 1.0, 2.0): 5.0}
    assert rows.X.dtype == dtype
    assert rows.of_pair(0, 1).tolist() == [0, 1, 2]


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_the_order_of_the_rows_does_not_matter(container):
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (200, 3)).astype(float)
    y, weight = rng.integers(0, 4, 200), rng.integers(1, 5, 200).astype(float)
    reference = canonical_rows(container(X), y, weight, 4)
    assert reference.n_rows == len(np.unique(np.column_stack([y, X]), axis=0))
    for _ in range(3):
        order = rng.permutation(200)
        other = canonical_rows(container(X[order]), y[order], weight[order], 4)
        assert (as_dense(other.X) == as_dense(reference.X)).all()
        assert (other.weight == reference.weight).all()
        assert (other.class_start == reference.class_start).all()


def test_rows_in_place_keep_their_places():
    X = np.arange(12.0).reshape(6, 2)
    y = np.array([1, 0, 1, 0, 0, 1])
    weight = np.array([1.0, 2, 0, 4, 5, 6])
    rows = rows_in_place(X, y, weight, 2)
    assert rows.place.tolist() == [1, 3, 4, 0, 5]
    assert rows.weight.tolist() == [2, 4, 5, 1, 6]
    assert rows.class_start.tolist() == [0, 3, 5]
    assert (rows.query(1, 4) == X[[3, 4, 0]]).all()
