"""The classifier compared with a vote of all its machines, and with itself at other θ."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.inspection.threshold_display import THETAS
from dcsvm.inspection.voting import vote_of_all
from dcsvm.report.features import number
from dcsvm.report.rows import UNLABELLED, ReportRows

COSTS = ("decisions", "support_vectors", "kernel_evaluations")
# The time is the shortest of so many repetitions, or of fewer that take so long together.
REPEATS = 5
MOST_SECONDS = 0.5


class Outcome(NamedTuple):
    """The predictions of a method for all rows, and their cost."""

    predicted: NDArray[np.int64]  # indices of classes
    cost: dict[str, NDArray[Any]]  # of each row, by the names in COSTS where known
    seconds: float  # per row


def outcome_of(classifier: Any, X: Any) -> Outcome:
    """The predictions of a classifier."""
    predicted, seconds = _timed(classifier.apply, X)
    return Outcome(predicted, dict(classifier.decision_cost(X)), seconds)


def outcome_of_vote(classifier: Any, X: Any) -> Outcome:
    """The predictions of a vote of all its machines."""
    voting = vote_of_all(classifier)
    labels, seconds = _timed(voting.predict, X)
    predicted = np.searchsorted(classifier.classes_, labels)
    return Outcome(predicted, dict(voting.decision_cost(X)), seconds)


def _timed(predict: Callable[[Any], NDArray[Any]], X: Any) -> tuple[NDArray[Any], float]:
    """The predictions, and the shortest time per row."""
    times: list[float] = []
    while sum(times) < MOST_SECONDS and len(times) < REPEATS:
        begin = perf_counter()
        predicted = predict(X)
        times.append(perf_counter() - begin)
    return predicted, min(times) / len(predicted)


def accuracy(truth: NDArray[np.int64] | None, predicted: NDArray[np.int64]) -> float | None:
    """The share of correct predictions among the rows with a known class."""
    if truth is None:
        return None
    known = truth != UNLABELLED
    return float((truth == predicted)[known].mean())


def summarise(rows: ReportRows, ours: Outcome, vote: Outcome) -> dict[str, Any]:
    """Accuracy and mean cost of both."""
    both = {}
    for name, outcome in (("ours", ours), ("vote", vote)):
        figures = _figures(rows, outcome.predicted, outcome.cost)
        both[name] = {**figures, "seconds": number(outcome.seconds, 3)}
    return {
        **both,
        "agreement": float((ours.predicted == vote.predicted).mean()),
        "decisions": np.bincount(ours.cost["decisions"]).tolist(),
    }


def over_thetas(
    classifier: Any, theta: float, rows: ReportRows, vote: Outcome
) -> list[dict[str, Any]]:
    """The classifier at other θ. Nothing is trained."""
    points = []
    for at in sorted({*THETAS, theta}):
        other = classifier.rethreshold(theta=at)
        predicted = other.apply(rows.inputs)
        agreement = float((predicted == vote.predicted).mean())
        figures = _figures(rows, predicted, other.decision_cost(rows.inputs))
        points.append({"theta": at, "agreement": agreement, **figures})
    return points


def _figures(
    rows: ReportRows, predicted: NDArray[np.int64], cost: dict[str, Any]
) -> dict[str, Any]:
    """Accuracy and mean cost; a cost that is not known is None."""
    means = {name: number(float(np.mean(cost[name]))) if name in cost else None for name in COSTS}
    return {"accuracy": accuracy(rows.truth, predicted), **means}
