"""What machines make of the rows of each class: who is sent where, and by which values."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray


class ValueStatistics(NamedTuple):
    """How all machines see some rows; but for the signs, shape (n_parts, n_machines)."""

    to_i: NDArray[np.float64]  # weight of the rows
    to_j: NDArray[np.float64]
    low: NDArray[np.float32]  # of the values
    high: NDArray[np.float32]
    sum: NDArray[np.float64]
    squares: NDArray[np.float64]
    signs: NDArray[np.uint8] | None  # bit r % 8 of signs[m, r // 8]: machine m sends row r to i

    @classmethod
    def empty(cls, n_parts: int, n_machines: int, signs: NDArray[np.uint8] | None) -> Self:
        """The statistics of no rows."""
        shape = (n_parts, n_machines)
        return cls(
            np.zeros(shape),
            np.zeros(shape),
            np.full(shape, np.inf, dtype=np.float32),
            np.full(shape, -np.inf, dtype=np.float32),
            np.zeros(shape),
            np.zeros(shape),
            signs,
        )

    def plus(self, other: Self) -> Self:
        """The statistics of the rows of both."""
        return type(self)(
            self.to_i + other.to_i,
            self.to_j + other.to_j,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.sum + other.sum,
            self.squares + other.squares,
            None,
        )


class ClassEntries(NamedTuple):
    """What the table has of some classes."""

    counts: NDArray[Any]  # (n_classes, n_machines, 2): weight sent to i and to j
    low: NDArray[np.float16]  # these (n_classes, n_machines): of the values
    high: NDArray[np.float16]
    spread: NDArray[np.float16]

    def of(self, classes: slice) -> Self:
        """Those of some of the classes."""
        return type(self)(*(part[classes] for part in self))

    def write(self, c: int, seen: ValueStatistics, part: int, n_rows: int) -> None:
        """Write what has been seen of all rows of class c."""
        self.counts[c, :, 0] = seen.to_i[part]
        self.counts[c, :, 1] = seen.to_j[part]
        variance = (seen.squares[part] - seen.sum[part] ** 2 / n_rows) / max(n_rows - 1, 1)
        with np.errstate(over="ignore"):  # beyond half precision is infinite, and never reached
            self.low[c] = seen.low[part]
            self.high[c] = seen.high[part]
            self.spread[c] = np.sqrt(np.maximum(variance, 0.0))

    def write_all(self, seen: ValueStatistics, edges: NDArray[np.int64]) -> None:
        """Write what has been seen of all rows of each class, those of class c in part c."""
        for c, n_rows in enumerate(np.diff(edges).tolist()):
            self.write(c, seen, c, n_rows)


class KeptValues(NamedTuple):
    """Values of some machines at some rows, kept while all rows are observed."""

    machine: NDArray[np.int64]  # in order, as the rows
    rows: NDArray[np.int64]
    values: NDArray[np.float64]  # (n_machines, n_rows)

    @classmethod
    def of(cls, machine: NDArray[np.int64], rows: NDArray[np.int64]) -> Self:
        """Room for the values of these machines at these rows."""
        return cls(machine, rows, np.empty((len(machine), len(rows))))

    def columns(self, n_machines: int) -> NDArray[np.int32]:
        """Where the values of each machine go, or -1."""
        return _numbered(self.machine, 0, n_machines).astype(np.int32)

    def places(self, rows: slice) -> NDArray[np.int64]:
        """Where the values of each of these rows go, or -1."""
        return _numbered(self.rows, rows.start, rows.stop)


def _numbered(chosen: NDArray[np.int64], begin: int, end: int) -> NDArray[np.int64]:
    """For the numbers from begin to end the place of each among those chosen, or -1."""
    first, last = np.searchsorted(chosen, [begin, end])
    places = np.full(end - begin, -1, dtype=np.int64)
    places[chosen[first:last] - begin] = np.arange(first, last)
    return places


class KeptPart(NamedTuple):
    """What is kept of the values of some rows."""

    column: NDArray[np.int32]  # of each machine, or -1
    place: NDArray[np.int64]  # of each row, or -1
    values: NDArray[np.float64]

    def keep(self, values: NDArray[np.floating[Any]]) -> None:
        """Keep of values of shape (n_rows, n_machines) those that are wanted."""
        rows, machines = np.flatnonzero(self.place >= 0), np.flatnonzero(self.column >= 0)
        to = np.ix_(self.column[machines], self.place[rows])
        self.values[to] = values[np.ix_(rows, machines)].T


def value_statistics(
    values: NDArray[np.floating[Any]],
    weight: NDArray[np.float64],
    edges: NDArray[np.int64],
    keep_signs: bool,
) -> ValueStatistics:
    """Describe values of shape (n_rows, n_machines)."""
    to_i = values > 0
    signs = np.packbits(to_i.T, axis=1, bitorder="little") if keep_signs else None
    seen = ValueStatistics.empty(len(edges) - 1, values.shape[1], signs)
    for part, (begin, end) in enumerate(itertools.pairwise(edges)):
        rows = slice(begin, end)
        # Each side is summed by itself, so that a side without rows is exactly zero.
        seen.to_i[part] = weight[rows] @ to_i[rows]
        seen.to_j[part] = weight[rows] @ ~to_i[rows]
        seen.low[part] = values[rows].min(axis=0, initial=np.inf)
        seen.high[part] = values[rows].max(axis=0, initial=-np.inf)
        seen.sum[part] = values[rows].sum(axis=0, dtype=np.float64)
        seen.squares[part] = np.square(values[rows], dtype=np.float64).sum(axis=0)
    return seen


class SignBlock(NamedTuple):
    """What `ValueStatistics.signs` says of some rows."""

    n_rows: int
    signs: NDArray[np.uint8]
