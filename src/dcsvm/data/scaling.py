"""Standardisation of the features, once for all machines or inside every machine.

The statistics of a set of classes follow from those of each class (moments.py), so that a pair
costs no pass over its rows:

    sd = √(S / (W − 1))

The divisor W − 1 is that of R's `scale`, which e1071 applies to every pair. A feature
that does not vary is centred and otherwise left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm._util.batches import NUMBERS_AT_ONCE, slices
from dcsvm.data.moments import ClassMoments, class_moments
from dcsvm.data.pairs import class_pairs
from dcsvm.data.rows import TrainingRows
from dcsvm.data.some_pairs import SomePairs

Floats = NDArray[np.float64]

# Features whose size is outside these bounds are divided by it, so that no square of them
# overflows or vanishes in single precision.
LEAST_SIZE, LARGEST_SIZE = 1e-6, 1e6
# Squares of rows that are so many times as large as most overflow in double precision.
MOST_APART = 1e100


@dataclass(frozen=True)
class Standardisation:
    """(x − centre) · inverse_scale, by one row of both per machine, or one for all machines."""

    centre: Floats
    inverse_scale: Floats

    def apply(self, X: Any, row: int = 0) -> Any:
        """Standardise the rows of X by one row of `centre` and `inverse_scale`; dtype as X."""
        scale = self.inverse_scale[row].astype(X.dtype)
        if sparse.issparse(X) and self.centre[row].any():
            X = X.toarray()
        if sparse.issparse(X):
            scaled = X.copy()
            scaled.data *= scale[X.indices]
            return scaled
        return (X - self.centre[row].astype(X.dtype)) * scale

    def of_columns(self, columns: NDArray[np.int64]) -> Standardisation:
        """That of some features alone."""
        return Standardisation(self.centre[:, columns], self.inverse_scale[:, columns])

    def after_division_by(self, unit: float) -> Standardisation:
        """The same for rows that are not yet divided by `unit`."""
        return Standardisation(self.centre * unit, self.inverse_scale / unit)


def division_by(unit: float, n_features: int) -> Standardisation:
    """Division of all features by one number."""
    return Standardisation(np.zeros((1, n_features)), np.full((1, n_features), 1.0 / unit))


def unit_of(X: Any) -> float:
    """A power of two near the size of the rows of X, or 1 where that is an ordinary one.

    Division by a power of two is exact. The size is that of most rows, the median of their largest
    entries, so that a few enormous rows leave it alone; unless squares of the largest would still
    overflow.
    """
    entries = X.data if sparse.issparse(X) else X
    largest = max(float(np.max(entries, initial=0.0)), -float(np.min(entries, initial=0.0)))
    if not 0 < largest < np.inf:
        return 1.0
    # The size is at least largest / √n: mostly, the squares need not be summed.
    if LEAST_SIZE <= largest / np.sqrt(entries.size) <= largest <= LARGEST_SIZE:
        return 1.0
    typical = float(np.median(_largest_of_rows(X) / largest)) * largest  # no sum overflows
    if largest > MOST_APART * typical:
        return power_of_two(mean_size(entries, largest), X.dtype)
    return power_of_two(typical, X.dtype)


def _largest_of_rows(X: Any) -> Floats:
    """The size of the largest entry of each row that has any."""
    if sparse.issparse(X):
        filled = np.flatnonzero(np.diff(X.indptr))
        return np.asarray(np.maximum.reduceat(np.abs(X.data), X.indptr[filled]), np.float64)
    largest = np.maximum(X.max(axis=1), -X.min(axis=1)).astype(np.float64)
    return np.asarray(largest[largest > 0])


def mean_size(entries: Any, largest: float) -> float:
    """The root of the mean square of entries, the largest of which has this size."""
    squares = sum(
        float(np.square(entries[part].astype(np.float64) / largest).sum())
        for part in slices(len(entries), max(1, NUMBERS_AT_ONCE * len(entries) // entries.size))
    )
    return float(largest * np.sqrt(squares / entries.size))


def power_of_two(size: float, dtype: Any) -> float:
    """A power of two near a size, or 1 where that is an ordinary one."""
    if LEAST_SIZE <= size <= LARGEST_SIZE:
        return 1.0
    # The type holds both this power of two and its inverse.
    most = np.finfo(dtype).maxexp - 2
    return float(2.0 ** np.clip(np.frexp(size)[1], -most, most))


def pair_standardisation(
    rows: TrainingRows, some_pairs: SomePairs | None = None
) -> Standardisation:
    """Standardise over the two classes of each machine, for all pairs or some."""
    pairs = class_pairs(rows.n_classes) if some_pairs is None else some_pairs.of_machine
    return standardisation_of(class_moments(rows), pairs, rows.X)


def global_standardisation(rows: TrainingRows) -> Standardisation:
    """Standardise over all classes together."""
    return standardisation_of(class_moments(rows), every_class(rows.n_classes), rows.X)


def every_class(n_classes: int) -> NDArray[Any]:
    """The one group of all classes."""
    return np.arange(n_classes)[np.newaxis]


def standardisation_of(moments: ClassMoments, groups: NDArray[Any], X: Any) -> Standardisation:
    """Standardise over each group of classes: a row of `groups` lists the classes of one.

    Of X only its kind matters.
    """
    class_weight, class_mean, class_spread = moments
    centre = np.empty((len(groups), class_mean.shape[1]))
    inverse_scale = np.empty_like(centre)
    for g, classes in enumerate(groups):
        weight = class_weight[classes]
        total = weight.sum() or 1.0  # where no row of these classes counts
        centre[g] = weight @ class_mean[classes] / total
        deviation = class_mean[classes] - centre[g]
        spread = class_spread[classes].sum(axis=0) + weight @ deviation**2
        # W − 1 would be too small, or negative, for weights that sum to less than 2.
        variance = spread / max(total - 1.0, total / 2.0)
        rounding = (np.finfo(X.dtype).eps * np.abs(centre[g])) ** 2
        varies = variance > 100.0 * rounding
        inverse_scale[g] = 1.0 / np.sqrt(np.where(varies, variance, 1.0))
    if sparse.issparse(X):
        centre[:] = 0.0  # needless for the kernels allowed here, see TRANSLATION_INVARIANT
    return Standardisation(centre, inverse_scale)
