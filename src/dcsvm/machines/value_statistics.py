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
