"""`DagRoute`: a decision structure as a way from a row to its class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.machines.compiled import Engine
from dcsvm.machines.interface import PairValues
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.candidate_sets import unpack
from dcsvm.routing.dag.duration import evenly, may_be_long, warn_if_long
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.walking import leaves, walk
from dcsvm.routing.route import Round


class DagRoute:
    """Walks a `DecisionDag`, which grows as rows come by."""

    def __init__(self, grower: Grower) -> None:
        self.grower = grower

    @property
    def cost(self) -> float:
        """Nothing comes before the first machine."""
        return 0.0

    def of_vector(self, machines: PairValues) -> Callable[[NDArray[Any]], int] | None:
        """As in Route."""
        if not isinstance(machines, PairwiseMachines) or not machines.takes_vectors:
            return None
        return partial(self._leaf_of_vector, machines.engine)

    def _leaf_of_vector(self, engine: Engine, x: NDArray[Any]) -> int:
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
        n_evaluated: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """The class of every row of X; `n_evaluated` as in Route."""
        n_rows = X.shape[0]
        if may_be_long(self.grower, n_rows) and not self.grower.is_full:
            warn_if_long(machines, self.grower, X[evenly(n_rows)], n_rows, n_jobs)
        return leaves(machines, self.grower, X, n_jobs, n_evaluated)

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
