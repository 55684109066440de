"""Scores for machines of any kind."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, make_classification
from sklearn.metrics.pairwise import rbf_kernel

from dcsvm.data.rows import rows_in_place
from dcsvm.routing.elimination.of_features import feature_shortlist
from dcsvm.routing.elimination.rounds import within_gap


def rows_of(X, y):
    return rows_in_place(X, y, np.ones(len(y)), int(y.max()) + 1)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


@pytest.mark.parametrize("form", ["dense", "sparse", "kernel", "wide"])
def test_the_right_class_is_kept_but_for_theta(digits, form):
    X, y = digits
    asked, X = X[900:], X[:900]
    if form == "kernel":
        asked, X = rbf_kernel(asked, X, 1e-3), rbf_kernel(X, X, 1e-3)
    if form == "sparse":
        asked, X = sparse.csr_array(asked), sparse.csr_array(X)
    if form == "wide":
        more = sparse.random(len(y), 600, 0.01, "csr", random_state=0)
        wide = sparse.hstack([digits[0], more], format="csr")
        asked, X = wide[900:], wide[:900]
    shortlist = feature_shortlist(rows_of(X, y[:900]), 0.02, form == "kernel").at(0.02)
    candidates = within_gap(shortlist.scores(asked, None)[:, :10], shortlist.gap)
    right = candidates[np.arange(897), y[900:]].mean()
    assert 0.95 < right < 1
    # The features that make it wide are noise.
    assert candidates.sum(axis=1).mean() < (9 if form == "wide" else 3)
    assert 0.5 < shortlist.accuracy < 1
    assert shortlist.name == ("256 columns" if form == "kernel" else "256 landmarks")


def test_dense_and_sparse_rows_score_alike_and_missing_numbers_count_as_the_mean(digits):
    X, y = digits
    X, y = X[:300], y[:300]
    dense = feature_shortlist(rows_of(X, y), 0.01, False)
    thin = feature_shortlist(rows_of(sparse.csr_array(X), y), 0.01, False)
    np.testing.assert_allclose(
        dense.scores(X, None), thin.scores(sparse.csr_array(X), None), atol=1e-4
    )
    gaps, means = X[:50].copy(), X[:50].copy()
    gaps[:, 20:25], means[:, 20:25] = np.nan, X[:, 20:25].mean(axis=0)
    np.testing.assert_allclose(dense.scores(gaps, None), dense.scores(means, None), atol=1e-4)


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_the_unit_of_the_features_does_not_matter(digits, unit):
    X, y = digits
    X, y = X[:300], y[:300]
    one, other = (feature_shortlist(rows_of(X * u, y), 0.01, False) for u in (1.0, unit))
    np.testing.assert_allclose(one.scores(X, None), other.scores(X * unit, None), atol=1e-3)


def test_what_leaves_the_fewest_candidates_is_taken():
    X, y = make_classification(
        600, 100, n_informative=60, n_redundant=0, n_classes=5, n_clusters_per_class=1,
        class_sep=3.0, random_state=0,
    )  # fmt: skip
    assert feature_shortlist(rows_of(X, y), 0.01, False).name in ("linear", "256 landmarks")
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(900, 9))
    y = np.argmax([Z[:, 0] * Z[:, 1], Z[:, 2] * Z[:, 3], Z[:, 4] * Z[:, 5]], axis=0)
    assert feature_shortlist(rows_of(Z, y), 0.01, False).name == "quadratic"
    assert feature_shortlist(rows_of(X, np.arange(600) % 2), 0.01, False) is None
