"""`Sides`: the table seen through the threshold θ."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.batches import slices
from dcsvm.routing.candidate_sets import Words, pack
from dcsvm.table.prediction_table import PredictionTable

# Scores that differ by rounding alone are equal.
SCORE_DECIMALS = 12

# Rows of the table looked at together, so that they and not the table take room twice.
MACHINES_AT_ONCE = 4096


class Sides(NamedTuple):
    """The table seen through χ: which classes each machine may send to i, and to j."""

    n_classes: int
    to_i: Words  # a set of classes per machine: those with C_ij(l, i) > θ
    to_j: Words
    score: NDArray[np.float64]
    cost: NDArray[np.float64]  # of evaluating a machine


def sides(table: PredictionTable, theta: float, cost: NDArray[np.float64] | None = None) -> Sides:
    """Look at a table with threshold θ, a fraction in [0, 0.5)."""
    if not 0 <= theta < 0.5:
        raise ValueError(f"theta must be a fraction in [0, 0.5), got {theta!r}.")
    i, j = table.pairs.T
    machines = np.arange(len(i))
    of_i = table.counts[machines, i].astype(np.float64)
    of_j = table.counts[machines, j].astype(np.float64)
    own = (of_i[:, 0] / of_i.sum(axis=1) + of_j[:, 1] / of_j.sum(axis=1)) / 2
    blocks = list(slices(len(i), MACHINES_AT_ONCE))
    to_i, to_j = (
        np.concatenate([pack(table.exceeds(side, theta, block)) for block in blocks])
        for side in (0, 1)
    )
    if cost is None:
        cost = np.ones(len(i))
    return Sides(table.n_classes, to_i, to_j, np.round(own, SCORE_DECIMALS), cost)
