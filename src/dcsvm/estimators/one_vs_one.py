"""`OneVsOneSVC`: the vote of all machines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dcsvm.estimators.checks import check_breaks_ties
from dcsvm.estimators.decision_values import pairwise_decision
from dcsvm.estimators.device_prediction import (
    device_of_prediction,
    of_kind,
    values_there,
    votes_of_classes_there,
    winners_there,
)
from dcsvm.estimators.machines_only import MachinesOnlySVC
from dcsvm.estimators.state import snapshot
from dcsvm.estimators.voting import vote_decision, vote_of_machines


class OneVsOneSVC(MachinesOnlySVC):
    """The vote of all k(k−1)/2 machines, as in :class:`sklearn.svm.SVC`.

    Every machine votes for one of its two classes; the class with most votes wins, of
    equals the first in sorted order, or with `break_ties` that for which the values of its
    machines add up to most. Parameters and attributes are those of
    :class:`DCSVC`, without the table and the decision structure.
    """

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row of X."""
        now = snapshot(self)
        check_breaks_ties(now)
        check_is_fitted(now)
        if (device := device_of_prediction(now, X)) is not None:
            return winners_there(device, now, X)  # type: ignore[no-any-return]
        X = now._check_rows(X)
        return np.asarray(now.classes_[now._winners(now.machines_, X)])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Votes of each class, and how clear they were.

        Shape (n_samples, n_classes). To the number of votes comes the sum of the values for
        the class, mapped into (−1/3, 1/3), and without `break_ties` 2/3 for the class predicted, so
        that the highest value is always its own, also where votes are equal. Two classes: shape
        (n_samples,), the value of their machine, positive for the second one.

        With decision_function_shape="ovo" the values of all machines, as in
        :class:`sklearn.svm.SVC`: shape (n_samples, n_machines), positive for the first class.
        """
        now = snapshot(self)
        check_is_fitted(now)
        k = len(now.classes_)
        if (device := device_of_prediction(now, X)) is not None:
            if k == 2 or now.decision_function_shape == "ovo":
                return values_there(device, now, X)  # type: ignore[no-any-return]
            return of_kind(device, X, votes_of_classes_there(device, now, X))  # type: ignore[no-any-return]
        X = now._check_rows(X)
        if k == 2 or now.decision_function_shape == "ovo":
            return pairwise_decision(now.machines_, X, now.n_jobs)
        return vote_decision(now.machines_, X, now.n_jobs, winner_first=not now.break_ties)

    def _winners(self, machines: Any, X: Any) -> NDArray[np.int64]:
        if self.break_ties and len(self.classes_) > 2:
            scores = vote_decision(machines, X, self.n_jobs, winner_first=False)
            return np.asarray(scores.argmax(axis=1))
        return vote_of_machines(machines, X, self.n_jobs)

    def decision_cost(self, X: Any) -> Any:
        """What the prediction of each row costs: the same for all; see `DCSVC.decision_cost`."""
        now = snapshot(self)
        X = now._check_rows(X)
        return now.machines_.vote_cost(X.shape[0])
