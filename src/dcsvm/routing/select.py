"""From a table to a way of asking: which route a classifier takes.

With a shortlist, classes are eliminated in the order of its scores (elimination.py); without one,
along a decision structure (grower.py). Either way the sign of a value decides, or the value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.rows import TrainingRows
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.batches import rows_at_once
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.dag.splitting import MarginSplitter, SignSplitter
from dcsvm.routing.elimination.linear import (
    N_LANDMARKS,
    Fitted,
    landmark_shortlist,
    linear_shortlist,
    quadratic_shortlist,
)
from dcsvm.routing.elimination.rounds import Elimination, Scores
from dcsvm.routing.plausibility import Levels, margin_levels, sign_levels
from dcsvm.routing.route import NO_MACHINE, Route
from dcsvm.routing.sides import sides
from dcsvm.table.prediction_table import PredictionTable

ROUTINGS = ("sign", "margin")

# Rows on which the cost of a shortlist is measured.
ROWS_TO_COMPARE = 128
# Only where some machines are so much dearer than most may asking the cheap ones first win over
# asking about the likely classes first.
UNEVEN = 8
# With more classes a structure without a shortlist takes longer to grow than it could save.
MOST_CLASSES_WITHOUT_SHORTLIST = 32
# A shortlist that is so much more accurate may cost this much more.
BETTER_ACCURACY = 0.05
SIMILAR_COST = 1.15


def make_levels(table: PredictionTable, theta: float, routing: str) -> Levels:
    """Where classes are plausible by these rules."""
    return margin_levels(table, theta) if routing == "margin" else sign_levels(sides(table, theta))


def plain_route(
    table: PredictionTable,
    theta: float,
    routing: str,
    criterion: str,
    cost: NDArray[np.float64],
    max_nodes: int,
) -> DagRoute:
    """A decision structure; `cost` is that of asking each machine."""
    at_theta = sides(table, theta, cost)
    if routing == "margin":
        splitter = MarginSplitter(margin_levels(table, theta), at_theta, criterion)
        return DagRoute(Grower(splitter, max_nodes))
    return DagRoute(Grower(SignSplitter(at_theta, criterion), max_nodes))


class _KnownScores:
    """A shortlist for the rows in hand."""

    def __init__(self, fitted: Fitted, chosen: NDArray[np.int64], theta: float) -> None:
        self.cost = fitted.shortlist.cost
        self.gap = fitted.shortlist.at(theta).gap
        self._scores = fitted.left_out[chosen].astype(np.float32)

    def scores(self, X: Any, machines: Any) -> Scores:
        return self._scores

    def compiled(self, machines: Any) -> None:
        return None


def choose_shortlist(
    rows: TrainingRows,
    machines: PairwiseMachines,
    table: PredictionTable,
    levels: Levels,
    theta: float,
    routing: str,
) -> Any:
    """The shortlist under which the fewest kernel evaluations are needed, or None.

    Measured on some of the training rows, with the scores they have when left out. Their values
    on the machines that were trained on them flatter all ways alike.
    """
    few = rows.n_classes <= MOST_CLASSES_WITHOUT_SHORTLIST
    if rows.n_classes <= 2:
        return None
    fitted = [
        linear_shortlist(rows, machines),
        quadratic_shortlist(rows, machines),
        *(landmark_shortlist(rows, machines, n) for n in N_LANDMARKS),
    ]
    found = [f for f in fitted if f is not None]
    if not found:
        return None
    costs = []
    # The scores are known for rows that are looked at together.
    n_compared = min(ROWS_TO_COMPARE, rows_at_once(machines.query_width(rows.X)))
    for f in found:
        chosen = np.unique(np.linspace(0, len(f.rows) - 1, n_compared).astype(np.int64))
        X = _rows_of(rows, f.rows[chosen])
        costs.append(_evaluations(Elimination(levels, _KnownScores(f, chosen, theta)), machines, X))
    best = int(np.argmin(costs))
    for t in np.argsort(costs):
        is_better = found[t].shortlist.accuracy >= found[best].shortlist.accuracy + BETTER_ACCURACY
        if is_better and costs[t] <= SIMILAR_COST * min(costs):
            best = int(t)
    uneven = machines.n_support.max() > UNEVEN * np.median(machines.n_support)
    if uneven and few:
        cost = machines.n_support.astype(np.float64)
        plain = plain_route(table, theta, routing, "cost", cost, max_nodes=2**16)
        if _evaluations(plain, machines, X) < costs[best]:
            return None
    return found[best].shortlist


def _rows_of(rows: TrainingRows, chosen: NDArray[np.int64]) -> Any:
    return rows.X[chosen if rows.place is None else rows.place[chosen]]


def _evaluations(route: Route, machines: PairwiseMachines, X: Any) -> float:
    """The mean number of kernel evaluations per row."""
    rows, asked = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
    for round_ in route.rounds(machines, X, n_jobs=1):
        rows.append(round_.rows[round_.machine != NO_MACHINE])
        asked.append(round_.machine[round_.machine != NO_MACHINE])
    row, machine = np.concatenate(rows), np.concatenate(asked)
    path_start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=X.shape[0]))])
    cost = machines.path_cost(path_start, machine[np.argsort(row, kind="stable")])
    return float(cost["kernel_evaluations"].mean()) + route.cost
