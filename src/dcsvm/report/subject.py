"""`Subject`: what a report is about, on which all of its sections rest."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from dcsvm.estimators.access import validated_rows
from dcsvm.estimators.prediction import RethresholdMixin
from dcsvm.inspection.fitted import FittedClassifier, find_classifier
from dcsvm.inspection.search_map import SearchMap
from dcsvm.inspection.voting import vote_of_all
from dcsvm.report.narrowing import Narrowing, narrow
from dcsvm.report.rows import ReportRows, choose_rows, draw_rows

# The rows whose paths are on the page: at most so many, fewer with many classes, since a path
# names each class that is dropped, but not fewer than the least number.
MOST_FOLLOWED = 500
MOST_DROPPED = 120_000
LEAST_FOLLOWED = 100
# The time is the shortest of so many repetitions, or of fewer that take so long together.
REPEATS = 5
MOST_SECONDS = 0.5


class Outcome(NamedTuple):
    """The predictions of a method for all rows, and their cost."""

    predicted: NDArray[np.int64]  # indices of classes
    cost: dict[str, NDArray[Any]]  # of each row, by the names of `decision_cost` where known
    seconds: float  # per row


class Subject(NamedTuple):
    """A model, the rows of a report, and what the model and the vote of its machines predict."""

    model: Any  # as passed: a classifier, or a pipeline that ends in one
    fitted: FittedClassifier
    rows: ReportRows
    ours: Outcome
    vote: Outcome
    narrowing: Narrowing
    followed: NDArray[np.int64]  # the rows whose paths are shown one by one
    search: SearchMap | None = None  # where the model does not have it itself

    @property
    def classifier(self) -> Any:
        """The classifier in which the model ends."""
        return self.fitted.classifier

    @property
    def theta(self) -> float:
        """θ of the classifier."""
        assert self.fitted.theta is not None
        return self.fitted.theta


def study(model: Any, X: Any, y: Any, *, max_rows: int | None, random_state: Any) -> Subject:
    """Check the model, draw the rows and predict them."""
    fitted = find_classifier(model)
    clf = fitted.classifier
    if not isinstance(clf, RethresholdMixin):
        raise TypeError(
            "A report is about a DCSVC or a DivideAndConquerClassifier, or a pipeline that ends "
            f"in one, not {type(clf).__name__}."
        )
    if fitted.some_machines:
        raise TypeError(
            "A report compares with the vote of all machines and shows their table, but only the "
            "machines needed are trained: fit with machines='all'."
        )
    rows = draw_rows(fitted, X, y, max_rows, random_state)
    ours, vote = outcome_of(clf, rows.inputs), outcome_of_vote(clf, rows.inputs)
    most = max(LEAST_FOLLOWED, min(MOST_FOLLOWED, MOST_DROPPED // len(clf.classes_)))
    followed = choose_rows(rows.truth, ours.predicted, most, check_random_state(random_state))
    narrowing = narrow(fitted, validated_rows(clf, rows.inputs))
    return Subject(model, fitted, rows, ours, vote, narrowing, followed)


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
