"""Which decision values of a machine are plausible for a class.

Let a class have n distinct training rows, with values on svm_ij from `low` to `high` and of
standard deviation s. A further value of the class is expected, but for a chance of θ, within

    [low − w s̃, high + w s̃],    w = Q(θ) − e_n.

The reach Q(θ) is measured on training rows left out, see left_out.py. Where there are too few of
them it is t_ν(1 − θ/2) √(1 + 1/n), the half-width, in standard deviations, of the prediction
interval for a new normal value when mean and deviation are estimates, and w is at least 0. e_n, the
expected maximum of n standard normal numbers, is how far the observed range reaches already. The
fewer rows, the more their range is widened. As the deviation of few values is itself uncertain,
s̃² mixes s² with the mean variance of the classes on that machine, as if that were known from
`POOLED_ROWS` further rows; ν counts both. Where w is negative the range is narrowed, by the smaller
of s and s̃.

Between i and j, on which svm_ij was trained, the sign alone decides.

To make comparisons cheap, the values of a machine are quantised to 256 levels, see
core/predict/elimination.hpp.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from dcsvm._core import HIGHEST_LEVEL, PANEL_WIDTH, Ranges
from dcsvm._core import Levels as CompiledLevels
from dcsvm._core import margin_levels as compiled_margin_levels
from dcsvm._core import pooled_variance as compiled_pooled_variance
from dcsvm._util.batches import slices
from dcsvm._util.threads import run_short
from dcsvm.data.pairs import class_pairs, machine_of, n_pairs
from dcsvm.machines.compiled import instruction_set
from dcsvm.routing.candidate_sets import unpack
from dcsvm.routing.sides import MACHINES_AT_ONCE, Sides
from dcsvm.table.prediction_table import PredictionTable, TableValues, Tail

POOLED_ROWS = 200


def padded(n_classes: int) -> int:
    """How many columns scores and levels of classes have: whole panels."""
    return -(-n_classes // PANEL_WIDTH) * PANEL_WIDTH


class Levels(NamedTuple):
    """Levels at which each class is plausible, by machine; columns padded to panels."""

    n_classes: int
    origin: NDArray[np.float64]
    scale: NDArray[np.float64]
    low: NDArray[np.uint8]  # (n_machines, padded n_classes)
    high: NDArray[np.uint8]

    def core(self) -> CompiledLevels:
        """The same, as the compiled engine takes it."""
        return CompiledLevels(**self._asdict())

    def machine_of(self, i: Any, j: Any) -> Any:
        """The machine of classes i < j, which may be arrays."""
        return machine_of(i, j, self.n_classes)

    def plausible(
        self, machine: NDArray[np.integer], values: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """The classes for which values[t] of machine[t] is plausible, its own two included."""
        with np.errstate(over="ignore"):  # where the sign alone counts, the scale is the largest
            x = (values - self.origin[machine]) * self.scale[machine]
        level = np.ceil(np.clip(np.nan_to_num(x), 0, HIGHEST_LEVEL))[:, np.newaxis]
        k = self.n_classes
        return np.asarray(
            (self.low[machine, :k] <= level) & (level <= self.high[machine, :k]), dtype=bool
        )


def expected_maximum(n: NDArray[np.integer]) -> NDArray[np.float64]:
    """e_n: that of n standard normal numbers, by Blom's approximation."""
    return np.asarray(ndtri((n - 0.375) / (n + 0.25)))


def deviation(variance: Any, freedom: Any, pooled: Any) -> Any:
    """s̃: that of values with some variance, known by so many rows but one, and the pooled one."""
    return np.sqrt((POOLED_ROWS * pooled + freedom * variance) / (POOLED_ROWS + freedom))


def pooled_variance(spread: NDArray[np.float16], n_rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """The mean variance of all classes on each machine, of deviations (n_machines, n_classes)."""
    freedom = (n_rows - 1).astype(np.float32)
    pooled = np.empty(len(spread), dtype=np.float32)
    compiled_pooled_variance(
        instruction_set=instruction_set(),
        spread=halves(spread),
        weight=freedom / np.float32(max(float(freedom.sum()), 1.0)),
        pooled=pooled,
    )
    return pooled


def halves(numbers: NDArray[np.float16]) -> NDArray[np.uint16]:
    """Numbers in half precision as the core takes them, class by class."""
    return np.ascontiguousarray(numbers.T, dtype=np.float16).view(np.uint16)


def ranges_of_values(values: TableValues) -> Callable[[float], Ranges]:
    """The ranges of `plausible_range` by θ, each computed when it is needed."""
    make = partial(
        Ranges,
        low=halves(values.low),
        high=halves(values.high),
        spread=halves(values.spread),
        pooled=pooled_variance(values.spread, values.n_rows),
        freedom=(values.n_rows - 1).astype(np.float32),
        pooled_rows=POOLED_ROWS,
    )

    def ranges(theta: float) -> Ranges:
        factor = widening(values.n_rows, theta, values.tail).astype(np.float32)
        if (values.n_rows == 1).all():  # nothing is known about deviations
            factor[:] = np.inf
        return make(widening=factor)

    return ranges


def widening(
    n_rows: NDArray[np.int64], theta: float, tail: Tail | None = None
) -> NDArray[np.float64]:
    """w: by how many deviations the range of n values is widened on either side."""
    if theta <= 0:
        return np.full(len(n_rows), np.inf)
    if tail is not None:
        return tail.beyond(theta) - expected_maximum(n_rows)
    freedom = np.maximum(n_rows - 1 + POOLED_ROWS, 1)
    reach = stdtrit(freedom, 1 - theta / 2) * np.sqrt(1 + 1 / n_rows)
    return np.asarray(np.maximum(0.0, reach - expected_maximum(n_rows)))


def plausible_range(
    values: TableValues, theta: float, machines: Any = slice(None)
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Lowest and highest plausible value of every class, shape (n_machines, n_classes) each."""
    low = np.ascontiguousarray(values.low[machines], dtype=np.float32)
    high = np.ascontiguousarray(values.high[machines], dtype=np.float32)
    variance = np.square(values.spread[machines], dtype=np.float32)
    freedom = (values.n_rows - 1).astype(np.float32)
    if freedom.sum() == 0:  # nothing is known about deviations
        return np.full_like(low, -np.inf), np.full_like(high, np.inf)
    pooled = pooled_variance(values.spread[machines], values.n_rows)[:, np.newaxis]
    factor = widening(values.n_rows, theta, values.tail).astype(np.float32)
    with np.errstate(invalid="ignore"):  # ∞ · 0
        deviations = deviation(variance, freedom, pooled)
        # What other classes do widens a range, and never narrows it.
        own = np.minimum(deviations, values.spread[machines])
        wider = factor * np.where(factor < 0, own, deviations)
        wider = np.nan_to_num(wider, copy=False, nan=np.inf, posinf=np.inf)
        # A narrower range does not turn round.
        wider = np.maximum(wider, (low - high) / 2, out=wider)
    return low - wider, high + wider


def margin_levels(table: PredictionTable, theta: float, n_jobs: int | None = None) -> Levels:
    """Levels by which the value of a machine decides, not only its sign.

    They span what has been seen; beyond lies the first or the last.
    """
    if table.values is None:
        raise ValueError("This table holds no decision values: use routing='sign'.")
    levels, ranges = _room(table.n_classes), ranges_of_values(table.values)(theta)

    def make(block: slice) -> None:
        compiled_margin_levels(
            instruction_set=instruction_set(),
            ranges=ranges,
            begin=block.start,
            end=block.stop,
            **{name: part for name, part in levels._asdict().items() if name != "n_classes"},
        )

    run_short(make, list(slices(len(levels.origin), MACHINES_AT_ONCE)), n_jobs)
    return _with_own_classes(levels)


def lenient(levels: Levels, table: PredictionTable) -> Levels:
    """The same, with room for values that differ from the ends of a range by rounding alone.

    That is one level on either side. For a class with a single row nothing is implausible.
    """
    low, high = levels.low[:, : levels.n_classes], levels.high[:, : levels.n_classes]
    low -= low > 0
    high += high < HIGHEST_LEVEL
    assert table.values is not None
    alone = table.values.n_rows == 1
    low[:, alone], high[:, alone] = 0, HIGHEST_LEVEL
    return levels


def sign_levels(sides: Sides) -> Levels:
    """Levels that know the sign alone: the paper's rule."""
    levels = _room(sides.n_classes)
    levels.origin[:] = 0.0
    levels.scale[:] = np.finfo(np.float64).max
    k = sides.n_classes
    for block in slices(len(levels.origin), MACHINES_AT_ONCE):
        levels.low[block, :k] = np.where(unpack(sides.to_j[block], k), 0, 1)
        levels.high[block, :k] = np.where(unpack(sides.to_i[block], k), HIGHEST_LEVEL, 0)
    return _with_own_classes(levels)


def _room(n_classes: int) -> Levels:
    width = padded(n_classes)
    machines = n_pairs(n_classes)
    return Levels(
        n_classes,
        np.empty(machines),
        np.empty(machines),
        np.full((machines, width), HIGHEST_LEVEL, dtype=np.uint8),
        np.zeros((machines, width), dtype=np.uint8),
    )


def _with_own_classes(levels: Levels) -> Levels:
    """i and j are plausible at every level of svm_ij: the sign decides between them."""
    machines = np.arange(len(levels.origin))
    for own in class_pairs(levels.n_classes).T:
        levels.low[machines, own] = 0
        levels.high[machines, own] = HIGHEST_LEVEL
    return levels
