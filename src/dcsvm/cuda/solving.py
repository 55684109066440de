"""The solver of kernels.cu: many pairs of classes side by side, a block of threads for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.cuda.device import Device, suffix
from dcsvm.cuda.rows import LANES

# Rows of a pair for each thread, about, and how many threads a block may have.
ROWS_PER_THREAD, FEWEST_THREADS, MOST_THREADS = 6, 32, 1024
# After so many steps of a pair the host looks whether it is interrupted.
STEPS_AT_ONCE = 50_000
CONVERGED, STOPPED_AT_MAX_ITER, UNFINISHED, NOT_A_NUMBER = range(4)


class KernelBlocks(NamedTuple):
    """One kernel matrix of some classes: row `first_row[c]` of it is the first of class c."""

    matrix: Any
    first_row: NDArray[np.int64]

    def addresses(self, i: NDArray[Any], j: NDArray[Any]) -> NDArray[np.int64]:
        """Where the blocks (i, i), (i, j), (j, i) and (j, j) begin."""
        width, size, data = self.matrix.shape[1], self.matrix.dtype.itemsize, address(self.matrix)
        corners = [(a, b) for a in (i, j) for b in (i, j)]
        places = [self.first_row[a] * width + self.first_row[b] for a, b in corners]
        return np.asarray(data + size * np.stack(places, axis=1))


def address(array: Any) -> int:
    """Where an array begins, in the memory of the GPU."""
    return int(array.data.ptr if hasattr(array.data, "ptr") else array.ctypes.data)


def pair_table(matrix: Any, n_first: int, n_rows: int) -> NDArray[np.int64]:
    """What kernels.cu calls Pair, of one pair with a kernel matrix of its own."""
    size = matrix.dtype.itemsize
    corners = [a * n_rows + b for a in (0, n_first) for b in (0, n_first)]
    blocks = [address(matrix) + size * corner for corner in corners]
    numbers = [*blocks, *[n_rows] * 4, n_first, n_rows - n_first, 0, n_first, 0, 0]
    return np.array([numbers], dtype=np.int64)


def threads_for(n_rows: int) -> int:
    """Threads of a block that solves a problem of so many rows."""
    threads = 1 << int(np.ceil(np.log2(max(1, n_rows // ROWS_PER_THREAD))))
    return min(max(threads, FEWEST_THREADS), MOST_THREADS)


class Solved(NamedTuple):
    """Trained machines, on the GPU; `start` and so on as in `PairFits`."""

    machine: NDArray[np.int64]
    n_support: Any
    support: Any
    coef: Any
    intercept: Any
    value_range: Any
    n_iter: Any
    outcome: Any
    error: Any  # √Σ (coef · error of its row)²


def most_rows(device: Device, real: Any, unit_diagonal: bool) -> int:
    """Rows of the largest pair for which a block has memory."""
    return device.shared_bytes // bytes_of_row(real, unit_diagonal) - 1


def bytes_of_row(real: Any, unit_diagonal: bool) -> int:
    """Shared memory for a row of a problem."""
    return int((2 if unit_diagonal else 3) * np.dtype(real).itemsize + 1)


class Solver(NamedTuple):
    """What the problems of all pairs share."""

    device: Device
    class_start: NDArray[np.int64]
    C: Any  # of every row, in the precision of kernel values
    errors: Any  # of every row
    tol: float
    max_iter: int
    unit_diagonal: bool

    def solve(
        self, blocks: KernelBlocks, machines: NDArray[np.int64], pairs: NDArray[np.int32]
    ) -> Solved:
        """Train machines, whose pairs of classes are given; all in one kernel matrix."""
        xp, n = self.device.xp, len(machines)
        sizes = np.diff(self.class_start)[pairs].sum(axis=1)
        table = self._table(blocks, pairs, sizes)
        real = blocks.matrix.dtype
        state = tuple(xp.empty(int(sizes.sum()), dtype=real) for _ in range(2))
        found = tuple(xp.zeros(n, dtype=t) for t in (np.float64, np.float64, np.int64, np.int32))
        for group in _groups(sizes):
            self._run(table[group], int(sizes[group].max()), state, found)
        everything = self.device.array(table)
        counts, error = xp.empty(n, dtype=np.int64), xp.empty(n)
        of_type = suffix(real)
        self.device.launch_over(
            f"count_support_{of_type}",
            n * LANES,
            everything,
            np.int64(n),
            state[0],
            self.errors,
            counts,
            error,
        )
        start = xp.concatenate([xp.zeros(1, dtype=np.int64), xp.cumsum(counts)])
        n_entries = int(start[-1])
        support, coef = xp.empty(n_entries, dtype=np.int64), xp.empty(n_entries)
        self.device.launch_over(
            f"write_support_{of_type}",
            n * LANES,
            everything,
            np.int64(n),
            state[0],
            start,
            support,
            coef,
        )
        intercept, value_range, n_iter, outcome = found
        return Solved(
            machines, counts, support, coef, intercept, value_range, n_iter, outcome, error
        )

    def _table(
        self, blocks: KernelBlocks, pairs: NDArray[np.int32], sizes: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """What kernels.cu calls Pair, a row for each machine."""
        i, j = pairs.T.astype(np.int64)
        table = np.empty((len(pairs), 14), dtype=np.int64)
        table[:, 0:4] = blocks.addresses(i, j)
        table[:, 4:8] = blocks.matrix.shape[1]
        table[:, 8:10] = np.diff(self.class_start)[pairs]
        table[:, 10:12] = self.class_start[pairs]
        table[:, 12] = np.cumsum(sizes) - sizes
        table[:, 13] = np.arange(len(pairs))
        return table

    def _run(
        self, table: NDArray[np.int64], most: int, state: tuple[Any, Any], found: tuple[Any, ...]
    ) -> None:
        """Solve some pairs, the largest of which has so many rows."""
        real = state[0].dtype
        shared = most * bytes_of_row(real, self.unit_diagonal)
        threads = threads_for(most)
        goes_on = 0
        while len(table):
            self.device.launch(
                f"solve_pairs_{suffix(real)}",
                (len(table),),
                (threads,),
                self.device.array(table),
                self.C,
                np.float64(self.tol),
                np.int64(self.max_iter),
                np.int64(STEPS_AT_ONCE),
                np.int32(goes_on),
                np.int32(self.unit_diagonal),
                *state,
                *found,
                shared_bytes=-(-shared // 8) * 8,
            )
            outcome = self.device.to_host(found[-1])  # waits, so that an interrupt is noticed
            table = table[outcome[table[:, 13]] == UNFINISHED]
            goes_on = 1


def _groups(sizes: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Pairs of similar size, the largest first."""
    order = np.argsort(-sizes, kind="stable")
    magnitude = np.ceil(2 * np.log2(np.maximum(sizes[order], 2)))
    yield from np.split(order, 1 + np.flatnonzero(np.diff(magnitude)))
