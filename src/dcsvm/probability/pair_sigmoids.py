"""From the value v of a machine to the probability σ(a v + b) of the first of its two classes.

Platt's sigmoids, with a and b of every machine drawn towards common ones, as a machine alone has
few rows: minimised is, over the rows of its two classes,

    −Σ w log σ(s (a v + b)) + κ/2 (a/a₀ − 1)² + λ/2 b²,      s = 1 for the first class, else −1,

where a₀ is the best common a. Rows must not have been trained on.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

Floats = NDArray[np.float64]

# κ and λ: what so many rows say.
WEIGHT_OF_SLOPE, WEIGHT_OF_OFFSET = 5.0, 3.0
# A slope is at least this part of the common one: it never turns a machine round.
LEAST_PART = 0.02
# Bounds of the common slope, which rows that are all on their side would make infinite.
LEAST_SLOPE, MOST_SLOPE = 1e-3, 50.0
MOST_STEPS, MOST_HALVINGS = 12, 5
ENOUGH = 1e-4


class PairSigmoids(NamedTuple):
    """a and b of every machine."""

    slope: Floats
    offset: Floats

    def logits(self, machine: NDArray[np.int32], values: Floats) -> Floats:
        """a v + b."""
        return np.asarray(self.slope[machine] * values + self.offset[machine])


class PairRows(NamedTuple):
    """Values of machines at rows of their own classes."""

    machine: NDArray[np.int64]
    value: Floats
    sign: Floats  # 1: the row is of the first class, −1: of the second
    weight: Floats


def fit_pair_sigmoids(rows: PairRows, n_machines: int) -> PairSigmoids:
    """Fit by Newton's method, all machines side by side."""
    common = common_slope(rows)
    slope, offset = np.full(n_machines, common), np.zeros(n_machines)
    m, x, s, w = rows
    total = np.bincount(m, w, minlength=n_machines)

    def of_machines(numbers: Floats) -> Floats:
        return np.bincount(m, numbers, minlength=n_machines).astype(np.float64)

    def objective(a: Floats, b: Floats) -> Floats:
        loss = of_machines(-w * log_expit(s * (a[m] * x + b[m])))
        shrinking = WEIGHT_OF_SLOPE * (a / common - 1) ** 2 + WEIGHT_OF_OFFSET * b**2
        return np.asarray(loss + shrinking / 2)

    reached = objective(slope, offset)
    for _ in range(MOST_STEPS):
        wrong = expit(-s * (slope[m] * x + offset[m]))
        pull, curve = -w * wrong * s, w * wrong * (1 - wrong)
        to_slope = of_machines(pull * x) + WEIGHT_OF_SLOPE * (slope / common - 1) / common
        to_offset = of_machines(pull) + WEIGHT_OF_OFFSET * offset
        aa = of_machines(curve * x * x) + WEIGHT_OF_SLOPE / common**2
        ab, bb = of_machines(curve * x), of_machines(curve) + WEIGHT_OF_OFFSET
        determinant = aa * bb - ab**2
        step_slope = (ab * to_offset - bb * to_slope) / determinant
        step_offset = (ab * to_slope - aa * to_offset) / determinant
        length = np.ones(n_machines)
        for _ in range(MOST_HALVINGS):
            new_slope = np.maximum(slope + length * step_slope, LEAST_PART * common)
            new_offset = offset + length * step_offset
            new = objective(new_slope, new_offset)
            worse = ~(new <= reached)
            if not worse.any():
                break
            length = np.where(worse, length / 2, length)
        gain = np.where(worse, 0.0, reached - new)
        slope = np.where(worse, slope, new_slope)
        offset = np.where(worse, offset, new_offset)
        reached = reached - gain
        if gain.max(initial=0.0) <= ENOUGH * (1 + total.max(initial=0.0) * 1e-3):
            break
    return PairSigmoids(slope, offset)


def common_slope(rows: PairRows) -> float:
    """The slope that is best for all machines together, without offsets."""
    margin = rows.sign * rows.value
    slope = 1.0
    for _ in range(4 * MOST_STEPS):
        wrong = expit(-slope * margin)
        pull = float((rows.weight * wrong * margin).sum())
        curve = float((rows.weight * wrong * (1 - wrong) * margin**2).sum())
        if pull == 0.0:
            return slope
        # A step at most doubles or halves the slope.
        step = pull / curve if curve > 0 else math.copysign(slope, pull)
        new = min(max(slope + step, slope / 2, LEAST_SLOPE), slope * 2, MOST_SLOPE)
        if abs(new - slope) <= ENOUGH * slope:
            return new
        slope = new
    return slope
