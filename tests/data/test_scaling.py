"""Standardisation against R's e1071, scikit-learn's StandardScaler, and itself on sparse rows."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.data.rows import canonical_rows
from dcsvm.data.scaling import (
    division_by,
    global_standardisation,
    pair_standardisation,
    unit_of,
)


def all_values(clf, X):
    return clf.machines_.all_values(clf.machines_.prepare(X), 0, X.shape[0])


def test_pair_scaling_gives_the_decision_values_of_e1071():
    X, y = load_iris(return_X_y=True)
    clf = OneVsOneSVC(C=2, gamma=0.3, scaling="pair", tol=1e-5).fit(X, y)
    reference = np.array(json.loads((Path(__file__).parent / "e1071_iris.json").read_text()))
    np.testing.assert_allclose(all_values(clf, X), reference.T, atol=1e-4)


def test_global_scaling_is_a_scaler_before_the_classifier():
    X, y = load_wine(return_X_y=True)
    n = len(X)
    # StandardScaler divides by n where R, and so we, divide by n − 1.
    gamma = 0.05
    piped = make_pipeline(StandardScaler(), SVC(gamma=gamma * (n - 1) / n, tol=1e-6)).fit(X, y)
    clf = OneVsOneSVC(scaling="global", gamma=gamma, tol=1e-6).fit(X, y)
    assert (clf.predict(X) == piped.predict(X)).all()
    two = y < 2
    piped.fit(X[two], y[two])
    m = two.sum()
    clf.set_params(gamma=gamma).fit(X[two], y[two])
    piped.set_params(svc__gamma=gamma * (m - 1) / m).fit(X[two], y[two])
    np.testing.assert_allclose(
        clf.decision_function(X), piped.decision_function(X), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("make", [pair_standardisation, global_standardisation])
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_of_each_group(make, weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(1000.0, rng.uniform(0.1, 50, 5), (60, 5))
    X[:, 3] = 0.1  # constant
    y = rng.integers(0, 4, 60)
    weight = rng.integers(1, 4, 60).astype(float) if weighted else np.ones(60)
    scaling = make(canonical_rows(X, y, weight, 4))
    groups = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    for row, group in enumerate(groups if make is pair_standardisation else [[0, 1, 2, 3]]):
        at = np.isin(y, group)
        repeated = np.repeat(X[at], weight[at].astype(int), axis=0)
        sd = repeated.std(axis=0, ddof=1)
        sd[3] = 1.0
        np.testing.assert_allclose(scaling.centre[row], repeated.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(scaling.inverse_scale[row], 1 / sd, rtol=1e-9)


@pytest.mark.parametrize("scaling", ["global", "pair"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_sparse_rows_are_scaled_as_dense_ones(scaling, kernel):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 6)) * rng.uniform(0.1, 10, 6) * (rng.random((90, 6)) < 0.6)
    y = rng.integers(0, 3, 90)
    dense = DCSVC(kernel=kernel, scaling=scaling, tol=1e-7).fit(X, y)
    thin = DCSVC(kernel=kernel, scaling=scaling, tol=1e-7).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(
        all_values(thin, sparse.csr_array(X)), all_values(dense, X), atol=1e-4
    )


@pytest.mark.parametrize("kernel", ["poly", "sigmoid", lambda X, Y: X @ Y.T])
def test_scaling_that_would_fill_a_sparse_matrix_is_refused(kernel):
    X = sparse.random(20, 4, density=0.5, random_state=0, format="csr")
    with pytest.raises(ValueError, match=r"centring would fill a sparse matrix.*toarray"):
        DCSVC(kernel=kernel, scaling="pair").fit(X, np.arange(20) % 3)


def test_weights_that_hardly_sum_to_a_row():
    X, y = load_iris(return_X_y=True)
    clf = DCSVC(scaling="pair", C=1e5).fit(X, y, sample_weight=np.full(len(y), 1e-3))
    assert clf.score(X, y) > 0.95


def test_a_feature_constant_within_a_pair_does_no_harm():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, y == 2])  # constant for the pair (0, 1)
    clf = DCSVC(scaling="pair").fit(X, y)
    assert clf.score(X, y) == 1.0
    assert np.isfinite(all_values(clf, X)).all()


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_a_few_enormous_rows_leave_the_unit_alone(container):
    X = np.random.default_rng(0).normal(size=(50, 3))
    X[:3] = 0
    usual = unit_of(container(1e10 * X))
    for size in (1e15, 1e30, 1e100):
        mixed = 1e10 * X
        mixed[7] = size
        assert unit_of(container(mixed)) == usual
    mixed[7] = 1e200  # whose square is too large
    assert unit_of(container(mixed)) > 1e190 > usual > 1e9


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_unit_is_the_size_of_unusual_entries(container, dtype):
    X = np.random.default_rng(0).normal(size=(50, 3)).astype(dtype)
    assert unit_of(container(X)) == unit_of(container(1e4 * X)) == unit_of(0 * X) == 1.0
    for factor in (1e-30, 1e-10, 1e10, 1e30, float(np.finfo(dtype).max / 10)):
        large = container((X * dtype(factor)).astype(dtype))
        unit = unit_of(large)
        assert np.frexp(unit)[0] == 0.5
        assert 0.5 <= np.median(np.abs(X * (factor / unit)).max(axis=1)) <= 1.0
        assert unit_of(division_by(unit, 3).apply(large)) == 1.0
