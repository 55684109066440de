"""The vote of all machines on the GPU, and as a way from a row to its class."""

from __future__ import annotations

from typing import Any

import numpy as np

from dcsvm.cuda.answers import Answers
from dcsvm.cuda.device import suffix
from dcsvm.cuda.evaluation import DeviceMachines

# Blocks of threads in the second dimension of a grid.
MOST_GRID = 2**15


class VotingRoute:
    """All machines vote for each row."""

    def __init__(self, machines: DeviceMachines) -> None:
        self.machines = machines

    def rows_at_once(self, n_features: int) -> int:
        """As many as the values of all machines fit in memory for."""
        return self.machines.rows_at_once()

    def answers(self, X: Any, of_host: Any, with_decisions: bool) -> Answers:
        """As in DeviceRoute."""
        xp = self.machines.device.xp
        votes, confidence = count_votes(self.machines, X)
        leaf = votes.argmax(axis=1)
        decisions = None
        if with_decisions:
            decisions = class_values(xp, votes, confidence, winner_first=True)
        n_evaluated = xp.full(len(leaf), len(self.machines.intercept), dtype=np.int32)
        return Answers(leaf.astype(np.int32), n_evaluated, decisions)


def class_values(xp: Any, votes: Any, confidence: Any, winner_first: bool) -> Any:
    """As `estimators.voting.vote_decision`."""
    values = votes + confidence / (abs(confidence) + 1) / 3
    if winner_first:
        values[xp.arange(len(votes)), votes.argmax(axis=1)] += 2 / 3
    return values


def count_votes(machines: DeviceMachines, X: Any) -> tuple[Any, Any]:
    """Votes of each class for rows on the GPU, and the sums of the values for it."""
    xp, products = machines.device.xp, machines.products(machines.queries(X))
    k, n, _ = products.shape
    votes, confidence = xp.empty((n, k), dtype=np.int32), xp.empty((n, k))
    for first in range(0, n, MOST_GRID):
        some = slice(first, min(first + MOST_GRID, n))
        _count(machines, products[:, some], votes[some], confidence[some])
    return votes, confidence


def _count(machines: DeviceMachines, products: Any, votes: Any, total: Any) -> None:
    products = machines.device.xp.ascontiguousarray(products)
    k, n, _ = products.shape
    machines.device.launch(
        f"count_votes_{suffix(products.dtype)}",
        (-(-k // 128), n),
        (128,),
        products,
        np.int64(n),
        np.int64(k),
        machines.intercept,
        votes,
        total,
    )
