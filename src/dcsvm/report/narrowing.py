"""How the rows of a report come to one class: what is left after each decision, who is asked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.some_pairs import NO_MACHINE
from dcsvm.inspection.fitted import FittedClassifier
from dcsvm.routing.route import Phase

# The decisions that are told one by one; what comes later counts as after the last of them.
MOST_STEPS = 40


class Narrowing(NamedTuple):
    """All rounds of all rows, counted."""

    left: NDArray[np.int64]  # (row, step): classes left after so many decisions
    by_scores: bool  # whether step 0 is after the scores of a shortlist
    n_voted: int  # rows that the final vote decided
    usage: NDArray[np.int64]  # rows for which each machine is evaluated


def narrow(fitted: FittedClassifier, X: Any) -> Narrowing:
    """Follow validated rows through all of their rounds."""
    n, k = X.shape[0], len(fitted.classifier.classes_)
    left = np.zeros((n, MOST_STEPS + 1), dtype=np.int64)
    left[:, 0] = k
    step = np.zeros(n, dtype=np.int64)
    usage = np.zeros(fitted.classifier.machines_.n_machines, dtype=np.int64)
    by_scores, n_voted = False, 0
    for round_ in fitted.rounds(X):
        rows = round_.rows
        by_scores |= round_.phase is Phase.SCORES
        n_voted += len(rows) if round_.phase is Phase.VOTE else 0
        evaluated = round_.machine != NO_MACHINE
        np.add.at(usage, round_.machine[evaluated], 1)
        step[rows] = np.minimum(step[rows] + evaluated, MOST_STEPS)
        left[rows, step[rows]] = round_.is_in.sum(axis=1)
    for at in range(1, MOST_STEPS + 1):  # a row that is done keeps its one class
        left[:, at] = np.where(left[:, at] > 0, left[:, at], left[:, at - 1])
    return Narrowing(left, by_scores, n_voted, usage)
