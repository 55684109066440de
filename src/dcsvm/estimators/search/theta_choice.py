"""θ of the best point: nothing is trained for it, as all values share the machines of the folds.

Accuracy alone would always favour the smallest θ. Chosen is the cheapest that scores at most
`tolerance` below the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from dcsvm.estimators.theta_search import THETAS

# The mean cost of so many rows is close enough to that of all.
ROWS_TO_COUNT = 500

Score = Callable[[Any, Any, Any], float]


def thetas_tried(thetas: Any) -> list[float]:
    """The values of θ: those given, rising, or those that `DCSVC(theta="auto")` tries, falling."""
    if thetas is None or isinstance(thetas, str):
        return list(THETAS)
    found = sorted({float(theta) for theta in thetas})
    if not found or found[0] < 0 or found[-1] >= 0.5:
        raise ValueError(f"thetas must be numbers in [0, 0.5); got {thetas!r}.")
    return found


def theta_results(
    classifiers: Sequence[Any],
    tests: Sequence[tuple[Any, Any, NDArray[np.float64] | None]],
    thetas: Sequence[float],
    score: Callable[..., float],
) -> dict[str, NDArray[np.float64]]:
    """Score and cost of each θ, means over the folds, each with its classifier and test rows."""
    found = np.full((len(thetas), len(classifiers), 3), np.nan)
    for f, (classifier, (X, y, weight)) in enumerate(zip(classifiers, tests, strict=True)):
        few = _safe_indexing(X, np.arange(min(ROWS_TO_COUNT, X.shape[0])))
        for t, theta in enumerate(thetas):
            other = classifier.rethreshold(theta=theta)
            cost = other.decision_cost(few)
            found[t, f, 0] = score(other, X, y, weight)
            found[t, f, 1] = np.mean(cost.decisions)
            found[t, f, 2] = np.mean(cost.kernel_evaluations)
    mean = found.mean(axis=1)
    names = ("mean_test_score", "mean_decisions", "mean_kernel_evaluations")
    columns = dict(zip(names, mean.T, strict=True))
    return {"theta": np.array(thetas, dtype=np.float64), **columns}


def cheapest(results: dict[str, NDArray[np.float64]], tolerance: float) -> float:
    """The θ with the fewest kernel evaluations of those that score well enough."""
    score, cost = results["mean_test_score"], results["mean_kernel_evaluations"]
    is_good = score >= np.nanmax(score) - tolerance
    return float(results["theta"][np.argmin(np.where(is_good, cost, np.inf))])
