"""The stages of a fit, done where the rows are: see `estimators.stages`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.dask.distant_rows import Blocks, DistantArray
from dcsvm.dask.figures import SharedProblem, pair_scaling, shared_problem
from dcsvm.dask.job import Job
from dcsvm.dask.plan import Plan
from dcsvm.dask.shuffling import StoredRows
from dcsvm.dask.training import block_task, train_blocks
from dcsvm.data.moments import ClassMoments
from dcsvm.data.pairs import class_pairs, machine_of
from dcsvm.data.rows import TrainingRows
from dcsvm.data.some_pairs import SomePairs
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.machines.value_statistics import KeptValues, SignBlock
from dcsvm.table.building import TableEntries, build_table, observe_classes
from dcsvm.table.prediction_table import PredictionTable
from dcsvm.training.problems import FitArrays, PairFits, PairProblems, TrainingParameters
from dcsvm.training.train import assemble

# Tasks per thread for the table, so that no thread is left without work for long.
TABLE_TASKS_PER_THREAD = 4
# Numbers of a sample that stands here for all rows; a set with fewer is its own sample.
MOST_IN_SAMPLE = 2**23


class ClusterStages:
    """The stages, done on a cluster."""

    def __init__(self, job: Job, blocks: Blocks, plan: Plan) -> None:
        self.job, self.blocks, self.plan = job, blocks, plan

    def train(
        self,
        rows: TrainingRows,
        class_weight: NDArray[np.float64],
        parameters: TrainingParameters,
        some_pairs: SomePairs | None,
    ) -> PairwiseMachines:
        """One task for every two blocks of classes, the largest first."""
        shared = shared_problem(self.blocks.map, rows.n_rows, rows.X, parameters)
        fits = self._fits(rows, class_weight, parameters, some_pairs, shared)
        pairs = class_pairs(rows.n_classes) if some_pairs is None else some_pairs.of_machine
        scaled = DistantArray(self.blocks, "X", rows.X.shape, rows.X.dtype, shared.scaling)
        problems = PairProblems(
            replace(rows, X=scaled),
            np.empty(0),
            shared.kernel,
            pair_scaling(shared, pairs, rows.X),
            some_pairs,
        )
        return assemble(problems, fits, shared.scaling.of_machines(rows.X.shape[1]))

    def _fits(
        self,
        rows: TrainingRows,
        class_weight: NDArray[np.float64],
        parameters: TrainingParameters,
        some_pairs: SomePairs | None,
        shared: SharedProblem,
    ) -> PairFits:
        k, edges, stored = rows.n_classes, self.plan.edges, self.blocks.stored
        n_rows = np.diff(self.blocks.row_start)
        own = replace(
            parameters, n_jobs=1, cache_size=self.plan.cache_size, on_trained=report_nothing
        )
        pairs = [(a, b) for a in range(len(stored)) for b in range(a, len(stored))]
        work = [float(n_rows[a] * n_rows[b]) / (1 + (a == b)) for a, b in pairs]
        futures = []
        for number in np.argsort(work, kind="stable")[::-1].tolist():
            used = sorted(set(pairs[number]))
            classes = np.concatenate([np.arange(edges[b], edges[b + 1]) for b in used])
            is_second = (
                classes >= edges[used[-1]] if len(used) == 2 else np.zeros(len(classes), bool)
            )
            task = block_task(
                classes, is_second, rows.class_start, class_weight, _numbering(k, some_pairs)
            )
            if len(task.machine):
                blocks = [stored[b] for b in used]
                futures.append(
                    self.job.submit(train_blocks, blocks, task, _for_classes(shared, classes), own)
                )
        found: list[FitArrays] = []
        for _, part in self.job.completed(futures):
            found.append(part)
            parameters.on_trained(part.machine.tolist())
        return PairFits(found)

    def table(
        self,
        machines: PairwiseMachines,
        rows: TrainingRows,
        classes: NDArray[Any],
        n_jobs: int | None,
        want_signs: bool,
        kept: KeptValues,
    ) -> tuple[PredictionTable, list[SignBlock] | None]:
        """Tasks for some classes each; rows that were drawn from all are here."""
        if not isinstance(rows.X, DistantArray):
            return build_table(machines, rows, classes, n_jobs, want_signs, kept)
        model = self.job.submit(same, machines)
        parts = self._parts_of_blocks()
        start = rows.class_start[[*(begin for _, begin, _ in parts), rows.n_classes]]
        edges = np.searchsorted(kept.rows, start)
        first = self.plan.edges
        futures = [
            self.job.submit(
                observe_part,
                model,
                self.blocks.stored[b],
                slice(int(begin - first[b]), int(end - first[b])),
                kept.machine,
                kept.rows[edges[t] : edges[t + 1]] - start[t],
            )
            for t, (b, begin, end) in enumerate(parts)
        ]
        entries: list[Any] = [None] * len(futures)
        for t, (found, values) in self.job.completed(futures):
            entries[t] = found
            kept.values[:, edges[t] : edges[t + 1]] = values
        return TableEntries.joined(entries).table(classes), None

    def _parts_of_blocks(self) -> list[tuple[int, int, int]]:
        """A block, its first class and the one after its last, so many that no thread waits."""
        cluster = self.plan.cluster
        wanted = TABLE_TASKS_PER_THREAD * cluster.n_workers * cluster.n_threads
        most = -(-wanted // self.plan.n_blocks)
        parts = []
        for b, (begin, end) in enumerate(pairwise(self.plan.edges.tolist())):
            n = min(most, end - begin)
            edges = [begin + (end - begin) * t // n for t in range(n + 1)]
            parts += [(b, *part) for part in pairwise(edges)]
        return parts

    def in_memory(self, rows: TrainingRows) -> TrainingRows:
        """As many rows of each class, evenly spaced, as there is room for."""
        if not isinstance(rows.X, DistantArray):
            return rows
        most = max(2, MOST_IN_SAMPLE // (rows.X.shape[1] * rows.n_classes))
        chosen = [
            begin + np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))
            for begin, n in zip(rows.class_start[:-1], np.diff(rows.class_start), strict=True)
        ]
        numbers = np.concatenate(chosen)
        start = np.cumsum([0, *map(len, chosen)], dtype=np.int64)
        return TrainingRows(rows.X[numbers], rows.weight[numbers], start)


def _numbering(k: int, some_pairs: SomePairs | None) -> Any:
    """The function that gives the numbers of machines."""
    if some_pairs is not None:
        return some_pairs.machine_of
    return lambda i, j: machine_of(i.astype(np.int64), j.astype(np.int64), k)


def _for_classes(shared: SharedProblem, classes: NDArray[np.int64]) -> SharedProblem:
    if shared.moments is None:
        return shared
    return shared._replace(moments=ClassMoments(*(of[classes] for of in shared.moments)))


def report_nothing(machines: Iterable[int]) -> None:
    """Progress is reported when the results of a task are here."""


def same(machines: PairwiseMachines) -> PairwiseMachines:
    """The machines as the result of a task, which a worker that needs them gets once."""
    return machines


def observe_part(
    machines: PairwiseMachines,
    block: StoredRows,
    classes: slice,
    machine: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> tuple[TableEntries, NDArray[np.float64]]:
    """The entries of the table for classes of a block, and the values to be kept."""
    kept = KeptValues.of(machine, chosen)
    rows = block.classes(classes.start, classes.stop).read()
    entries, _ = observe_classes(machines, rows, 1, kept=kept)
    return entries, kept.values
