"""Figures beside the accuracy: its interval, other averages, and what needs no features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dcsvm.report.rows import UNLABELLED

# 95 of 100 such intervals hold the accuracy on all rows that could be drawn.
SURE = 0.95


def scores(truth: NDArray[np.int64], predicted: NDArray[np.int64]) -> dict[str, Any] | None:
    """The figures of the rows with a known class; None if there are none."""
    known = truth != UNLABELLED
    truth, predicted = truth[known], predicted[known]
    if len(truth) == 0:
        return None
    k = int(max(truth.max(), predicted.max())) + 1
    of_class = np.bincount(truth, minlength=k)
    said = np.bincount(predicted, minlength=k)
    right = np.bincount(truth[truth == predicted], minlength=k)
    there, named = of_class > 0, of_class + said > 0
    return {
        "n": len(truth),
        "interval": wilson(int(right.sum()), len(truth)),
        "balanced": float((right[there] / of_class[there]).mean()),
        "macro_f1": float((2 * right[named] / (of_class + said)[named]).mean()),
        "largest": int(of_class.argmax()),
        "baseline": float(of_class.max() / len(truth)),
    }


def wilson(n_right: int, n: int) -> list[float]:
    """Wilson's interval of a share: E. B. Wilson, JASA 22 (1927), 209-212."""
    z = float(ndtri(0.5 + SURE / 2))
    share = n_right / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return [max(0.0, float(centre - half)), min(1.0, float(centre + half))]


def only_one_right(
    truth: NDArray[np.int64], ours: NDArray[np.int64], theirs: NDArray[np.int64]
) -> list[int]:
    """Rows that only the first predicts correctly, and that only the second does."""
    known = truth != UNLABELLED
    ours, theirs = ours == truth, theirs == truth
    return [int((ours & ~theirs & known).sum()), int((theirs & ~ours & known).sum())]
