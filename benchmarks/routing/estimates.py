"""Estimates of the range in which a further value of a class is plausible.

Each takes the values of all machines at the n training rows of a class, sorted along the rows,
shape (n, n_machines), and θ; it gives the lowest and the highest plausible value of each machine.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm, t

from dcsvm._core import HIGHEST_LEVEL
from dcsvm.routing.plausibility import Levels, padded, plausible_range


def _deviation(values):
    return values.std(axis=0, ddof=1) if len(values) > 1 else np.full(values.shape[1], np.inf)


def normal(values, theta):
    """Mean ± z deviations."""
    reach = norm.ppf(1 - theta / 2) * _deviation(values)
    return values.mean(axis=0) - reach, values.mean(axis=0) + reach


def student(values, theta):
    """Mean ± t deviations, both estimated from n values that are assumed normal."""
    n = len(values)
    reach = t.ppf(1 - theta / 2, max(n - 1, 1)) * np.sqrt(1 + 1 / n) * _deviation(values)
    return values.mean(axis=0) - reach, values.mean(axis=0) + reach


def conformal(values, theta):
    """Order statistics at ⌈(n + 1)(1 − θ/2)⌉ from either end; infinite where n is too small."""
    n = len(values)
    place = int(np.ceil((n + 1) * (1 - theta / 2) - 1e-9))
    if place > n:
        nothing = np.full(values.shape[1], np.inf)
        return -nothing, nothing
    return values[n - place], values[place - 1]


def widened(values, theta):
    """The observed range, widened by z minus the expected maximum of n normals, in deviations."""
    n = len(values)
    reached = norm.ppf((n - 0.375) / (n + 0.25))
    reach = max(0.0, norm.ppf(1 - theta / 2) - reached) * _deviation(values)
    return values[0] - reach, values[-1] + reach


BY_CLASS = {
    "normal": normal,
    "Student": student,
    "conformal": conformal,
    "widened": widened,
}
CHOSEN = "chosen"


def ranges(estimate, table, values_by_class, theta):
    """Lowest and highest plausible value, shape (n_machines, n_classes) each."""
    if estimate == CHOSEN:
        return plausible_range(table.values, theta)
    bounds = [BY_CLASS[estimate](values, theta) for values in values_by_class]
    low, high = (np.stack(of_classes, axis=1) for of_classes in zip(*bounds, strict=True))
    return low, high


def levels_of(low, high, table):
    """The levels that elimination uses, as `margin_levels` makes them, from any ranges."""
    n_machines, k = low.shape
    first = table.values.low.astype(np.float64).min(axis=1)
    last = table.values.high.astype(np.float64).max(axis=1)
    scale = (HIGHEST_LEVEL - 1) / np.where(last > first, last - first, 1.0)
    width = padded(k)
    at = [
        np.full((n_machines, width), HIGHEST_LEVEL, dtype=np.uint8),
        np.zeros((n_machines, width), dtype=np.uint8),
    ]
    for bound, level in zip((low, high), at, strict=True):
        x = (bound - first[:, np.newaxis]) * scale[:, np.newaxis]
        level[:, :k] = np.ceil(np.clip(x, 0, HIGHEST_LEVEL))
    machines = np.arange(n_machines)
    for own in table.pairs.T:  # the sign decides between them
        at[0][machines, own], at[1][machines, own] = 0, HIGHEST_LEVEL
    return Levels(k, first, scale, *at)
