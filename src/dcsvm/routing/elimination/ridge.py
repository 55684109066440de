"""Ridge regression on class indicators, with the scores of every row when it is left out.

For centred features Z, targets Y (1 for the class of a row, −1 for the others) and a penalty λ,
the scores are F = Z W + ȳ with W = (ZᵀZ + λ)⁻¹ Zᵀ(Y − ȳ), and without row r they would be

    f_r − (y_r − f_r) h_r / (1 − h_r),    h_r = z_rᵀ (ZᵀZ + λ)⁻¹ z_r + 1 / n.

Rows of weight w count w times.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.data.scaling import mean_size, power_of_two

# Multiples of the mean eigenvalue of ZᵀZ that are tried as λ.
PENALTIES = (1e-7, 1e-5, 1e-3, 1e-1)


class RidgeScores(NamedTuple):
    """Weights, and how they do on rows they have not seen."""

    weights: NDArray[np.float64]  # (n_classes, n_features)
    intercept: NDArray[np.float64]
    left_out: NDArray[np.float64]  # (n_checked, n_classes): scores of a row when it is left out


def ridge_scores(
    Z: NDArray[np.float64],
    codes: NDArray[np.int64],
    weight: NDArray[np.float64],
    n_classes: int,
    checked: NDArray[np.int64],
) -> RidgeScores:
    """Fit with the penalty under which most rows, left out, score highest at their own class.

    That is looked at for the rows `checked`; all are fitted to.
    """
    largest = float(np.abs(Z).max(initial=0.0))
    unit = power_of_two(mean_size(Z, largest), Z.dtype) if largest > 0 else 1.0
    if unit != 1.0:
        fitted = ridge_scores(Z / unit, codes, weight, n_classes, checked)
        return fitted._replace(weights=fitted.weights / unit)
    share = weight / weight.sum()
    mean = share @ Z
    Z = Z - mean
    eigenvalues, axes = np.linalg.eigh((Z * share[:, np.newaxis]).T @ Z)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    # Zᵀ(Y − ȳ): the rows of Z sum to nothing, so that only those of the class count, twice.
    of_class = sparse.csr_matrix((share, (codes, np.arange(len(Z)))), (n_classes, len(Z)))
    onto = axes.T @ (2 * (of_class @ Z).T)
    base = 2 * np.bincount(codes, weights=share, minlength=n_classes) - 1
    along = Z[checked] @ axes
    squared = along**2
    targets = np.full((len(checked), n_classes), -1.0)
    targets[np.arange(len(checked)), codes[checked]] = 1.0
    best, best_right = None, -1.0
    floor = np.finfo(np.float64).tiny
    for penalty in PENALTIES:
        inverse = 1.0 / np.maximum(eigenvalues + penalty * eigenvalues.mean(), floor)
        own = share[checked] * (squared @ inverse + 1.0)
        scores = along @ (inverse[:, np.newaxis] * onto) + base
        left_out = scores - (targets - scores) * (own / np.maximum(1.0 - own, 1e-6))[:, np.newaxis]
        right = float(weight[checked] @ (left_out.argmax(axis=1) == codes[checked]))
        if right > best_right:
            weights = (axes @ (inverse[:, np.newaxis] * onto)).T
            best = RidgeScores(weights, base - weights @ mean, left_out)
            best_right = right
    assert best is not None
    return best
