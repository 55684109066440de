"""Rows kept of a stream."""

import numpy as np
import pytest
from scipy import sparse

from dcsvm.data.kept_rows import keep_rows


@pytest.mark.parametrize("as_sparse", [False, True])
def test_every_row_of_a_class_has_the_same_chance_to_be_kept(as_sparse):
    n, most, times = 40, 8, 2000
    random_state = np.random.RandomState(0)
    times_kept = np.zeros((2, n))
    X = np.arange(n, dtype=float)[:, np.newaxis] + 1
    codes = np.arange(n) % 2
    for _ in range(times if not as_sparse else 20):
        kept = None
        for begin, end in [(0, 3), (3, 4), (4, 30), (30, n)]:
            rows = X[begin:end]
            rows = sparse.csr_array(rows) if as_sparse else rows
            given = rows, codes[begin:end], np.ones(end - begin)
            kept = keep_rows(kept, *given, 2, most, random_state)
        values = kept.X.toarray()[:, 0] if as_sparse else kept.X[:, 0]
        assert len(np.unique(values)) == 2 * most
        assert (codes[values.astype(int) - 1] == kept.codes).all()
        assert kept.n_seen.tolist() == [20, 20]
        times_kept[kept.codes, values.astype(int) - 1] += 1
    if not as_sparse:
        share = times_kept[codes, np.arange(n)] / times
        # Four standard errors about most / 20.
        assert np.abs(share - 0.4).max() < 4 * np.sqrt(0.4 * 0.6 / times)


def test_rows_without_weight_do_not_count():
    X, codes = np.eye(4), np.array([0, 0, 1, 1])
    kept = keep_rows(None, X, codes, np.array([1.0, 0, 2, 3]), 3, 5, np.random.RandomState(0))
    assert kept.n_seen.tolist() == [1, 2, 0]
    assert kept.codes.tolist() == [0, 1, 1]
    assert kept.weight.tolist() == [1, 2, 3]
    assert (X[[0, 2, 3]] == kept.X).all()
