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
    """Fit by Newton's method, side by side the machines that still gain by it."""
    common = common_slope(rows)
    fit = PairSigmoids(np.full(n_machines, common), np.zeros(n_machines))
    enough = ENOUGH * (1 + 1e-3 * np.bincount(rows.machine, rows.weight, minlength=n_machines))
    going = np.ones(n_machines, dtype=bool)
    for _ in range(MOST_STEPS):
        fit, gain = _stepped(rows, fit, common, going)
        going &= gain > enough
        kept = going[rows.machine]
        if not kept.any():
            break
        m, x, s, w = rows
        rows = PairRows(m[kept], x[kept], s[kept], w[kept])
    return fit


def _stepped(
    rows: PairRows, fit: PairSigmoids, common: float, going: NDArray[np.bool_]
) -> tuple[PairSigmoids, Floats]:
    """A step of some machines, whose rows are given, and by how much it makes each loss less."""
    slope, offset = fit
    to_slope, to_offset = _newton_steps(rows, fit, common)
    to_slope, to_offset = np.where(going, to_slope, 0.0), np.where(going, to_offset, 0.0)
    reached = _losses(rows, fit, common)
    length = np.ones(len(slope))
    for _ in range(MOST_HALVINGS):
        new = PairSigmoids(
            np.maximum(slope + length * to_slope, LEAST_PART * common), offset + length * to_offset
        )
        found = _losses(rows, new, common)
        worse = ~(found <= reached)
        if not worse.any():
            break
        length = np.where(worse, length / 2, length)
    stepped = PairSigmoids(np.where(worse, slope, new.slope), np.where(worse, offset, new.offset))
    return stepped, np.where(worse, 0.0, reached - found)


def _losses(rows: PairRows, fit: PairSigmoids, common: float) -> Floats:
    """What is minimised, of every machine."""
    m, x, s, w = rows
    loss = np.bincount(
        m, -w * log_expit(s * (fit.slope[m] * x + fit.offset[m])), minlength=len(fit.slope)
    )
    shrinking = WEIGHT_OF_SLOPE * (fit.slope / common - 1) ** 2 + WEIGHT_OF_OFFSET * fit.offset**2
    return np.asarray(loss + shrinking / 2)


def _newton_steps(rows: PairRows, fit: PairSigmoids, common: float) -> tuple[Floats, Floats]:
    """Newton's steps of slope and offset, of every machine."""
    m, x, s, w = rows
    slope, offset = fit

    def of_machines(numbers: Floats) -> Floats:
        return np.bincount(m, numbers, minlength=len(slope)).astype(np.float64)

    wrong = expit(-s * (slope[m] * x + offset[m]))
    pull, curve = -w * wrong * s, w * wrong * (1 - wrong)
    by_slope = of_machines(pull * x) + WEIGHT_OF_SLOPE * (slope / common - 1) / common
    by_offset = of_machines(pull) + WEIGHT_OF_OFFSET * offset
    aa = of_machines(curve * x * x) + WEIGHT_OF_SLOPE / common**2
    ab, bb = of_machines(curve * x), of_machines(curve) + WEIGHT_OF_OFFSET
    determinant = aa * bb - ab**2
    return (
        np.asarray((ab * by_offset - bb * by_slope) / determinant),
        np.asarray((ab * by_slope - aa * by_offset) / determinant),
    )


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
