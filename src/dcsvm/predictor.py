"""The walk: every row from the root to a leaf, one binary decision per node.

Rows move in step: at each level one call computes the values that all rows still under
way ask for, each of the machine at its node. A row's path depends on that row alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dcsvm.dag import NOT_GROWN, DecisionDag
from dcsvm.grower import Grower
from dcsvm.rows import TrainingRows

ROWS_AT_ONCE = 16_384


class PairValues(Protocol):
    """Machines, as far as the walk needs them."""

    def prepare(self, X: Any) -> Any:
        """Make rows ready."""

    def values(
        self,
        query: Any,
        row: NDArray[np.int64],
        machine: NDArray[np.int32],
        n_jobs: int | None = None,
    ) -> NDArray[np.float64]:
        """The value of machine[t] at row row[t]."""


class Step(NamedTuple):
    """One decision each of some rows."""

    dag: DecisionDag  # holds all nodes named here
    rows: NDArray[np.int64]
    nodes: NDArray[np.int32]
    values: NDArray[np.float64]
    children: NDArray[np.int32]


def walk(machines: PairValues, grower: Grower, X: Any, n_jobs: int | None) -> Iterator[Step]:
    """Take all rows of X to their leaves, level by level, and grow what they meet."""
    for begin in range(0, X.shape[0], ROWS_AT_ONCE):
        query = machines.prepare(X[begin : begin + ROWS_AT_ONCE])
        for step in _walk_together(machines, grower, query, n_jobs):
            yield step._replace(rows=step.rows + begin)


def leaves(machines: PairValues, grower: Grower, X: Any, n_jobs: int | None) -> NDArray[np.int64]:
    """The leaf, which is the class, of every row."""
    leaf = np.empty(X.shape[0], dtype=np.int64)
    for step in walk(machines, grower, X, n_jobs):
        leaf[step.rows] = step.children
    return leaf


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
            dag = grower.grow(missing)
        children = dag.child[slots]
        yield Step(dag, rows, nodes, values, children)
        going_on = children >= dag.n_classes
        rows, nodes = rows[going_on], children[going_on]


def grow_along(
    rows: TrainingRows, machines: PairValues, grower: Grower, n_jobs: int | None
) -> None:
    """Grow the nodes that the training rows pass, so that few are left to later rows."""
    for begin in range(0, rows.n_rows, ROWS_AT_ONCE):
        query = machines.prepare(rows.query(begin, min(begin + ROWS_AT_ONCE, rows.n_rows)))
        for _ in _walk_together(machines, grower, query, n_jobs):
            pass
