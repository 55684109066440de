"""What a classifier that asks one machine after the other can tell about rows.

Mixed into every such estimator, which brings `classes_`, `machines_`, `n_jobs`, a fitted
`_route`, and `_check_rows`, its validation of X.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from dcsvm.estimators.decision_values import binary_decision, squash
from dcsvm.estimators.row_predictor import RowPredictor
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.dag.structure import DecisionDag
from dcsvm.routing.dag.walking import Step, walk
from dcsvm.routing.route import NO_MACHINE, Round, Route
from dcsvm.table.prediction_table import PredictionTable


def count_round(decision: NDArray[np.float64], step: Round) -> None:
    """Add what a round says to the `decision_function` of its rows."""
    clarity = squash(np.abs(step.values))[:, np.newaxis]
    won = step.is_in & (step.is_in.sum(axis=1) == 1)[:, np.newaxis]
    dropped = step.was_in & ~step.is_in
    decision[step.rows] += won * clarity - ~step.is_in - dropped * clarity


class RoutedPredictionMixin:
    """Prediction by a `Route`."""

    classes_: NDArray[Any]
    machines_: Any
    n_jobs: int | None
    _route: Route
    _check_rows: Callable[[Any], Any]

    @property
    def dag_(self) -> DecisionDag:
        """The decision structure, as far as rows have had it grown."""
        check_is_fitted(self)
        if not isinstance(self._route, DagRoute):
            raise AttributeError(
                "With a shortlist the machines are not asked along a fixed structure; that of the "
                "paper's rule is rethreshold(routing='sign', shortlist=None).dag_."
            )
        return self._route.grower.dag

    @property
    def predictor_(self) -> RowPredictor:
        """The light way to predict single rows, free of checks."""
        check_is_fitted(self)
        return RowPredictor(self.classes_, self.machines_, self._route)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row of X."""
        leaf = self.apply(X)
        return self.classes_[leaf]

    def predict_with_decisions(self, X: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Predict the class of each row, and count the machines asked, in one pass.

        Parameters
        ----------
        X : {array-like, sparse matrix, frame} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            What `predict` says.
        decisions : ndarray of shape (n_samples,)
            What `decision_cost` counts as decisions, at the speed of `predict`.
        """
        X = self._check_rows(X)
        asked = np.zeros(X.shape[0], dtype=np.int64)
        leaf = self._route.predict(self.machines_, X, self.n_jobs, asked)
        return self.classes_[leaf], asked

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The place in `classes_` of the class each row ends in: the leaf of a `dag_`."""
        X = self._check_rows(X)
        return self._route.predict(self.machines_, X, self.n_jobs)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """How long each class stayed in play: the last one left has the highest value.

        Shape (n_samples, n_classes). A class that was dropped with d rounds still to come
        after its own has a value in (−d − 4/3, −d − 1], the lower the clearer it was dropped;
        the class predicted has one in [0, 1/3), the higher the clearer the last decision. Two
        classes: shape (n_samples,), the value of their machine, positive for the second one.
        """
        X = self._check_rows(X)
        rounds = self._route.rounds(self.machines_, X, self.n_jobs)
        if len(self.classes_) == 2:
            values = np.empty(X.shape[0])
            for step in rounds:
                values[step.rows] = step.values
            return binary_decision(values)
        decision = np.zeros((X.shape[0], len(self.classes_)))
        for step in rounds:
            count_round(decision, step)
        return decision

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Where each row passes, as an indicator matrix.

        With a decision structure the columns are the nodes of `dag_`, leaf included. A node
        keeps its column for good; rows that come by where none has been before add columns at
        the end. Else the columns are the machines, in the order of `machines_`.
        """
        X = self._check_rows(X)
        if isinstance(self._route, DagRoute):
            grower = self._route.grower
            passed = [(np.arange(X.shape[0]), np.full(X.shape[0], grower.dag.root))]
            private: dict[bytes, int] = {}
            for step in walk(self.machines_, grower, X, self.n_jobs):
                passed.append((step.rows, _columns(step, grower, private)))
            n_columns = grower.dag.n_nodes + len(private)
        else:
            passed = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))]
            n_columns = self.machines_.n_machines
            for round_ in self._route.rounds(self.machines_, X, self.n_jobs):
                asked = round_.machine != NO_MACHINE
                passed.append((round_.rows[asked], round_.machine[asked]))
        row, column = map(np.concatenate, zip(*passed, strict=True))
        shape = (X.shape[0], n_columns)
        path = sparse.csr_matrix((np.ones(len(row), dtype=np.int64), (row, column)), shape=shape)
        path.sort_indices()
        return path

    def decision_cost(self, X: Any) -> Any:
        """What the prediction of each row costs.

        Returns
        -------
        cost : Bunch
            Arrays of shape (n_samples,): `decisions` (machines asked) and, for support vector
            machines, `support_vectors` (of all machines asked, added up, as the paper counts)
            and `kernel_evaluations` (the distinct ones among them, and what the shortlist is
            worth in kernel evaluations of as many floating-point operations).
        """
        X = self._check_rows(X)
        rows, asked = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
        for round_ in self._route.rounds(self.machines_, X, self.n_jobs):
            rows.append(round_.rows[round_.machine != NO_MACHINE])
            asked.append(round_.machine[round_.machine != NO_MACHINE])
        row, machine = np.concatenate(rows), np.concatenate(asked)
        decisions = np.bincount(row, minlength=X.shape[0])
        path_start = np.concatenate([[0], np.cumsum(decisions)])
        by_row = machine[np.argsort(row, kind="stable")]
        cost = self.machines_.path_cost(path_start, by_row)
        if self._route.cost:
            cost["kernel_evaluations"] = cost["kernel_evaluations"] + self._route.cost
        return Bunch(decisions=decisions, **cost)


def _columns(step: Step, grower: Grower, private: dict[bytes, int]) -> NDArray[np.int64]:
    """A column for each node that rows come to.

    A full structure grows no more: what rows need beyond it is grown for them alone, perhaps
    more than once, so that such nodes are known by their candidates.
    """
    columns = step.children.astype(np.int64)
    n_nodes = grower.dag.n_nodes
    for t in np.flatnonzero(columns >= n_nodes):
        candidates = step.dag.candidates[columns[t]]
        node = grower.node_of(candidates)
        if node is None:
            node = n_nodes + private.setdefault(candidates.tobytes(), len(private))
        columns[t] = node
    return columns


class ThresholdMixin(RoutedPredictionMixin):
    """For estimators whose route follows from `table_` and some of their parameters."""

    table_: PredictionTable

    def _rethreshold(self, **changes: Any) -> Self:
        check_is_fitted(self)
        other: Any = copy(self)
        other.set_params(**changes)
        other._validate_params()
        other._route = other._new_route(self.table_)
        return other  # type: ignore[no-any-return]

    @abstractmethod
    def _new_route(self, table: PredictionTable) -> Route:
        """The route by the parameters as they are."""
