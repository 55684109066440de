"""How far beyond its class a value of a row lies, measured on training rows left out.

A machine is not trained on the rows of a third class, so that a row of such a class tells where
further rows will lie: leave it out, and its value v lies, in units of the deviation s̃ that the
others have,

    max(v − high, low − v) / s̃

beyond their range. As n values reach about e_n deviations from their mean, this plus e_n is the
reach of v. The reaches of many rows on many machines are pooled: the share of them that is above
some reach is the chance of a further value to be beyond it. See plausibility.py for s̃ and e_n.

Rows differ more than machines do, so that a share of a few of the pooled values is not reliable.
Beyond `FEWEST_BEYOND` of them the tail is taken as exponential.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.pairs import class_pairs
from dcsvm.data.rows import TrainingRows
from dcsvm.machines.interface import PairValues
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.plausibility import deviation, expected_maximum
from dcsvm.table.prediction_table import TableValues, Tail

# Rows that are left out, and about how many pairs of a row and a machine are looked at.
MOST_ROWS = 2**13
PAIRS_TO_POOL = 2**19
# Fewer pooled values tell nothing.
FEWEST_POOLED = 64
# The pooled values from which the end of the tail is estimated, and those within which a share is
# read off.
OF_TAIL, FEWEST_BEYOND = 300, 30
# How many quantiles are kept for each factor of ten.
KEPT_PER_DECADE = 25


def left_out_tail(
    rows: TrainingRows, machines: PairValues, values: TableValues, n_jobs: int | None = None
) -> Tail | None:
    """The pooled reaches of rows left out, or None where there are too few."""
    k = rows.n_classes
    chosen = [_evenly(rows.of_class(c), max(2, MOST_ROWS // k)) for c in range(k)]
    n_rows = sum(map(len, chosen))
    pairs = class_pairs(k)
    machine = _evenly(slice(0, len(pairs)), max(1, PAIRS_TO_POOL // n_rows))
    variance = np.square(values.spread[machine], dtype=np.float64)
    pooled = []
    for c, of_class in enumerate(chosen):
        foreign = (pairs[machine] != c).all(axis=1)
        if len(of_class) < 2 or not foreign.any():
            continue
        seen = _values(machines, rows.take(of_class), machine[foreign], n_jobs)
        reach = _reaches(seen, variance[foreign], c, values.n_rows)
        pooled.append(reach[np.isfinite(reach)])
    every = np.concatenate(pooled) if pooled else np.empty(0)
    return None if len(every) < FEWEST_POOLED else _tail_of(every)


def _values(
    machines: PairValues, X: Any, machine: NDArray[np.int64], n_jobs: int | None
) -> NDArray[np.float64]:
    """The values of some machines at the rows of X, shape (n_rows, n_machines)."""
    query, n = machines.prepare(X), X.shape[0]
    if isinstance(machines, PairwiseMachines) and 2 * len(machine) > machines.n_machines:
        return machines.all_values(query, 0, n)[:, machine]
    by_machine = np.repeat(machine, n).astype(np.int32)
    row = np.tile(np.arange(n), len(machine))
    return machines.values(query, row, by_machine, n_jobs).reshape(len(machine), n).T


def _reaches(
    values: NDArray[np.float64],
    variance: NDArray[np.float64],
    c: int,
    n_rows: NDArray[np.int64],
) -> NDArray[np.float64]:
    """The reach of each of the values of class c, all others of the class being known."""
    n, every = len(values), np.arange(values.shape[1])
    beyond = np.maximum(values - values.max(axis=0), values.min(axis=0) - values)
    for sign in (1, -1):  # the highest, then the lowest
        signed = sign * values
        place = signed.argmax(axis=0)
        highest = signed[place, every]
        signed[place, every] = -np.inf
        second = signed.max(axis=0)
        beyond[place, every] = np.maximum(highest - second, beyond[place, every])
    from_mean = values - values.mean(axis=0)
    rest = np.square(from_mean).sum(axis=0) - np.square(from_mean) * n / (n - 1)
    own = np.maximum(rest, 0.0) / max(n - 2, 1)
    freedom = n_rows - 1
    others = np.delete(variance, c, axis=1) @ np.delete(freedom, c)
    known = freedom.sum() - freedom[c] + n - 2
    if known == 0:
        return np.empty(0)
    unit = deviation(own, n - 2, (others + (n - 2) * own) / known)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(beyond / unit + expected_maximum(np.array([n - 1])))


def _tail_of(reaches: NDArray[np.float64]) -> Tail:
    """Quantiles of the pooled reaches, and the mean excess at their end."""
    reaches = np.sort(reaches)
    n = len(reaches)
    decades = np.log10(n / FEWEST_BEYOND)
    shares = 10.0 ** -np.linspace(0, decades, 1 + int(KEPT_PER_DECADE * decades))
    end = reaches[-min(n, OF_TAIL) :]
    return Tail(shares, reaches[(n * (1 - shares)).astype(int)], float(end.mean() - end[0]))


def _evenly(part: slice, most: int) -> NDArray[np.int64]:
    """At most so many numbers of a range, evenly spaced."""
    n = part.stop - part.start
    return np.asarray(part.start + np.linspace(0, n - 1, min(most, n)).astype(np.int64))
