"""`EstimatorMachines`: fitted binary classifiers of any kind as machines.

The value of a classifier is its `decision_function`. One that has only `predict_proba` has the log
odds of its probabilities as values, within `MOST_LOG_ODDS`, as trees and neighbours give
probabilities of 0 and 1. One that has only `predict` has values of 1 and −1. The
values of a regressor of 0 and 1 are its predictions, mapped to −1 and 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from dcsvm.data.pairs import class_pairs, machine_of
from dcsvm.machines.query import group_by
from dcsvm.machines.value_statistics import (
    ClassEntries,
    KeptPart,
    ValueStatistics,
    value_statistics,
)

MOST_ROWS_PER_CALL = 2048
# Decision values (rows × machines) held at a time.
VALUES_PER_CALL = 2**22
# A probability of 1.3e-14 is as good as none; a power of 2 is the same in half precision.
MOST_LOG_ODDS = 32.0


@dataclass(eq=False, repr=False)
class EstimatorMachines:
    """Fitted binary classifiers, one per pair of classes, positive for i.

    Attributes
    ----------
    estimators : sequence of fitted classifiers
    columns : sequence of arrays, or None
        For pairwise estimators, the training rows that each was fitted to.
    """

    n_classes: int
    estimators: Sequence[Any]
    columns: Sequence[NDArray[np.int64]] | None

    @property
    def n_machines(self) -> int:
        """k(k−1)/2."""
        return len(self.estimators)

    @property
    def pairs(self) -> NDArray[np.int32]:
        """The classes of each machine."""
        return class_pairs(self.n_classes)

    def machine_of(self, i: Any, j: Any) -> Any:
        """The number of the machine of classes i < j, which may be arrays."""
        return machine_of(i, j, self.n_classes)

    @property
    def rows_per_call(self) -> int:
        """Rows for which all values are computed in little time and memory."""
        return max(1, min(MOST_ROWS_PER_CALL, VALUES_PER_CALL // self.n_machines))

    def query_width(self, X: Any) -> int:
        """Estimators take rows as they are."""
        return int(X.shape[1])

    def prepare(self, X: Any) -> Any:
        """Estimators take rows as they are."""
        return X

    def values(
        self,
        query: Any,
        row: NDArray[np.int64],
        machine: NDArray[np.int32],
        n_jobs: int | None = None,
    ) -> NDArray[np.float64]:
        """The value of machine[t] at row row[t], for every t."""
        out = np.empty(len(row))
        for m, at in group_by(machine):
            out[at] = self._value(m, query[row[at]])
        return out

    def all_values(self, query: Any, begin: int, end: int) -> NDArray[np.float64]:
        """The values of all machines at rows `begin` to `end`."""
        return self.values_of(np.arange(self.n_machines, dtype=np.int32), query[begin:end])

    def values_of(self, machines: NDArray[np.int32], X: Any) -> NDArray[np.float64]:
        """The values of some machines at all rows of X."""
        return np.column_stack([self._value(m, X) for m in machines.tolist()])

    def observe(
        self,
        X: Any,
        weight: NDArray[np.float64],
        edges: NDArray[np.int64],
        keep_signs: bool,
        kept: KeptPart | None = None,
    ) -> ValueStatistics:
        """How all machines see the rows of X, part p of them X[edges[p] : edges[p + 1]]."""
        values = self.all_values(X, 0, X.shape[0])
        if kept is not None:
            kept.keep(values)
        return value_statistics(values, weight, edges, keep_signs)

    def observe_classes(
        self,
        X: Any,
        weight: NDArray[np.float64],
        edges: NDArray[np.int64],
        entries: ClassEntries,
        keep_signs: bool,
        kept: KeptPart | None = None,
    ) -> NDArray[np.uint8] | None:
        """Write the same to the table, of parts that are a class each; returns the signs."""
        seen = self.observe(X, weight, edges, keep_signs, kept)
        entries.write_all(seen, edges)
        return seen.signs

    def path_cost(self, path_start: Any, machine: Any) -> dict[str, NDArray[np.int64]]:
        """The number of decisions: nothing else is known about an arbitrary classifier."""
        return {}

    def _value(self, m: int, X: Any) -> NDArray[np.float64]:
        estimator = self.estimators[m]
        if self.columns is not None:
            X = X[:, self.columns[m]]
        if hasattr(estimator, "decision_function"):
            return np.asarray(estimator.decision_function(X), dtype=np.float64).reshape(-1)
        if hasattr(estimator, "predict_proba"):
            return log_odds(np.asarray(estimator.predict_proba(X), dtype=np.float64))
        predicted = estimator.predict(X)
        if is_regressor(estimator):
            return np.asarray(2 * predicted - 1, dtype=np.float64).reshape(-1)
        return np.where(predicted == 1, 1.0, -1.0)

    def __repr__(self) -> str:
        return f"EstimatorMachines({self.n_machines} × {type(self.estimators[0]).__name__})"


def log_odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """The log odds of the second of two classes, from the probabilities of both."""
    j, i = np.log(np.maximum(probability, np.exp(-MOST_LOG_ODDS))).T
    return np.asarray(np.clip(i - j, -MOST_LOG_ODDS, MOST_LOG_ODDS))
