"""The classes that may be right for a row, and the values of the machines between them.

The first of these is the class that was predicted. Where all machines can be evaluated in about the
time of a prediction, the others are those that lose least, added up over all their machines.
Elsewhere they are those with the highest scores of a shortlist, or without one those that lose
least to the class predicted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.threads import even_slices, run_short
from dcsvm.data.pairs import class_pairs
from dcsvm.data.some_pairs import NO_MACHINE

# Up to so many classes all machines are evaluated, which share their kernel values.
MOST_CLASSES_FOR_ALL = 32
# Classes compared at a row where all machines are evaluated, and elsewhere.
MOST_RIVALS, MOST_RIVALS_BY_SCORE = 12, 8

Codes = NDArray[np.int64]
# Scores of all classes for the rows of X.
Scores = Callable[[Any], NDArray[np.floating[Any]]]


class Contests(NamedTuple):
    """The classes compared at each row, and their machines.

    Machines are those of the pairs of places (0, 1), (0, 2), …; values are positive for the lower
    class of a pair.
    """

    classes: Codes  # (n, m): the class predicted comes first
    machine: NDArray[np.int32]  # (n, m(m−1)/2), or NO_MACHINE
    values: NDArray[np.float64]  # the same shape; zero where there is no machine

    @property
    def first_is_lower(self) -> NDArray[np.bool_]:
        """Of each pair of places, whether the class at the first one is the lower."""
        a, b = class_pairs(self.classes.shape[1]).T
        return np.asarray(self.classes[:, a] < self.classes[:, b])


def contests(
    machines: Any, X: Any, winner: Codes, scores: Scores | None, n_jobs: int | None
) -> Contests:
    """The contests of the rows of X, for which the classes `winner` are predicted."""
    k = int(machines.n_classes)
    has_all_pairs = getattr(machines, "some_pairs", None) is None
    held_all = has_all_pairs and k <= MOST_CLASSES_FOR_ALL

    def of_rows(rows: slice) -> Contests:
        query = machines.prepare(X[rows])
        n = rows.stop - rows.start
        if held_all:
            values = np.ascontiguousarray(machines.all_values(query, 0, n), dtype=np.float64)
            return _among_all(values, winner[rows], k)
        if scores is not None:
            rivals = first_and_best(winner[rows], scores(X[rows]), MOST_RIVALS_BY_SCORE)
        else:
            leads = _leads_over(machines, query, winner[rows], k)
            rivals = first_and_best(winner[rows], leads, MOST_RIVALS_BY_SCORE)
        return _of_rivals(machines, query, rivals)

    at_once = min(int(machines.rows_per_call), 1 + 2**22 // (k * k if held_all else k))
    parts = run_short(of_rows, even_slices(X.shape[0], at_once, n_jobs), n_jobs)
    if not parts:
        m = min(k, MOST_RIVALS if held_all else MOST_RIVALS_BY_SCORE)
        empty = np.empty((0, m * (m - 1) // 2))
        return Contests(np.empty((0, m), dtype=np.int64), empty.astype(np.int32), empty)
    return Contests(*map(np.concatenate, zip(*parts, strict=True)))


def first_and_best(winner: Codes, scores: NDArray[np.floating[Any]], most: int) -> Codes:
    """The class predicted, and then those of the highest scores, the lower class of equals."""
    keys = -np.nan_to_num(np.asarray(scores, dtype=np.float64), nan=-np.inf)
    keys[np.arange(len(winner)), winner] = -np.inf
    return np.argsort(keys, axis=1, kind="stable")[:, :most]


def _among_all(values: NDArray[np.float64], winner: Codes, k: int) -> Contests:
    """The contests, from the values of all machines."""
    classes = first_and_best(winner, -losses(values, k), MOST_RIVALS)
    machine = _machines_between(classes, lambda i, j: i * k - i * (i + 1) // 2 + j - i - 1)
    return Contests(classes, machine, np.take_along_axis(values, machine, axis=1))


def losses(values: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """What each class loses, added up over its machines; shape (n, k)."""
    i, j = class_pairs(k).T
    lost = np.zeros((len(values), k))
    of_first, of_second = np.minimum(values, 0.0), np.maximum(values, 0.0)
    for c in range(k):
        lost[:, c] = _row_sums(of_second[:, j == c]) - _row_sums(of_first[:, i == c])
    return lost


def _row_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums along rows, in an order that does not depend on how many rows there are."""
    return np.asarray(np.ascontiguousarray(values).sum(axis=1))


def _machines_between(classes: Codes, machine_of: Callable[[Any, Any], Any]) -> NDArray[np.int32]:
    a, b = class_pairs(classes.shape[1]).T
    first, second = classes[:, a], classes[:, b]
    found = machine_of(np.minimum(first, second), np.maximum(first, second))
    return np.asarray(found, dtype=np.int32)


def _of_rivals(machines: Any, query: Any, classes: Codes) -> Contests:
    """The contests among chosen classes."""
    machine = _machines_between(classes, machines.machine_of)
    row, pair = np.nonzero(machine != NO_MACHINE)
    values = np.zeros(machine.shape)
    values[row, pair] = machines.values(query, row, machine[row, pair], 1)
    return Contests(classes, machine, values)


def _leads_over(machines: Any, query: Any, winner: Codes, k: int) -> NDArray[np.float64]:
    """The value for each class on its machine with the class predicted."""
    row = np.repeat(np.arange(len(winner)), k)
    other, own = np.tile(np.arange(k), len(winner)), winner[row]
    pair = other != own
    row, other, own = row[pair], other[pair], own[pair]
    machine = np.asarray(machines.machine_of(np.minimum(other, own), np.maximum(other, own)))
    leads = np.full((len(winner), k), -np.inf)
    has = machine != NO_MACHINE
    row, other, own, machine = row[has], other[has], own[has], machine[has].astype(np.int32)
    values = machines.values(query, row, machine, 1)
    leads[row, other] = np.where(other < own, values, -values)
    return leads
