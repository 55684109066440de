"""The way through a decision structure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm import _core
from dcsvm.candidates import unpack
from dcsvm.grower import Grower
from dcsvm.predictor import PairValues, leaves, walk
from dcsvm.rounds import Round


class DagRoute:
    """Walks a `DecisionDag`, which grows as rows come by."""

    def __init__(self, grower: Grower) -> None:
        self.grower = grower

    @property
    def cost(self) -> float:
        """Nothing comes before the first machine."""
        return 0.0

    def one(self, engine: _core.Engine, x: NDArray[Any]) -> int:
        """The class of a vector of floats, by the shortest way."""
        grower = self.grower
        leaf = engine.walk_one(grower.dag.core, x)
        while leaf < 0:
            grower = grower.fork() if grower.is_full else grower
            leaf = engine.walk_one(grower.grow(np.array([-1 - leaf])).core, x)
        return leaf

    def outcomes(
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
