"""Scores of prototypes, against plain loops and scikit-learn."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.covariance import empirical_covariance
from sklearn.neighbors import NearestCentroid

from dcsvm.data.rows import canonical_rows
from dcsvm.routing.elimination.calibration import Calibration
from dcsvm.routing.elimination.prototypes import _groups, axes_of, class_scores, group, mapped

K = 9


def training_rows(weighted=False, n_features=5):
    rng = np.random.default_rng(0)
    y = rng.permutation(np.concatenate([np.arange(K), rng.integers(0, K - 1, 140)]))
    X = rng.normal(size=(K, n_features))[y] * 2 + rng.normal(size=(len(y), n_features)) + 50
    weight = rng.integers(1, 4, len(y)) / 2 if weighted else np.ones(len(y))
    return canonical_rows(X, y.astype(np.int64), weight, K)


def squared_distances(Z, prototypes):
    return np.array([[min(((z - p) ** 2).sum() for p in of_class) for of_class in prototypes]
                     for z in Z])  # fmt: skip


def shortlist_of(rows, n_groups):
    axes = axes_of(rows)
    grouped = group(rows, axes, mapped(rows.X, *axes), n_groups)
    nothing = Calibration(np.zeros(1), np.ones(1))
    return grouped, grouped.shortlist(nothing, 1.0, np.inf)


@pytest.mark.parametrize("n_groups", [1, 4, 64])
def test_the_score_is_the_distance_to_the_nearest_prototype(n_groups):
    rows = training_rows()
    grouped, shortlist = shortlist_of(rows, n_groups)
    X = np.random.default_rng(1).normal(size=(30, 5)) + 50
    Z = ((X - rows.X.mean(axis=0)) @ shortlist.directions).astype(np.float32)
    expected = (Z**2).sum(axis=1, keepdims=True) - squared_distances(Z, grouped.prototypes)
    for query in (X, sparse.csr_array(X)):
        scores = shortlist.scores(query, None)
        np.testing.assert_allclose(scores[:, :K], expected / 2, atol=1e-3)
        assert (scores[:, K:] == -np.inf).all()
    assert shortlist.prototypes.shape[1] == shortlist.n_classes == K


def test_one_prototype_is_the_nearest_centroid_where_classes_vary_alike_in_all_directions():
    rows = training_rows()
    _, shortlist = shortlist_of(rows, 1)
    codes = rows.codes(np.arange(rows.n_rows))
    means = np.stack([rows.X[codes == c].mean(axis=0) for c in range(K)])
    inside = shortlist.directions.T @ empirical_covariance(rows.X - means[codes])
    np.testing.assert_allclose(np.diag(inside @ shortlist.directions), 1.0, atol=0.35)
    nearest = NearestCentroid().fit(rows.X @ shortlist.directions, codes)
    X = np.random.default_rng(1).normal(size=(200, 5)) * 2 + 50
    expected = nearest.predict(X @ shortlist.directions)
    assert (shortlist.scores(X, None).argmax(axis=1) == expected).all()


@pytest.mark.parametrize("n_groups", [1, 3, 64])
@pytest.mark.parametrize("weighted", [False, True])
def test_own_scores_are_those_of_groups_without_the_row(n_groups, weighted):
    rows = training_rows(weighted)
    grouped, _ = shortlist_of(rows, n_groups)
    codes = rows.codes(np.arange(rows.n_rows))
    for r in range(0, rows.n_rows, 7):
        members = np.flatnonzero(codes == codes[r])
        Z, weight = grouped.Z[members].astype(np.float64), rows.weight[members]
        prototypes = grouped.prototypes[codes[r]]
        near = _groups(grouped.Z[members], weight, n_groups)
        others = members != r
        means = [
            np.average(Z[others & (near == g)], axis=0, weights=weight[others & (near == g)])
            for g in range(len(prototypes))
            if (others & (near == g)).any()
        ]
        z = grouped.Z[r].astype(np.float64)
        expected = (z @ z - min((((z - m) ** 2).sum() for m in means), default=np.inf)) / 2
        np.testing.assert_allclose(grouped.own_score[r], expected, rtol=1e-4, atol=2e-3)
    assert np.isneginf(grouped.own_score[codes == K - 1]).all(), "its class has one row"


def test_many_features_are_projected_and_distances_stay():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 20)
    X = rng.normal(size=(4, 900))[y] + rng.normal(size=(80, 900))
    for given in (X, sparse.csr_array(X)):
        rows = canonical_rows(given, y, np.ones(80), 4)
        grouped, shortlist = shortlist_of(rows, 1)
        assert grouped.Z.shape == (80, 256)
        assert (shortlist.scores(given, None).argmax(axis=1) == y).all()
        scale = X.std(axis=0).mean()
        far = ((X[:10, None] - X[10:20]) ** 2).sum(axis=2) / scale**2
        Z = mapped(X, shortlist.directions, shortlist.offset)
        near = ((Z[:10, None] - Z[10:20]) ** 2).sum(axis=2)
        np.testing.assert_allclose(near / far, (near / far).mean(), rtol=0.4)


def test_features_that_never_change_are_no_obstacle():
    rows = training_rows()
    X = np.hstack([rows.X, np.full((rows.n_rows, 2), 7.0)])
    codes = rows.codes(np.arange(rows.n_rows))
    rows = canonical_rows(X, codes, np.ones(len(X)), K)
    grouped, shortlist = shortlist_of(rows, 4)
    assert np.isfinite(shortlist.directions).all()
    flat = class_scores(grouped.Z, grouped.padded_prototypes)
    np.testing.assert_array_equal(shortlist.scores(X[:0], None)[:, :K], flat[:0])
    one_each = canonical_rows(X[:K], np.arange(K), np.ones(K), K)
    assert np.isfinite(axes_of(one_each).directions).all()
