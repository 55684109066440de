"""The score of a point on the test rows of a fold, by any scorer.

Weights of rows count in the score where the scorer takes them, as in the estimator: a row of weight
two is a row written twice.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring, get_scorer

from dcsvm.estimators.search.fold_classifier import FoldClassifier


class Judged(NamedTuple):
    """The test rows of a fold, and what the machines of a point make of them."""

    codes: NDArray[np.int64]
    voted: NDArray[np.int64]
    weight: NDArray[np.float64] | None
    X: Any
    y: Any
    # (n_rows, ): of the only machine, if there are two classes.
    values: NDArray[np.float64] | None
    make: Callable[[], Any]  # a classifier for whatever else a scorer asks for


class Scoring:
    """A scorer, and what is known of it."""

    def __init__(self, scoring: Any, classifier: Any, classes: NDArray[Any]) -> None:
        self.classes = classes
        self.is_accuracy = scoring is None or scoring == "accuracy"
        self.scorer = get_scorer("accuracy")
        if not self.is_accuracy:
            self.scorer = check_scoring(classifier, scoring)
        # make_scorer says so; a function may ask for anything.
        self.needs_labels_alone = getattr(self.scorer, "_response_method", None) == "predict"
        function = getattr(self.scorer, "_score_func", self.scorer)
        self.takes_weights = "sample_weight" in signature(function).parameters

    def score(self, judged: Judged) -> float:
        """The score on all test rows."""
        if self.is_accuracy:
            right = judged.codes == judged.voted
            return float(np.average(right, weights=judged.weight))
        classifier = FoldClassifier(
            self.classes, judged.X, judged.voted, judged.values, judged.make
        )
        return self.score_of(classifier, judged.X, judged.y, judged.weight)

    def score_of(
        self, classifier: Any, X: Any, y: Any, weight: NDArray[np.float64] | None
    ) -> float:
        """The score of a fitted classifier."""
        return float(self.scorer(classifier, X, y, **self._weights(weight)))

    def without(self, judged: Judged, left_out: NDArray[np.bool_]) -> float:
        """The score on the other test rows, of a scorer that needs labels alone."""
        stay = ~left_out
        return self.score(
            judged._replace(
                codes=judged.codes[stay],
                voted=judged.voted[stay],
                weight=None if judged.weight is None else judged.weight[stay],
                X=np.flatnonzero(stay),  # it asks for the labels of these rows alone
                y=self.classes[judged.codes[stay]],
            )
        )

    def _weights(self, weight: NDArray[np.float64] | None) -> dict[str, Any]:
        return {"sample_weight": weight} if self.takes_weights and weight is not None else {}
