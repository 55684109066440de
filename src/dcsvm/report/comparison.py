"""The classifier compared with a vote of all its machines, and with itself at other θ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.inspection.threshold_display import THETAS
from dcsvm.report.features import number
from dcsvm.report.rows import UNLABELLED, ReportRows
from dcsvm.report.scores import only_one_right, scores
from dcsvm.report.subject import Subject

COSTS = ("decisions", "support_vectors", "kernel_evaluations")


def accuracy(truth: NDArray[np.int64] | None, predicted: NDArray[np.int64]) -> float | None:
    """The share of correct predictions among the rows with a known class."""
    if truth is None:
        return None
    known = truth != UNLABELLED
    return float((truth == predicted)[known].mean())


def summary(subject: Subject) -> dict[str, Any]:
    """Accuracy and mean cost of both."""
    both = {}
    for name, outcome in (("ours", subject.ours), ("vote", subject.vote)):
        figures = _figures(subject.rows, outcome.predicted, outcome.cost)
        both[name] = {**figures, "seconds": number(outcome.seconds, 3)}
    truth, ours, vote = subject.rows.truth, subject.ours.predicted, subject.vote.predicted
    return {
        **both,
        "scores": None if truth is None else scores(truth, ours),
        "only_one_right": None if truth is None else only_one_right(truth, ours, vote),
        "agreement": float((ours == vote).mean()),
        "decisions": np.bincount(subject.ours.cost["decisions"]).tolist(),
    }


def thresholds(subject: Subject) -> list[dict[str, Any]]:
    """The classifier at other θ. Nothing is trained."""
    rows, points = subject.rows, []
    for at in sorted({*THETAS, subject.theta}):
        other = subject.classifier.rethreshold(theta=at)
        predicted = other.apply(rows.inputs)
        agreement = float((predicted == subject.vote.predicted).mean())
        figures = _figures(rows, predicted, other.decision_cost(rows.inputs))
        points.append({"theta": at, "agreement": agreement, **figures})
    return points


def _figures(
    rows: ReportRows, predicted: NDArray[np.int64], cost: dict[str, Any]
) -> dict[str, Any]:
    """Accuracy and mean cost; a cost that is not known is None."""
    means = {name: number(float(np.mean(cost[name]))) if name in cost else None for name in COSTS}
    return {"accuracy": accuracy(rows.truth, predicted), **means}
