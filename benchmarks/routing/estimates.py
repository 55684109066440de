"""Estimates of the range in which a further value of a class is plausible.

The first kind takes the values of all machines at the n training rows of a class, sorted along the
rows, shape (n, n_machines), and θ; it gives the lowest and the highest plausible value of each
machine. The second kind is the observed range, widened by w deviations as in
routing/plausibility.py; they differ in w.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm, t

from dcsvm._core import HIGHEST_LEVEL
from dcsvm.routing.plausibility import POOLED_ROWS, Levels, padded, plausible_range
from dcsvm.table.prediction_table import Tail


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


BY_CLASS = {"normal": normal, "Student": student, "conformal": conformal}


def as_tail(reach):
    """A law of reaches, a function of θ, in the form in which the library keeps its own."""
    shares = 10.0 ** -np.arange(0.1, 8, 0.05)
    return Tail(shares, np.array([reach(share) for share in shares]), 0.0)


def with_law(values):
    """Without left-out rows: Student's law."""
    return values._replace(tail=None)


def with_factor(values):
    """The same, times the factor that is right for the left-out rows at θ = 1 %."""
    n = float(np.median(values.n_rows))

    def reach(theta):
        return t.ppf(1 - theta / 2, n - 1 + POOLED_ROWS) * np.sqrt(1 + 1 / n)

    factor = values.tail.beyond(FACTOR_AT) / reach(FACTOR_AT)
    return values._replace(tail=as_tail(lambda theta: factor * reach(theta)))


def with_heavy_tail(values):
    """Student's law of four degrees of freedom, with variance one."""
    return values._replace(tail=as_tail(lambda theta: t.ppf(1 - theta / 2, 4) / np.sqrt(2)))


FACTOR_AT = 0.01
WIDENED = {
    "law": with_law,
    "law × factor": with_factor,
    "heavy tail": with_heavy_tail,
    "left out": lambda values: values,
}


def ranges(estimate, table, values_by_class, theta):
    """Lowest and highest plausible value, shape (n_machines, n_classes) each."""
    if estimate in WIDENED:
        return plausible_range(WIDENED[estimate](table.values), theta)
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
