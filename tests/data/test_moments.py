"""Moments of classes against NumPy's own over all rows, and their bits in parts."""

import numpy as np
import pytest
from scipy import sparse

from dcsvm.data import moments
from dcsvm.data.moments import (
    ClassMoments,
    EntryMoments,
    class_moments,
    entry_moments,
    feature_sums,
    of_classes,
    variance,
)
from dcsvm.data.rows import TrainingRows, canonical_rows


def make_rows(dtype=np.float64, sizes=(40, 1, 30, 7)):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(100.0, 3.0, (len(y), 5)).astype(dtype)
    return canonical_rows(X, y, rng.integers(1, 4, len(y)).astype(float), len(sizes))


def of(rows, classes):
    part = slice(rows.class_start[classes.start], rows.class_start[classes.stop])
    start = rows.class_start[classes.start : classes.stop + 1]
    return TrainingRows(rows.X[part], rows.weight[part], start - start[0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("at_once", [2**20, 35])
def test_moments_are_those_of_repeated_rows(dtype, at_once, monkeypatch):
    monkeypatch.setattr(moments, "NUMBERS_AT_ONCE", at_once)
    rows = make_rows(dtype)
    by_class, entries = class_moments(rows), entry_moments(rows)
    for c in range(rows.n_classes):
        X = np.repeat(rows.X[rows.of_class(c)], rows.weight[rows.of_class(c)].astype(int), axis=0)
        X = X.astype(np.float64)
        np.testing.assert_allclose(by_class.mean[c], X.mean(axis=0), rtol=1e-13)
        np.testing.assert_allclose(by_class.spread[c], len(X) * X.var(axis=0), rtol=1e-9)
        assert by_class.weight[c] == entries.weight[c] == len(X)
        assert entries.spread[c] == pytest.approx(X.size * X.var(), rel=1e-9)
    everything = np.repeat(rows.X.astype(np.float64), rows.weight.astype(int), axis=0)
    assert variance(rows) == pytest.approx(everything.var(), rel=1e-12)
    assert variance(TrainingRows(sparse.csr_array(rows.X), rows.weight, rows.class_start)) == (
        pytest.approx(everything.var(), rel=1e-6 if dtype is np.float32 else 1e-10)
    )


def test_parts_have_the_same_bits_as_the_whole():
    rows = make_rows()
    parts = [of(rows, slice(0, 1)), of(rows, slice(1, 3)), of(rows, slice(3, 4))]
    for whole, joined in (
        (class_moments(rows), ClassMoments.joined(map(class_moments, parts))),
        (entry_moments(rows), EntryMoments.joined(map(entry_moments, parts))),
    ):
        for a, b in zip(whole, joined, strict=True):
            assert np.array_equal(a, b)
    assert EntryMoments.joined(map(entry_moments, parts)).variance(5) == variance(rows)
    sums = [s for part in parts for s in feature_sums(part)]
    assert np.array_equal(sums, list(feature_sums(rows)))
    np.testing.assert_allclose(sum(sums), rows.X.sum(axis=0), rtol=1e-13)


def test_sums_of_classes():
    assert of_classes(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 3])).tolist() == [1.0, 6.0]
