"""Sums and moments over the rows of each class, from which those of all rows follow.

What describes all training rows is added up class by class, in the order of the classes. So it is
the same to the last bit whether the classes lie on one computer or on several. No sum is left to
BLAS, which adds up in another order with another number of threads.

The moments of several classes follow from those of each (Chan, Golub and LeVeque, 1979):

    W = Σ W_c,   mean = Σ W_c mean_c / W,   S = Σ (S_c + W_c (mean_c − mean)²).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm._util.batches import NUMBERS_AT_ONCE, slices
from dcsvm.data.rows import TrainingRows

Floats = NDArray[np.float64]


class ClassMoments(NamedTuple):
    """Moments of the features, class by class."""

    weight: Floats
    mean: Floats  # (n_classes, n_features)
    spread: Floats  # the weighted sum of squared deviations

    @classmethod
    def joined(cls, parts: Iterable[ClassMoments]) -> ClassMoments:
        """Those of some classes, and of the next ones."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))


class EntryMoments(NamedTuple):
    """Moments of all entries together, class by class; a row of weight w counts w times."""

    weight: Floats
    mean: Floats
    spread: Floats

    @classmethod
    def joined(cls, parts: Iterable[EntryMoments]) -> EntryMoments:
        """Those of some classes, and of the next ones."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def variance(self, n_features: int) -> float:
        """The variance of all entries of all classes."""
        total = self.weight.sum()
        mean = (self.weight * self.mean).sum() / total
        spread = self.spread.sum() / n_features
        return float((spread + (self.weight * (self.mean - mean) ** 2).sum()) / total)


def class_moments(rows: TrainingRows) -> ClassMoments:
    """Weight, mean and spread of every feature in each class."""
    shape = (rows.n_classes, rows.X.shape[1])
    weight, mean, spread = np.empty(shape[0]), np.empty(shape), np.empty(shape)
    for c in range(rows.n_classes):
        w, X = rows.weight[rows.of_class(c)], rows.X[rows.of_class(c)].astype(np.float64)
        weight[c] = w.sum()
        total = weight[c] or 1.0  # where no row counts
        if sparse.issparse(X):
            mean[c] = X.T @ w / total
            spread[c] = _sparse_spread(X, w, mean[c])
        else:
            mean[c] = np.einsum("rd,r->d", X, w) / total
            spread[c] = np.einsum("rd,r->d", (X - mean[c]) ** 2, w)
    return ClassMoments(weight, mean, spread)


def _sparse_spread(X: Any, w: Floats, mean: Floats) -> Floats:
    """Weighted sums over the stored entries, and over the zeros in the rest of each column."""
    stored, deviation = X.copy(), X.copy()
    stored.data[:] = 1.0
    deviation.data = (X.data - mean[X.indices]) ** 2
    return np.asarray(deviation.T @ w + (w.sum() - stored.T @ w) * mean**2)


def variance(rows: TrainingRows) -> float:
    """The variance of all entries of X, a row of weight w counting w times."""
    X, weight = rows.X, rows.weight
    if not sparse.issparse(X):
        return entry_moments(rows).variance(X.shape[1])
    # No vector of all columns, of which there may be millions.
    n_entries = float(weight.sum()) * X.shape[1]
    entries, of_row = X.data.astype(np.float64), np.repeat(weight, np.diff(X.indptr))
    return float(of_row @ entries**2 / n_entries - (of_row @ entries / n_entries) ** 2)


def entry_moments(rows: TrainingRows) -> EntryMoments:
    """Weight, mean and spread of the entries of dense rows in each class."""
    n_features = rows.X.shape[1]
    weight = of_classes(rows.weight, rows.class_start)
    sums = of_classes(rows.weight * rows.X.sum(axis=1, dtype=np.float64), rows.class_start)
    mean = sums / (weight * n_features)
    of_row = np.repeat(mean, np.diff(rows.class_start))
    squares = np.empty(rows.n_rows)
    for part in slices(rows.n_rows, max(1, NUMBERS_AT_ONCE // n_features)):
        deviation = rows.X[part].astype(np.float64) - of_row[part, np.newaxis]
        squares[part] = np.einsum("rd,rd->r", deviation, deviation)
    return EntryMoments(weight, mean, of_classes(rows.weight * squares, rows.class_start))


def of_classes(numbers: Floats, class_start: NDArray[np.int64]) -> Floats:
    """The sum of a number of each row, class by class."""
    return np.add.reduceat(numbers, class_start[:-1])


def feature_sums(rows: TrainingRows) -> Iterable[Floats]:
    """The sum of every feature, class after class."""
    for c in range(rows.n_classes):
        yield rows.X[rows.of_class(c)].sum(axis=0, dtype=np.float64)
