"""What elimination costs, measured on some of the training rows.

They have the scores that they would have if left out. The machines were trained on them, which
makes paths shorter than those of other rows, but serves to compare.
"""

from __future__ import annotations

from collections.abc import Iterable

from dcsvm.data.rows import TrainingRows
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.elimination.calibration import Fitted
from dcsvm.routing.elimination.linear import evenly
from dcsvm.routing.elimination.rounds import Plausibility, eliminate, within_gap
from dcsvm.routing.route import Round, paths

# Rows on which costs are compared.
ROWS_TO_COMPARE = 128


def cost_with(
    fitted: Fitted,
    rows: TrainingRows,
    machines: PairwiseMachines,
    plausibility: Plausibility,
    theta: float,
) -> float:
    """The mean number of kernel evaluations per row with a shortlist."""
    chosen = evenly(len(fitted.rows), ROWS_TO_COMPARE)
    query = machines.prepare(rows.take(fitted.rows[chosen]))
    scores = fitted.left_out[chosen].astype("float32")
    candidates = within_gap(scores, fitted.shortlist.at(theta).gap)
    rounds = eliminate(machines, plausibility, query, scores, candidates)
    return mean_evaluations(rounds, machines, len(chosen)) + fitted.shortlist.cost


def mean_evaluations(rounds: Iterable[Round], machines: PairwiseMachines, n_rows: int) -> float:
    """The mean number of distinct kernel evaluations of these rounds."""
    cost = machines.path_cost(*paths(rounds, n_rows))
    return float(cost["kernel_evaluations"].mean())
