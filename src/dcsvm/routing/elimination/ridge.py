"""Ridge regression on class indicators, with the scores of every row when it is left out.

For centred features Z, targets Y (1 for the class of a row, −1 for the others) and a penalty λ,
the scores are F = Z W + ȳ with W = (ZᵀZ + λ)⁻¹ Zᵀ(Y − ȳ), and without row r they would be

    f_r − (y_r − f_r) h_r / (1 − h_r),    h_r = z_rᵀ (ZᵀZ + λ)⁻¹ z_r + 1 / n.

Rows of weight w count w times. The core does the arithmetic, as matrix products of NumPy would
start threads that nobody asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import Ridge
from dcsvm._util.threads import even_slices, run_short, threads_worth
from dcsvm.data.scaling import mean_size, power_of_two
from dcsvm.machines.compiled import instruction_set

# Multiples of the mean eigenvalue of ZᵀZ that are tried as λ.
PENALTIES = (1e-7, 1e-5, 1e-3, 1e-1)
# Rows on which they are compared, or up to twice as many.
ROWS_TO_COMPARE = 1024


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
    n_jobs: int | None = 1,
) -> RidgeScores:
    """Fit with the penalty under which most rows, left out, score highest at their own class.

    That is looked at for some of the rows `checked`, of which the scores are returned; all are
    fitted to.
    """
    largest = float(np.abs(Z).max(initial=0.0))
    unit = power_of_two(mean_size(Z, largest), Z.dtype) if largest > 0 else 1.0
    if unit != 1.0:
        fitted = ridge_scores(Z / unit, codes, weight, n_classes, checked, n_jobs)
        return fitted._replace(weights=fitted.weights / unit)
    n, d = Z.shape
    threads = threads_worth(n * d**2 / 2, n_jobs)
    ridge = Ridge(
        instruction_set=instruction_set(),
        Z=np.ascontiguousarray(Z),
        codes=codes,
        weight=weight,
        n_classes=n_classes,
    )
    run_short(ridge.add_products, range(Ridge.n_parts), threads)
    ridge.finish_products()

    def leave_out(rows: NDArray[np.int64]) -> tuple[float, NDArray[np.float64]]:
        scores = np.empty((len(rows), n_classes))
        parts = even_slices(len(rows), len(rows), threads)
        right = run_short(lambda t: ridge.leave_out(rows[t], scores[t]), parts, threads)
        return sum(right), scores

    compared = checked[:: max(1, len(checked) // ROWS_TO_COMPARE)]
    weights, intercept = np.empty((n_classes, d)), np.empty(n_classes)
    best, best_right = PENALTIES[0], -1.0
    for penalty in PENALTIES:
        ridge.solve(penalty)
        right, scores = leave_out(compared)
        if right > best_right:
            ridge.write(weights, intercept)
            best, best_right, left_out = penalty, right, scores
    if len(compared) < len(checked):
        if best != penalty:
            ridge.solve(best)
        left_out = leave_out(checked)[1]
    return RidgeScores(weights, intercept, left_out)
