"""The walk: every row from the root to a leaf, one binary decision per node.

A row's path depends on that row alone. Where only the leaves are wanted, the compiled engine
walks; `walk` goes level by level and shows every decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import Engine, Rows
from dcsvm._util.batches import rows_at_once
from dcsvm._util.threads import even_slices, run_short, threads_worth
from dcsvm.data.rows import TrainingRows
from dcsvm.machines.interface import PairValues
from dcsvm.machines.value_statistics import SignBlock
from dcsvm.routing.candidate_sets import unpack
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.structure import NOT_GROWN, DecisionDag
from dcsvm.routing.route import Round


class Step(NamedTuple):
    """One decision each of some rows."""

    dag: DecisionDag  # holds all nodes named here
    rows: NDArray[np.int64]
    nodes: NDArray[np.int32]
    values: NDArray[np.float64]
    children: NDArray[np.int32]


def walk(machines: PairValues, grower: Grower, X: Any, n_jobs: int | None) -> Iterator[Step]:
    """Take all rows of X to their leaves, level by level, and grow what they meet."""
    at_once = rows_at_once(X.shape[1])
    for begin in range(0, X.shape[0], at_once):
        query = machines.prepare(X[begin : begin + at_once])
        for step in _walk_together(machines, grower, query, n_jobs):
            yield step._replace(rows=step.rows + begin)


def leaves(
    machines: PairValues,
    grower: Grower,
    X: Any,
    n_jobs: int | None,
    asked: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """The leaf, which is the class, of every row; `asked` gets the length of its path added."""
    if machines.engine is not None:
        return _compiled_leaves(machines, grower, X, n_jobs, asked)
    leaf = np.empty(X.shape[0], dtype=np.int64)
    for step in walk(machines, grower, X, n_jobs):
        leaf[step.rows] = step.children
        if asked is not None:
            asked[step.rows] += 1
    return leaf


def grow_along(
    rows: TrainingRows,
    signs: list[SignBlock] | None,
    machines: PairValues,
    grower: Grower,
    n_jobs: int | None,
) -> None:
    """Grow the nodes that the training rows pass, so that few are left to later rows.

    Signs that the table has seen spare the rows the machines.
    """
    if signs is not None:
        _grow_by_signs(signs, grower)
        return
    at_once = rows_at_once(rows.X.shape[1])
    for begin in range(0, rows.n_rows, at_once):
        if grower.is_full:
            return
        end = min(begin + at_once, rows.n_rows)
        leaves(machines, grower, rows.query(begin, end), n_jobs)


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
    machines: PairValues, grower: Grower, query: Any, n_jobs: int | None
) -> Iterator[Step]:
    dag = grower.dag
    rows = np.arange(query.n_rows)
    nodes = np.full(query.n_rows, dag.root, dtype=np.int32)
    while len(rows):
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


def _compiled_leaves(
    machines: PairValues,
    grower: Grower,
    X: Any,
    n_jobs: int | None,
    asked: NDArray[np.int64] | None,
) -> NDArray[np.int64]:
    """Walk as far as the structure is grown, grow what is missing for all rows, and go on."""
    engine, rows = machines.engine, machines.prepare(X).rows
    assert engine is not None
    n_rows = X.shape[0]
    leaf = np.empty(n_rows, dtype=np.int64)
    waiting = np.arange(n_rows)
    node = np.full(n_rows, grower.dag.root, dtype=np.int32)
    slot = np.empty(n_rows, dtype=np.int64)
    while len(waiting):
        n_threads = threads_worth(len(waiting) * machines.work_of_a_walk, n_jobs)
        counts = np.zeros(len(waiting), dtype=np.int64)
        go = partial(_walk_part, engine, grower.dag, rows, waiting, node, slot, counts)
        run_short(go, even_slices(len(waiting), rows_at_once(X.shape[1]), n_threads), n_threads)
        if asked is not None:
            asked[waiting] += counts
        arrived = slot < 0
        leaf[waiting[arrived]] = node[arrived]
        waiting, missing = waiting[~arrived], slot[~arrived]
        grower = grower.fork() if len(missing) and grower.is_full else grower
        node = grower.grow(missing).child[missing]
        slot = np.empty(len(missing), dtype=np.int64)
    return leaf


def _walk_part(
    engine: Engine,
    dag: DecisionDag,
    rows: Rows,
    waiting: NDArray[np.int64],
    node: NDArray[np.int32],
    slot: NDArray[np.int64],
    asked: NDArray[np.int64],
    part: slice,
) -> None:
    engine.walk(dag.core, rows, waiting[part], node[part], slot[part], asked[part])


class DagRoute:
    """Walks a `DecisionDag`, which grows as rows come by."""

    def __init__(self, grower: Grower) -> None:
        self.grower = grower

    @property
    def cost(self) -> float:
        """Nothing comes before the first machine."""
        return 0.0

    def predict_one(self, engine: Engine, x: NDArray[Any]) -> int:
        """The class of a vector of floats, by the shortest way."""
        grower = self.grower
        leaf = engine.walk_one(grower.dag.core, x)
        while leaf < 0:
            grower = grower.fork() if grower.is_full else grower
            leaf = engine.walk_one(grower.grow(np.array([-1 - leaf])).core, x)
        return leaf

    def predict(
        self,
        machines: PairValues,
        X: Any,
        n_jobs: int | None,
        asked: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """The class of every row of X; `asked` gets the machines that were asked added."""
        return leaves(machines, self.grower, X, n_jobs, asked)

    def rounds(self, machines: PairValues, X: Any, n_jobs: int | None) -> Iterator[Round]:
        """All rounds about the rows of X, those of a row in order."""
        for step in walk(machines, self.grower, X, n_jobs):
            k, candidates = step.dag.n_classes, step.dag.candidates
            yield Round(
                step.rows,
                step.dag.machine[step.nodes],
                step.values,
                unpack(candidates[step.nodes], k),
                unpack(candidates[step.children], k),
            )
