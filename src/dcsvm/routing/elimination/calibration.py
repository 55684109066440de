"""The gap within which the right class scores: how a shortlist is cut.

Classes whose score is further below the highest than the gap are cut off. The gap is conformal:
it is calibrated on scores of rows that the model had not seen, so that the right class of a new
row is cut off with a chance of at most θ.

The cost of scores is counted in kernel evaluations of as many floating-point operations.
"""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.kernels import Kernel

# Operations of a kernel evaluation beside the multiplications and additions over the features.
OPERATIONS = {"linear": 0, "poly": 5, "rbf": 20, "sigmoid": 30}


def operations_of_kernel(kernel: Kernel, n_features: int) -> float:
    """Floating-point operations of one kernel evaluation."""
    return 2.0 * n_features + OPERATIONS.get(kernel.name, 0)


class Calibration(NamedTuple):
    """How far the right class of rows not seen in fitting was behind the best."""

    behind: NDArray[np.float64]  # increasing
    weight: NDArray[np.float64]

    def gap(self, theta: float) -> float:
        """The gap within which the right class lies of all rows but a share θ, or infinity."""
        needed = (self.weight.sum() + 1) * (1 - theta)
        place = int(np.searchsorted(np.cumsum(self.weight), needed - 1e-9))
        return float(self.behind[place]) if place < len(self.behind) else np.inf


def calibrate(
    scores: NDArray[np.floating[Any]], codes: NDArray[np.int64], weight: NDArray[np.float64]
) -> Calibration:
    """Calibrate on the scores of rows of these classes."""
    behind = scores.max(axis=1) - scores[np.arange(len(codes)), codes]
    order = np.argsort(behind)
    return Calibration(behind[order].astype(np.float64), weight[order])


class CalibratedShortlist:
    """What all shortlists here share: a gap that follows from θ."""

    calibration: Calibration
    accuracy: float
    cost: float
    gap: float = np.inf

    def at(self, theta: float) -> Self:
        """The same with another chance to cut the right class off."""
        other = copy(self)
        other.gap = self.calibration.gap(theta)
        return other


class Fitted(NamedTuple):
    """A shortlist, and its scores of the rows it was fitted to, each left out in turn."""

    shortlist: CalibratedShortlist
    rows: NDArray[np.int64]
    left_out: NDArray[np.float64]
