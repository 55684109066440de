"""The classifier of a fold, as a scorer sees it.

The labels of the test rows are those of the vote of all machines, which `DCSVC` gives too but for
few rows, whatever its θ. Most cost nothing: a row whose own class wins all of its machines is right
under the vote, and the values of these machines are known. All machines are evaluated for the
others alone. A scorer that wants more than labels gets a `DCSVC` made of the same machines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from dcsvm.data.rows import TrainingRows
from dcsvm.estimators.decision_values import binary_decision
from dcsvm.estimators.search.few_rows import few_row_vote
from dcsvm.estimators.search.fold_machines import FoldMachines
from dcsvm.estimators.voting import vote_of_machines


def voted_codes(
    found: FoldMachines,
    codes: NDArray[np.int64],
    rows: TrainingRows,
    numbers: NDArray[np.int64],
    n_jobs: int | None,
) -> NDArray[np.int64]:
    """The class of each test row by the vote, given its own class and its number in `rows`."""
    lost = np.flatnonzero(~wins_all(found.values, codes))
    voted = codes.copy()
    if len(lost):
        X, machines = rows.take(numbers[lost]), found.machines
        few = None if sparse.issparse(X) else few_row_vote(machines, X)
        voted[lost] = vote_of_machines(machines, X, n_jobs) if few is None else few
    return voted


def wins_all(values: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the class of each row wins all of its machines, the lower class where value > 0."""
    classes, own = np.arange(values.shape[1]), codes[:, np.newaxis]
    wins = (values > 0) == (own < classes)
    return (wins | (own == classes)).all(axis=1)  # type: ignore[no-any-return]


class FoldClassifier(ClassifierMixin, BaseEstimator):
    """Predicts the test rows by what is known of them, all else by a `DCSVC` made when needed."""

    def __init__(
        self,
        classes: NDArray[Any],
        X_test: Any,
        codes: NDArray[np.int64],
        values: NDArray[np.float64] | None,
        make: Callable[[], Any],
    ) -> None:
        self.classes_ = classes
        self._X_test = X_test
        self._codes = codes
        self._values = values  # of the only machine, if there are two classes
        self._make = make
        self._made: Any = None

    def predict(self, X: Any) -> NDArray[Any]:
        """The labels of the vote."""
        if X is self._X_test:
            return self.classes_[self._codes]
        return self._classifier().predict(X)  # type: ignore[no-any-return]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """As of `DCSVC`."""
        if X is self._X_test and self._values is not None:
            return binary_decision(self._values)
        return self._classifier().decision_function(X)  # type: ignore[no-any-return]

    def _classifier(self) -> Any:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._classifier(), name)
