"""The classifier against a vote of all its machines, and against itself at other θ."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.estimators.access import validated_rows
from dcsvm.estimators.base import BasePairwiseSVC
from dcsvm.estimators.one_vs_one import OneVsOneSVC
from dcsvm.report.features import number
from dcsvm.report.rows import UNLABELLED, ReportRows

THETAS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
COSTS = ("decisions", "support_vectors", "kernel_evaluations")
# The best of some repetitions is taken for the time, of fewer where one takes long.
REPEATS = 5
MOST_SECONDS = 0.5
# Numbers held at a time where a vote is counted here.
VALUES_AT_ONCE = 2**24


class Outcome(NamedTuple):
    """What a method says of all rows, and at which cost."""

    predicted: NDArray[np.int64]
    cost: dict[str, NDArray[Any]]  # per row, by the names in COSTS as far as known
    seconds: float  # per row


class _Vote:
    """A vote over machines of any kind; of equals the first class wins."""

    def __init__(self, classifier: Any) -> None:
        self.machines = classifier.machines_
        self.check = partial(validated_rows, classifier)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Class numbers."""
        X = self.check(X)
        machines, k = self.machines, self.machines.n_classes
        i, j = machines.pairs.T
        at_once = max(1, VALUES_AT_ONCE // machines.n_machines)
        winners = []
        for begin in range(0, X.shape[0], at_once):
            end = min(begin + at_once, X.shape[0])
            values = machines.all_values(machines.prepare(X), begin, end)
            for_class = np.where(values > 0, i, j)
            for_class += k * np.arange(end - begin, dtype=for_class.dtype)[:, np.newaxis]
            votes = np.bincount(for_class.ravel(), minlength=k * (end - begin))
            winners.append(votes.reshape(-1, k).argmax(axis=1))
        return np.concatenate(winners)


def ask_classifier(classifier: Any, X: Any) -> Outcome:
    """The classifier itself."""
    predicted, seconds = _timed(classifier.apply, X)
    return Outcome(predicted, dict(classifier.decision_cost(X)), seconds)


def ask_vote(classifier: Any, X: Any) -> Outcome:
    """A vote of all machines."""
    if not isinstance(classifier, BasePairwiseSVC):
        vote = _Vote(classifier)
        predicted, seconds = _timed(vote.predict, X)
        decisions = np.full(len(predicted), classifier.machines_.n_machines)
        return Outcome(predicted, {"decisions": decisions}, seconds)
    svc = OneVsOneSVC.from_machines(classifier)
    labels, seconds = _timed(svc.predict, X)
    predicted = np.searchsorted(classifier.classes_, labels)
    return Outcome(predicted, dict(svc.decision_cost(X)), seconds)


def _timed(predict: Callable[[Any], NDArray[Any]], X: Any) -> tuple[NDArray[Any], float]:
    """What it says, and the least time that it took for a row."""
    times: list[float] = []
    while sum(times) < MOST_SECONDS and len(times) < REPEATS:
        begin = perf_counter()
        found = predict(X)
        times.append(perf_counter() - begin)
    return found, min(times) / len(found)


def accuracy(truth: NDArray[np.int64] | None, predicted: NDArray[np.int64]) -> float | None:
    """The share of right answers among rows whose class is known."""
    if truth is None:
        return None
    known = truth != UNLABELLED
    return float((truth == predicted)[known].mean())


def summarise(rows: ReportRows, ours: Outcome, vote: Outcome) -> dict[str, Any]:
    """The figures of both, side by side."""

    def figures(outcome: Outcome) -> dict[str, Any]:
        means = {name: _mean(outcome.cost.get(name)) for name in COSTS}
        return {
            "accuracy": accuracy(rows.truth, outcome.predicted),
            **means,
            "seconds": number(outcome.seconds, 3),
        }

    return {
        "ours": figures(ours),
        "vote": figures(vote),
        "agreement": float((ours.predicted == vote.predicted).mean()),
        "decisions": np.bincount(ours.cost["decisions"]).tolist(),
    }


def over_thetas(
    classifier: Any, theta: float, rows: ReportRows, vote: Outcome
) -> list[dict[str, Any]]:
    """The classifier at other θ: nothing is trained."""
    points = []
    for at in sorted({*THETAS, theta}):
        other = classifier.rethreshold(theta=at)
        predicted = other.apply(rows.inputs)
        cost = other.decision_cost(rows.inputs)
        points.append(
            {
                "theta": at,
                "accuracy": accuracy(rows.truth, predicted),
                "agreement": float((predicted == vote.predicted).mean()),
                **{name: _mean(cost.get(name)) for name in COSTS},
            }
        )
    return points


def _mean(values: Any) -> float | int | None:
    return None if values is None else number(float(np.mean(values)))
