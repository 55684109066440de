"""The vote of all machines of a fitted classifier, as a reference for its accuracy and cost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _num_samples

from dcsvm.estimators.access import validated_rows
from dcsvm.estimators.base import BasePairwiseSVC
from dcsvm.estimators.one_vs_one import OneVsOneSVC
from dcsvm.estimators.voting import count_votes

# Decision values held at a time.
VALUES_AT_ONCE = 2**24


def vote_of_all(classifier: Any) -> Any:
    """An estimator with `predict` and `decision_cost` over the machines of a fitted classifier.

    Of classes with equally many votes the first in sorted order wins.
    """
    if isinstance(classifier, BasePairwiseSVC):
        return OneVsOneSVC.from_machines(classifier)
    return _VoteOfEstimators(classifier)


class _VoteOfEstimators:
    """For machines that are any binary classifiers."""

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        X = validated_rows(self.classifier, X)
        machines, classes = self.classifier.machines_, self.classifier.classes_
        query = machines.prepare(X)
        at_once = max(1, VALUES_AT_ONCE // machines.n_machines)
        winners = np.empty(X.shape[0], dtype=np.int64)
        for begin in range(0, X.shape[0], at_once):
            end = min(begin + at_once, X.shape[0])
            values = machines.all_values(query, begin, end)
            votes = count_votes(values, machines.pairs, len(classes))
            winners[begin:end] = votes.argmax(axis=1)
        return classes[winners]  # type: ignore[no-any-return]

    def decision_cost(self, X: Any) -> dict[str, NDArray[np.int64]]:
        """The number of machines, for each row."""
        n_machines = self.classifier.machines_.n_machines
        return {"decisions": np.full(_num_samples(X), n_machines)}
