"""Training of pairs of classes that are too large for a block of threads, or for a kernel matrix.

The variables and the gradient of a pair are in the memory of the GPU. In each round the variables
that violate the conditions most become a working set, with those of the round before: some that
can rise have the smallest f, as many can fall and have the largest. The solver of kernels.cu
solves the problem of these alone, the others stay as they are. Then the gradient of all is brought
up to date by the products of their rows with those of the variables that have moved. This is the
method of Joachims (1998), with sets as large as ThunderSVM's (Wen et al., JMLR 19, 2018).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dcsvm.cuda.device import Device, suffix
from dcsvm.cuda.kernel_matrix import ProductForm, ReadyRows, kernel_matrix
from dcsvm.cuda.solving import (
    CONVERGED,
    NOT_A_NUMBER,
    STOPPED_AT_MAX_ITER,
    bytes_of_row,
    pair_table,
    threads_for,
)

SET_SIZE = 1024
# A working set is solved until its own gap is this part of that of all variables.
PART_OF_GAP = 0.01
# Kernel values that are held at a time.
VALUES_AT_ONCE = 2**28
# Rounds without a smaller gap after which rounding is taken to forbid more. At first all variables
# violate the conditions as much, so that each has to be in a set once.
MOST_ROUNDS_IN_VAIN = 1000


class LargeProblem(NamedTuple):
    """One pair of classes: rows of the first, and then of the second."""

    rows: ReadyRows
    form: ProductForm
    n_first: int
    C: Any  # of every row, in the precision of kernel values
    tol: float
    max_iter: int
    unit_diagonal: bool


class LargeSolution(NamedTuple):
    """The signed variables, and what there is to say of them."""

    b: Any
    intercept: float
    value_range: float
    n_iter: int
    outcome: int


def solve_large(device: Device, problem: LargeProblem) -> LargeSolution:
    """Train one machine, in the precision of C."""
    return _Rounds(device, problem).solve()


class _Rounds:
    def __init__(self, device: Device, problem: LargeProblem) -> None:
        self.device, self.problem, xp = device, problem, device.xp
        n, self.real = len(problem.C), problem.C.dtype
        self.is_first = xp.arange(n) < problem.n_first
        self.low = xp.where(self.is_first, 0, -problem.C).astype(self.real)
        self.high = xp.where(self.is_first, problem.C, 0).astype(self.real)
        self.b = xp.zeros(n, dtype=self.real)
        self.f = xp.where(self.is_first, -1.0, 1.0)
        self.n_iter = 0
        self.chosen_before = xp.empty(0, dtype=np.int64)

    def solve(self) -> LargeSolution:
        xp, problem = self.device.xp, self.problem
        least_gap, in_vain, outcome = np.inf, 0, CONVERGED
        most_in_vain = MOST_ROUNDS_IN_VAIN + 10 * len(self.b) // SET_SIZE
        while True:
            rising = xp.where(self.b < self.high, self.f, np.inf)
            falling = xp.where(self.b > self.low, self.f, -np.inf)
            lowest, highest = float(rising.min()), float(falling.max())
            gap = highest - lowest
            if not gap >= problem.tol:
                break
            in_vain = 0 if gap < least_gap else in_vain + 1
            least_gap = min(gap, least_gap)
            if self.n_iter >= problem.max_iter or in_vain >= most_in_vain:
                outcome = STOPPED_AT_MAX_ITER
                break
            chosen = self._working_set(rising, falling)
            moved = self._solve_set(chosen, max(PART_OF_GAP * gap, problem.tol / 2))
            which = xp.flatnonzero(moved)
            if len(which) == 0:
                outcome = NOT_A_NUMBER
                break
            self._update(chosen[which], moved[which])
        return self._solution(lowest, highest, outcome)

    def _working_set(self, rising: Any, falling: Any) -> Any:
        """The variables that violate the conditions most, and those of the round before."""
        xp, quarter = self.device.xp, max(1, min(SET_SIZE, len(self.b)) // 4)
        first = xp.argpartition(rising, quarter - 1)[:quarter]
        first = first[xp.isfinite(rising[first])]
        last = xp.argpartition(-falling, quarter - 1)[:quarter]
        last = last[xp.isfinite(falling[last])]
        before, self.chosen_before = self.chosen_before, xp.concatenate([first, last])
        return xp.unique(xp.concatenate([self.chosen_before, before]))

    def _solve_set(self, chosen: Any, tol: float) -> Any:
        """Solve the problem of some variables; by how much each has moved."""
        device, problem, xp, n = self.device, self.problem, self.device.xp, len(chosen)
        rows = problem.rows.part(chosen)
        values = xp.empty((n, n), dtype=self.real)
        kernel_matrix(device, rows, rows, problem.form, values)
        n_first = int((chosen < problem.n_first).sum())
        table = pair_table(values, n_first, n)
        b, f = self.b[chosen], self.f[chosen].astype(self.real)
        state = b.copy(), f
        found = tuple(xp.zeros(1, dtype=t) for t in (np.float64, np.float64, np.int64, np.int32))
        steps = min(problem.max_iter - self.n_iter, 20 * n)
        device.launch(
            f"solve_pairs_{suffix(self.real)}",
            (1,),
            (threads_for(n),),
            device.array(table),
            problem.C[chosen],
            np.float64(tol),
            np.int64(steps),
            np.int64(steps),
            np.int32(1),
            np.int32(problem.unit_diagonal),
            *state,
            *found,
            shared_bytes=-(-n * bytes_of_row(self.real, problem.unit_diagonal) // 8) * 8,
        )
        self.n_iter += int(found[2][0])
        moved = state[0] - b
        self.b[chosen] = state[0]
        return moved

    def _update(self, moved: Any, by: Any) -> None:
        """Bring the gradient of all up to date."""
        xp, problem = self.device.xp, self.problem
        columns = problem.rows.part(moved)
        at_once = max(1, VALUES_AT_ONCE // len(moved))
        for begin in range(0, len(self.f), at_once):
            part = slice(begin, min(begin + at_once, len(self.f)))
            rows = problem.rows.part(part)
            values = xp.empty((len(rows.bias), len(moved)), dtype=self.real)
            kernel_matrix(self.device, rows, columns, problem.form, values)
            self.f[part] += values @ by

    def _solution(self, lowest: float, highest: float, outcome: int) -> LargeSolution:
        free = (self.b < self.high) & (self.b > self.low)
        n_free = int(free.sum())
        middle = (lowest + highest) / 2
        intercept = -float(self.f[free].sum()) / n_free if n_free else -middle
        values = self.f + self.device.xp.where(self.is_first, 1.0, -1.0)
        value_range = float(values.max() - values.min())
        return LargeSolution(self.b, intercept, value_range, self.n_iter, outcome)
