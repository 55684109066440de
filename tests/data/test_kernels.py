"""Kernel parameters against what they are defined to be."""

import numpy as np
import pytest
from scipy import sparse

from dcsvm.data import moments
from dcsvm.data.kernels import Kernel, resolve_kernel
from dcsvm.data.moments import variance
from dcsvm.data.rows import TrainingRows, rows_in_place

ONES = np.ones(50)


def gamma_of(gamma, X, weight=ONES):
    rows = rows_in_place(X, np.arange(50) % 3, weight, 3)
    rows = TrainingRows(X[rows.place], rows.weight, rows.class_start)
    return resolve_kernel("rbf", gamma, 3, 0.0, X.shape[1], variance(rows)).gamma


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("block", [2**20, 35])
def test_scale_counts_a_row_of_weight_w_w_times(dtype, container, block, monkeypatch):
    monkeypatch.setattr(moments, "NUMBERS_AT_ONCE", block)
    rng = np.random.default_rng(0)
    X = (rng.normal(3.0, 2.0, (50, 7)) * (rng.random((50, 7)) < 0.7)).astype(dtype)
    weight = rng.integers(1, 4, 50)
    repeated = np.repeat(X.astype(np.float64), weight, axis=0)
    found = gamma_of("scale", container(X), weight.astype(float))
    # SciPy adds the entries of a sparse row in their own precision.
    exact = dtype is np.float64 or container is np.asarray
    assert found == pytest.approx(1 / (7 * repeated.var()), rel=1e-12 if exact else 1e-7)


def test_gamma_by_other_rules():
    X = np.arange(100.0).reshape(50, 2)
    assert gamma_of("auto", X) == 0.5
    assert gamma_of(0.3, X) == 0.3
    assert gamma_of("scale", np.full((50, 2), 7.0)) == 1.0  # without variance, as in SVC


def test_variance_of_large_numbers_that_differ_little():
    X = 1e9 + np.arange(50.0).reshape(50, 1)
    assert gamma_of("scale", X) == pytest.approx(1 / np.arange(50.0).var(), rel=1e-9)


def test_parameters_become_numbers():
    poly = resolve_kernel("poly", 1, np.int64(2), np.float32(0.5), 50, 1.0)
    assert poly == Kernel("poly", 1.0, 2, 0.5)
    assert [type(v) for v in (poly.gamma, poly.degree, poly.coef0)] == [float, int, float]
    assert poly.is_built_in
    assert not resolve_kernel("precomputed", "scale", 3, 0.0, 50, 1.0).is_built_in
    assert resolve_kernel(min, "scale", 3, 0.0, 50, 1.0) == Kernel("callable", function=min)


@pytest.mark.parametrize("container", [list, np.asarray, sparse.csr_array])
def test_values_of_a_function_are_made_an_array(container):
    X, S = np.eye(3, dtype=np.float32), np.ones((2, 3))
    kernel = Kernel("callable", function=lambda A, B: container(A @ B.T))
    values = kernel.gram(X, S)
    assert values.dtype == np.float64
    assert values.tolist() == [[1.0, 1.0]] * 3
    with pytest.raises(ValueError, match=r"shape \(3, 2\) for X .* returned shape \(2, 3\)"):
        Kernel("callable", function=lambda A, B: (A @ B.T).T).gram(X, S)
