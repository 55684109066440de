"""Columns in which no support vector has an entry are left out, and no value changes."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC
from tests.oracles import machine_values

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.machines.columns import WIDE, ChosenColumns, occurring_columns

KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "coef0": 1.0},
    "rbf": {"kernel": "rbf"},
    "sigmoid": {"kernel": "sigmoid"},
}


def texts(n=60, d=2**20, filled=20, seed=0):
    """Rows with entries in a few of many columns."""
    rng = np.random.default_rng(seed)
    at = np.concatenate([rng.choice(d, filled, replace=False) for _ in range(n)])
    entries = rng.normal(size=n * filled), at, np.arange(n + 1) * filled
    X = sparse.csr_matrix(entries, shape=(n, d))
    X.sort_indices()
    return X, np.arange(n) % 3


def asked_of(X):
    """Rows with entries in columns that occur, in others, in both, and in none."""
    others, _ = texts(d=X.shape[1], seed=1)
    half = sparse.csr_matrix((1, X.shape[1]))
    return sparse.vstack([X[:10], others[:10], 0.5 * X[10:20] + others[10:20], half]).tocsr()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scaling", [None, "global", "pair"])
def test_values_are_those_of_all_columns(kernel, scaling):
    if scaling is not None and kernel in ("poly", "sigmoid"):
        pytest.skip("needs centring")
    X, y = texts(d=2 * WIDE, filled=5)
    vote = OneVsOneSVC(**KERNELS[kernel], scaling=scaling).fit(X, y)
    machines, asked = vote.machines_, asked_of(X)
    assert machines.columns is not None
    assert machines.query_width(X) < WIDE
    values = machines.all_values(machines.prepare(asked), 0, asked.shape[0])
    np.testing.assert_allclose(values, machine_values(machines, asked), atol=1e-5)
    dense = machines.all_values(machines.prepare(asked.toarray()), 0, asked.shape[0])
    np.testing.assert_array_equal(values, dense)
    one = vote.from_machines(vote).predict(asked)
    np.testing.assert_array_equal(vote.predict(asked.toarray()), one)


@pytest.mark.parametrize("kernel", KERNELS)
def test_labels_of_wide_rows_are_those_of_svc_in_little_memory(kernel):
    X, y = texts()
    asked = asked_of(X)
    svc = SVC(**KERNELS[kernel]).fit(X, y)
    tracemalloc.start()
    try:
        clf = DCSVC(**KERNELS[kernel]).fit(X, y)
        labels = clf.predict(asked)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    related = np.r_[:10, 20:30]  # at the others all machines have values near zero
    np.testing.assert_array_equal(labels[related], svc.predict(asked)[related])
    one_by_one = [clf.predictor_.predict(asked[[r]])[0] for r in range(5)]
    np.testing.assert_array_equal(one_by_one, labels[:5])
    assert most < 60e6  # a dense copy has 500 MB


def test_few_columns_and_filled_ones_are_kept():
    X, _ = texts(d=2 * WIDE, filled=5)
    assert occurring_columns(X.toarray()) is None
    assert occurring_columns(X[:, : WIDE - 1]) is None
    assert occurring_columns(sparse.csr_matrix(np.ones((2, 2 * WIDE)))) is None
    np.testing.assert_array_equal(occurring_columns(X), np.unique(X.indices))


def test_the_norm_of_what_is_left_out_neither_overflows_nor_vanishes():
    X, y = texts(d=2 * WIDE, filled=5)
    columns = ChosenColumns.of(OneVsOneSVC().fit(X, y).machines_)
    left_out = np.setdiff1d(np.arange(X.shape[1]), columns.columns)[:2]
    for size in (1e-200, 1.0, 1e200):
        row = np.zeros((2, X.shape[1]))
        row[0, left_out] = 3 * size, 4 * size
        made = columns.of_rows(row).toarray()
        assert made[0, -1] == pytest.approx(5 * size, rel=1e-14)
        assert not made[:, :-1].any()
        assert not made[1].any()
