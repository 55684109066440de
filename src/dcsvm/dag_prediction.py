"""What a classifier that walks a decision structure can tell about rows.

Mixed into every such estimator, which brings `classes_`, `machines_`, `n_jobs`, a fitted
`_grower`, and `_check_rows`, its validation of X.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from dcsvm.candidates import unpack
from dcsvm.confidence import binary_decision, squash
from dcsvm.dag import DecisionDag
from dcsvm.grower import Grower
from dcsvm.predictor import Step, leaves, walk
from dcsvm.row_predictor import RowPredictor


class DagPredictionMixin:
    """Prediction by walking a `DecisionDag`."""

    classes_: NDArray[Any]
    machines_: Any
    n_jobs: int | None
    _grower: Grower
    _check_rows: Callable[[Any], Any]

    @property
    def dag_(self) -> DecisionDag:
        """The decision structure, as far as rows have had it grown."""
        check_is_fitted(self)
        return self._grower.dag

    @property
    def predictor_(self) -> RowPredictor:
        """The light way to predict single rows, free of checks."""
        check_is_fitted(self)
        return RowPredictor(self.classes_, self.machines_, self._grower)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row of X."""
        leaf = self.apply(X)
        return self.classes_[leaf]

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The leaf of `dag_` that each row ends in. Leaf c is class `classes_[c]`."""
        X = self._check_rows(X)
        return leaves(self.machines_, self._grower, X, self.n_jobs)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """How long each class stayed in play: the last one left has the highest value.

        Shape (n_samples, n_classes). A class that was dropped with d decisions still to come
        after its own has a value in (−d − 4/3, −d − 1], the lower the clearer it was dropped;
        the class predicted has one in [0, 1/3), the higher the clearer the last decision. Two
        classes: shape (n_samples,), the value of their machine, positive for the second one.
        """
        X = self._check_rows(X)
        if len(self.classes_) == 2:
            values = np.empty(X.shape[0])
            for step in self._walk(X):
                values[step.rows] = step.values
            return binary_decision(values)
        decision = np.zeros((X.shape[0], len(self.classes_)))
        for step in self._walk(X):
            k, candidates = step.dag.n_classes, step.dag.candidates
            was_in, is_in = unpack(candidates[step.nodes], k), unpack(candidates[step.children], k)
            clarity = squash(np.abs(step.values))[:, np.newaxis]
            won = is_in & (step.children < k)[:, np.newaxis]
            decision[step.rows] += won * clarity - ~is_in - (was_in & ~is_in) * clarity
        return decision

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """The nodes of `dag_` each row passes, leaf included, as an indicator matrix.

        Shape (n_samples, n_nodes). A node keeps its column for good; rows that come by where
        none has been before add columns at the end.
        """
        X = self._check_rows(X)
        rows, nodes = [np.arange(X.shape[0])], [np.full(X.shape[0], self.dag_.root)]
        for step in self._walk(X):
            rows.append(step.rows)
            nodes.append(step.children)
        row, node = np.concatenate(rows), np.concatenate(nodes)
        shape = (X.shape[0], self.dag_.n_nodes)
        path = sparse.csr_matrix((np.ones(len(row), dtype=np.int64), (row, node)), shape=shape)
        path.sort_indices()
        return path

    def decision_cost(self, X: Any) -> Any:
        """What the prediction of each row costs.

        Returns
        -------
        cost : Bunch
            Arrays of shape (n_samples,): `decisions` (machines asked) and, for support vector
            machines, `support_vectors` (of all machines asked, added up, as the paper counts)
            and `kernel_evaluations` (the distinct ones among them).
        """
        X = self._check_rows(X)
        rows, asked = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
        for step in self._walk(X):
            rows.append(step.rows)
            asked.append(step.dag.machine[step.nodes])
        row, machine = np.concatenate(rows), np.concatenate(asked)
        decisions = np.bincount(row, minlength=X.shape[0])
        path_start = np.concatenate([[0], np.cumsum(decisions)])
        by_row = machine[np.argsort(row, kind="stable")]
        return Bunch(decisions=decisions, **self.machines_.path_cost(path_start, by_row))

    def _walk(self, X: Any) -> Iterator[Step]:
        return walk(self.machines_, self._grower, X, self.n_jobs)
