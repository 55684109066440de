"""The walk: every row from the root to a leaf, one binary decision per node.

A row's path depends on that row alone. `walk` goes level by level and shows every decision;
`leaves` gives the ends of the paths alone, by the compiled engine where the machines have one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.batches import rows_at_once, slices
from dcsvm._util.threads import even_slices, n_threads, run_short, threads_worth
from dcsvm.data.rows import TrainingRows
from dcsvm.machines.compiled import Engine
from dcsvm.machines.interface import PairValues
from dcsvm.machines.long_rows import Places
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.machines.query import Query
from dcsvm.machines.value_statistics import SignBlock
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.structure import NOT_GROWN, DecisionDag


class Step(NamedTuple):
    """One decision each of some rows."""

    dag: DecisionDag  # holds all nodes named here
    rows: NDArray[np.int64]
    nodes: NDArray[np.int32]
    values: NDArray[np.float64]
    children: NDArray[np.int32]


def walk(machines: PairValues, grower: Grower, X: Any, n_jobs: int | None) -> Iterator[Step]:
    """Take all rows of X to their leaves, level by level, and grow what they meet."""
    for block in slices(X.shape[0], rows_at_once(machines.query_width(X))):
        for step in _walk_together(machines, grower, X[block], n_jobs):
            yield step._replace(rows=step.rows + block.start)


def leaves(
    machines: PairValues,
    grower: Grower,
    X: Any,
    n_jobs: int | None,
    n_evaluated: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """The leaf, or class, of every row; the length of its path is added to `n_evaluated`."""
    leaf = np.empty(X.shape[0], dtype=np.int64)
    if isinstance(machines, PairwiseMachines):
        length = np.zeros(X.shape[0], dtype=np.int64) if n_evaluated is None else n_evaluated
        at_once = rows_at_once(machines.query_width(X))
        for block in slices(X.shape[0], at_once * n_threads(n_jobs)):
            compiled = _CompiledWalk(machines, machines.prepare(X[block]), at_once, n_jobs)
            leaf[block] = compiled.leaves(grower, length[block])
        return leaf
    for step in walk(machines, grower, X, n_jobs):
        leaf[step.rows] = step.children
        if n_evaluated is not None:
            n_evaluated[step.rows] += 1
    return leaf


def grow_along(
    rows: TrainingRows,
    signs: list[SignBlock] | None,
    machines: PairValues,
    grower: Grower,
    n_jobs: int | None,
) -> None:
    """Grow the nodes that the training rows pass, so that few are left to later rows.

    Where the signs of the table were kept, no machine is evaluated again.
    """
    if signs is not None:
        _grow_by_signs(signs, grower)
        return
    for block in slices(rows.n_rows, rows_at_once(machines.query_width(rows.X))):
        if grower.is_full:
            return
        leaves(machines, grower, rows.take(block), n_jobs)


def _grow_by_signs(signs: list[SignBlock], grower: Grower) -> None:
    row = [np.arange(block.n_rows) for block in signs]
    node = [np.full(block.n_rows, grower.dag.root, dtype=np.int32) for block in signs]
    while sum(map(len, row)):
        slot = [np.empty(len(r), dtype=np.int64) for r in row]
        for block, r, n, s in zip(signs, row, node, slot, strict=True):
            grower.dag.core.walk_signs(block.signs, r, n, s)
        row = [r[s >= 0] for r, s in zip(row, slot, strict=True)]
        slot = [s[s >= 0] for s in slot]
        if grower.is_full:
            return
        child = grower.grow(np.concatenate(slot)).child
        node = [child[s] for s in slot]


def _walk_together(
    machines: PairValues, grower: Grower, X: Any, n_jobs: int | None
) -> Iterator[Step]:
    dag, query = grower.dag, machines.prepare(X)
    rows = np.arange(X.shape[0])
    nodes = np.full(X.shape[0], dag.root, dtype=np.int32)
    for _ in range(dag.n_classes):
        if len(rows) == 0:
            return
        values = machines.values(query, rows, dag.machine[nodes], n_jobs)
        slots = dag.slots(nodes, values)
        missing = slots[dag.child[slots] == NOT_GROWN]
        if len(missing):
            grower = grower.fork() if grower.is_full else grower
            dag = grower.grow(missing)
        children = dag.child[slots]
        yield Step(dag, rows, nodes, values, children)
        going_on = children >= dag.n_classes
        rows, nodes = rows[going_on], children[going_on]
    if len(rows):
        raise ValueError("The decision structure has a cycle: fit the classifier again.")


@dataclass
class _CompiledWalk:
    """The walk of some rows by the compiled engine."""

    machines: PairwiseMachines
    query: Query
    at_once: int
    n_jobs: int | None

    def leaves(self, grower: Grower, length: NDArray[np.int64]) -> NDArray[np.int64]:
        """Walk as far as the structure is grown, grow what is missing for all rows, and go on."""
        n_rows = self.query.n_rows
        leaf = np.empty(n_rows, dtype=np.int64)
        waiting = np.arange(n_rows)
        node = np.full(n_rows, grower.dag.root, dtype=np.int32)
        while len(waiting):
            slot, n_decisions = self._walk(grower.dag, waiting, node)
            length[waiting] += n_decisions
            arrived = slot < 0
            leaf[waiting[arrived]] = node[arrived]
            waiting, missing = waiting[~arrived], slot[~arrived]
            grower = grower.fork() if len(missing) and grower.is_full else grower
            node = grower.grow(missing).child[missing]
        return leaf

    def _walk(
        self, dag: DecisionDag, row: NDArray[np.int64], node: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Move `node` on; where rows stop for want of a child, and how far they have come."""
        slot = np.empty(len(row), dtype=np.int64)
        length = np.zeros(len(row), dtype=np.int64)
        rows = self.query.rows
        threads = threads_worth(len(row) * self.machines.work_of_a_walk, self.n_jobs)

        def go(part: slice) -> None:
            def walk_some(engine: Engine, which: Places) -> None:
                at, place = node[part][which], slot[part][which]
                decisions = length[part][which]
                engine.walk(dag.core, rows, row[part][which], at, place, decisions)
                node[part][which], slot[part][which] = at, place
                length[part][which] = decisions

            self.machines.by_precision(self.query, row[part], walk_some)

        run_short(go, even_slices(len(row), self.at_once, threads), threads)
        return slot, length
