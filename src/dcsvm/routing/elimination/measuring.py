"""What elimination costs, measured on some of the training rows.

They have the scores that they would have if left out. The machines were trained on them, which
makes paths shorter than those of other rows, but serves to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from dcsvm._core import Ranges
from dcsvm._util.threads import even_slices, run_short, threads_worth
from dcsvm.data.pairs import n_pairs
from dcsvm.data.rows import TrainingRows
from dcsvm.machines.compiled import Engine
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.candidate_sets import unpack
from dcsvm.routing.elimination.calibration import Fitted
from dcsvm.routing.elimination.linear import evenly
from dcsvm.routing.plausibility import POOLED_ROWS, halves, ranges_of_values
from dcsvm.routing.route import Round, paths
from dcsvm.routing.sides import sides
from dcsvm.table.prediction_table import PredictionTable

# Rows on which costs are compared.
ROWS_TO_COMPARE = 128


class MeanCost(NamedTuple):
    """What a row costs on average."""

    evaluations: float  # of the kernel, those that its scores are worth included
    decisions: float


class Trials:
    """Elimination tried out on training rows, by the values of a table or by signs alone."""

    def __init__(
        self,
        rows: TrainingRows,
        machines: PairwiseMachines,
        table: PredictionTable,
        routing: str,
        n_jobs: int | None = None,
    ) -> None:
        self.rows, self.machines, self.table, self.n_jobs = rows, machines, table, n_jobs
        # By the identity of what was tried out, which is kept as well, and θ.
        self.known: dict[tuple[int, float], tuple[Fitted, MeanCost]] = {}
        self.ranges: Callable[[float], Ranges]
        if routing == "margin" and table.values is not None:
            self.ranges = ranges_of_values(table.values)
        else:
            self.ranges = partial(_ranges_of_signs, table)

    def cost(self, fitted: Fitted, theta: float, n_jobs: int | None = None) -> float:
        """The mean number of kernel evaluations per row with a shortlist."""
        return self.mean_cost(fitted, theta, n_jobs).evaluations

    def mean_cost(self, fitted: Fitted, theta: float, n_jobs: int | None = None) -> MeanCost:
        """The same, and the mean number of decisions; `n_jobs` where it is not that of all.

        Measured once for every θ.
        """
        tried = id(fitted), theta
        if tried not in self.known:
            self.known[tried] = fitted, self._measured(fitted, theta, n_jobs)
        return self.known[tried][1]

    def _measured(self, fitted: Fitted, theta: float, n_jobs: int | None) -> MeanCost:
        n_jobs = self.n_jobs if n_jobs is None else n_jobs
        chosen = evenly(len(fitted.rows), ROWS_TO_COMPARE)
        query = self.machines.prepare(self.rows.take(fitted.rows[chosen]))
        scores = fitted.left_out[chosen].astype(np.float32)
        gap, ranges = fitted.shortlist.at(theta).gap, self.ranges(theta)
        n_evaluations = np.empty(len(chosen), dtype=np.int64)
        n_decisions = np.empty(len(chosen), dtype=np.int64)

        def try_out(engine: Engine, first: int, last: int) -> None:
            path = engine.try_out(ranges, query.rows, first, last, gap, scores[first:last])
            n_evaluations[first:last] = self.machines.path_cost(*path)["kernel_evaluations"]
            n_decisions[first:last] = np.diff(path[0])

        def try_part(part: slice) -> None:
            self.machines.by_runs(query, part.start, part.stop, try_out)

        threads = threads_worth(len(chosen) * self.machines.work_of_a_walk / 2, n_jobs)
        run_short(try_part, even_slices(len(chosen), len(chosen), threads), threads)
        evaluations = float(n_evaluations.mean()) + fitted.shortlist.cost
        return MeanCost(evaluations, float(n_decisions.mean()))


def _ranges_of_signs(table: PredictionTable, theta: float) -> Ranges:
    """Positive values are plausible for classes that are sent to i, others for those sent to j."""
    k, at_theta = table.n_classes, sides(table, theta)
    to_i, to_j = unpack(at_theta.to_i, k).T, unpack(at_theta.to_j, k).T
    least = np.finfo(np.float16).smallest_subnormal
    return Ranges(
        low=halves(np.where(to_j, -np.inf, least).astype(np.float16).T),
        high=halves(np.where(to_i, np.inf, 0.0).astype(np.float16).T),
        spread=np.zeros((k, n_pairs(k)), dtype=np.uint16),
        pooled=np.zeros(n_pairs(k), dtype=np.float32),
        freedom=np.zeros(k, dtype=np.float32),
        widening=np.zeros(k, dtype=np.float32),
        pooled_rows=POOLED_ROWS,
    )


def mean_evaluations(rounds: Iterable[Round], machines: PairwiseMachines, n_rows: int) -> float:
    """The mean number of distinct kernel evaluations of these rounds."""
    cost = machines.path_cost(*paths(rounds, n_rows))
    return float(cost["kernel_evaluations"].mean())
