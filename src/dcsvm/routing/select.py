"""From a table to a route: which way from a row to its class a classifier takes.

With a shortlist, classes are eliminated in the order of its scores (elimination/rounds.py);
without one, along a decision structure (dag/). Either way the sign of a decision value decides,
or the value itself.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.threads import n_threads, run_short
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.dag.growing import MAX_NODES, Grower
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.dag.splitting import MarginSplitter, SignSplitter
from dcsvm.routing.elimination.calibration import Fitted
from dcsvm.routing.elimination.linear import (
    N_LANDMARKS,
    Limits,
    evenly,
    has_few_products,
    landmark_shortlist,
    linear_shortlist,
    quadratic_shortlist,
)
from dcsvm.routing.elimination.measuring import ROWS_TO_COMPARE, Trials, mean_evaluations
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.plausibility import Levels, margin_levels, sign_levels
from dcsvm.routing.route import Route
from dcsvm.routing.sides import sides
from dcsvm.table.prediction_table import PredictionTable

ROUTINGS = ("sign", "margin")

# A structure, which begins with the machines that tell most per kernel evaluation, may cost less
# than a shortlist only where the most expensive machine costs this many times the median one.
UNEVEN = 8
# With more classes a structure takes longer to grow than it could save.
MOST_CLASSES_WITHOUT_SHORTLIST = 32
# A shortlist whose accuracy is better by so much may cost so many times the cheapest one.
BETTER_ACCURACY = 0.05
SIMILAR_COST = 1.15
# Nodes of a structure that is grown only to measure its cost.
NODES_TO_COMPARE = 2**16


class Rule(NamedTuple):
    """How decision values remove classes."""

    theta: float
    routing: str  # one of ROUTINGS
    criterion: str = "cost"  # these two: of a decision structure alone
    max_nodes: int = MAX_NODES


def make_levels(table: PredictionTable, rule: Rule) -> Levels:
    """The values at which each class is plausible."""
    if rule.routing == "margin":
        return margin_levels(table, rule.theta)
    return sign_levels(sides(table, rule.theta))


def make_dag_route(
    table: PredictionTable,
    rule: Rule,
    cost: NDArray[np.float64] | None = None,
    levels: Levels | None = None,
) -> DagRoute:
    """The route along a decision structure; `cost` is that of evaluating each machine."""
    at_theta = sides(table, rule.theta, cost)
    if rule.routing == "margin":
        levels = margin_levels(table, rule.theta) if levels is None else levels
        splitter = MarginSplitter(levels, at_theta, rule.criterion)
        return DagRoute(Grower(splitter, rule.max_nodes))
    return DagRoute(Grower(SignSplitter(at_theta, rule.criterion), rule.max_nodes))


def make_route(
    machines: PairwiseMachines,
    table: PredictionTable,
    rule: Rule,
    shortlist: Any = None,
    levels: Levels | None = None,
) -> Route:
    """The route by a rule, with a shortlist or without; `levels` where they are known."""
    if shortlist is None:
        cost = np.maximum(machines.n_support, 1).astype(np.float64)
        return make_dag_route(table, rule, cost)
    levels = make_levels(table, rule) if levels is None else levels
    return Elimination(levels, shortlist.at(rule.theta))


def choose_shortlist(table: PredictionTable, rule: Rule, trials: Trials) -> Fitted | None:
    """The shortlist with which the fewest kernel evaluations are needed, or None.

    Measured on some of the training rows, with the scores they have when left out. That the
    machines were trained on these rows favours no shortlist over another.
    """
    rows, machines = trials.rows, trials.machines
    if rows.n_classes <= 2:
        return None
    tried = _try_out(rule.theta, trials)
    if not tried:
        return None
    fitted, costs = [f for f, _ in tried], [cost for _, cost in tried]
    best = _best(costs, [f.shortlist.accuracy for f in fitted])
    few = rows.n_classes <= MOST_CLASSES_WITHOUT_SHORTLIST
    uneven = machines.n_support.max() > UNEVEN * np.median(machines.n_support)
    if few and uneven:
        by_cost = rule._replace(criterion="cost", max_nodes=NODES_TO_COMPARE)
        structure = make_dag_route(table, by_cost, machines.n_support.astype(np.float64))
        rows_of_best = fitted[best].rows
        X = rows.take(rows_of_best[evenly(len(rows_of_best), ROWS_TO_COMPARE)])
        rounds = structure.rounds(machines, X, n_jobs=1)
        if mean_evaluations(rounds, machines, X.shape[0]) < costs[best]:
            return None
    return fitted[best]


def _try_out(theta: float, trials: Trials) -> list[tuple[Fitted, float]]:
    """The shortlists that may be the best, side by side, and their costs.

    One whose scores alone cost too much beside another is not fitted, if that one came first. As
    it would not be the best, the choice does not depend on the order.
    """
    makers = [linear_shortlist, quadratic_shortlist]
    makers += [partial(landmark_shortlist, n_landmarks=n) for n in N_LANDMARKS]
    threads = n_threads(trials.n_jobs)
    side_by_side = min(threads, len(makers))
    largest = int(has_few_products(trials.rows.X.shape[1]))  # it gets the threads that are left
    costs: list[float] = []

    def try_out(number: int) -> tuple[Fitted, float] | None:
        n_jobs = 1 + threads - side_by_side if number == largest else 1
        limits = Limits(SIMILAR_COST * min(costs, default=np.inf), n_jobs)
        fitted = makers[number](trials.rows, trials.machines, limits)
        if fitted is None:
            return None
        costs.append(trials.cost(fitted, theta, n_jobs))
        return fitted, costs[-1]

    tried = run_short(try_out, range(len(makers)), side_by_side)
    return [found for found in tried if found is not None]


def _best(costs: list[float], accuracies: list[float]) -> int:
    """The cheapest, or one of similar cost that is clearly more accurate."""
    cheapest = best = int(np.argmin(costs))
    for t in np.argsort(costs).tolist():
        is_better = accuracies[t] >= accuracies[best] + BETTER_ACCURACY
        if is_better and costs[t] <= SIMILAR_COST * costs[cheapest]:
            best = t
    return best
