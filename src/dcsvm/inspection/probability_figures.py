"""How far probabilities and sets of classes can be trusted, counted on rows with known classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]

# The chances for which sets of classes are made.
CONFIDENCES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)


class Reliability(NamedTuple):
    """Probabilities in bins, from low to high; bins without rows are left out."""

    mean_probability: Floats
    share_right: Floats
    share_of_rows: Floats

    @property
    def error(self) -> float:
        """The expected calibration error: how far both are apart, over all rows."""
        apart = np.abs(self.mean_probability - self.share_right)
        return float(self.share_of_rows @ apart)


def reliability(
    probability: Floats,
    right: NDArray[np.bool_],
    weight: Floats,
    n_bins: int,
    strategy: Literal["uniform", "quantile"],
) -> Reliability:
    """Compare the probability of something with how often it was right."""
    at = np.linspace(0, 1, n_bins + 1)[1:-1]
    edges = np.quantile(probability, at) if strategy == "quantile" else at
    bins = np.searchsorted(edges, probability)
    of_bin = np.bincount(bins, weights=weight, minlength=n_bins)
    some = of_bin > 0
    said = np.bincount(bins, weights=weight * probability, minlength=n_bins)
    was_right = np.bincount(bins, weights=weight * right, minlength=n_bins)
    return Reliability(
        said[some] / of_bin[some], was_right[some] / of_bin[some], of_bin[some] / weight.sum()
    )


class Coverage(NamedTuple):
    """What sets of classes hold, for each confidence."""

    coverage: list[float]  # the share of rows whose set has the right class
    mean_size: list[float]


def coverage(
    classifier: Any,
    X: Any,
    codes: NDArray[np.int64],
    weight: Floats,
    confidences: Sequence[float],
    class_conditional: bool = False,
) -> Coverage:
    """Count the sets of a classifier; no set has a code that is no class of its own."""
    n, k = len(codes), len(classifier.classes_)
    known = np.flatnonzero((codes >= 0) & (codes < k))
    right = sparse.csr_array((np.ones(len(known)), (known, codes[known])), shape=(n, k))
    found = Coverage([], [])
    for confidence in confidences:
        sets = classifier.predict_set(X, confidence, class_conditional=class_conditional)
        sets = sparse.csr_array(sets, dtype=np.float64)
        covered = np.asarray(right.multiply(sets).sum(axis=1)).ravel()
        found.coverage.append(float(np.average(covered, weights=weight)))
        size = np.asarray(sets.sum(axis=1)).ravel()
        found.mean_size.append(float(np.average(size, weights=weight)))
    return found
