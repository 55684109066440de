"""Labels, decision values, paths and costs, for classifiers that evaluate machine after machine.

The mixins need `classes_`, `machines_`, `n_jobs`, `_route` once fitted, and `_check_rows`, the
validation of X.
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

from dcsvm.estimators.checks import check_breaks_ties
from dcsvm.estimators.decision_values import binary_decision, pairwise_decision, squash
from dcsvm.estimators.device_prediction import (
    decisions_there,
    device_of_prediction,
    labels_and_counts_there,
    labels_there,
    leaves_there,
    of_kind,
)
from dcsvm.estimators.parameter_types import DecisionFunctionShape
from dcsvm.estimators.row_predictor import RowPredictor
from dcsvm.estimators.state import snapshot
from dcsvm.estimators.voting import VoteRoute, vote_decision
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.dag.structure import DecisionDag
from dcsvm.routing.dag.walking import Step, walk
from dcsvm.routing.route import Round, Route, paths
from dcsvm.table.prediction_table import PredictionTable


def count_round(decision: NDArray[np.float64], step: Round) -> None:
    """Add a round to the `decision_function` of its rows."""
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
    # Parameters of those that have them.
    decision_function_shape: DecisionFunctionShape = "ovr"
    break_ties: bool = False

    @property
    def dag_(self) -> DecisionDag:
        """The decision structure: the nodes that rows have reached so far."""
        check_is_fitted(self)
        route = self._route
        if not isinstance(route, DagRoute):
            raise AttributeError(
                "With a shortlist, or by a vote, there is no decision structure. That of the "
                "paper's rule is rethreshold(routing='sign', shortlist=None).dag_."
            )
        return route.grower.dag

    @property
    def predictor_(self) -> RowPredictor:
        """Predicts single rows quickly, without checks of its input."""
        now = snapshot(self)
        check_is_fitted(now)
        return RowPredictor(now.classes_, now.machines_, now._route)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row of X."""
        now = snapshot(self)
        check_breaks_ties(now)
        check_is_fitted(now)
        if (device := device_of_prediction(now, X)) is not None:
            return labels_there(device, now, X)  # type: ignore[no-any-return]
        leaf = now.apply(X)
        return now.classes_[leaf]

    def predict_with_decisions(self, X: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Predict the class of each row, and count the machines evaluated, in one pass.

        Parameters
        ----------
        X : {array-like, sparse matrix, frame} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The same as by `predict`.
        decisions : ndarray of shape (n_samples,)
            The machines evaluated for each row, as `decision_cost` counts them, but faster.
        """
        now = snapshot(self)
        check_is_fitted(now)
        if (device := device_of_prediction(now, X)) is not None:
            return labels_and_counts_there(device, now, X)
        X = now._check_rows(X)
        asked = np.zeros(X.shape[0], dtype=np.int64)
        leaf = now._route.predict(now.machines_, X, now.n_jobs, asked)
        return now.classes_[leaf], asked

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The index in `classes_` of the class of each row; with a `dag_`, the leaf it ends in."""
        now = snapshot(self)
        check_is_fitted(now)
        if (device := device_of_prediction(now, X)) is not None:
            leaf = leaves_there(device, now, X)[0].astype(np.int64)
            return of_kind(device, X, leaf)  # type: ignore[no-any-return]
        X = now._check_rows(X)
        return now._route.predict(now.machines_, X, now.n_jobs)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """How long each class stayed a candidate; the class predicted has the highest value.

        Shape (n_samples, n_classes). A class that was dropped d rounds before the last has a
        value in (−d − 4/3, −d − 1], lower for larger decision values. The class predicted has one
        in [0, 1/3), higher for a larger last decision value. Two classes: shape (n_samples,), the
        value of their machine, positive for the second one. Where all machines vote, see
        `OneVsOneSVC.decision_function`.

        With decision_function_shape="ovo" the values of all machines, as in
        :class:`sklearn.svm.SVC`: shape (n_samples, n_machines), positive for the first class.
        """
        now = snapshot(self)
        check_is_fitted(now)
        if (device := device_of_prediction(now, X)) is not None:
            return decisions_there(device, now, X)  # type: ignore[no-any-return]
        X = now._check_rows(X)
        if now.decision_function_shape == "ovo":
            return pairwise_decision(now.machines_, X, now.n_jobs)
        if isinstance(now._route, VoteRoute):
            return vote_decision(now.machines_, X, now.n_jobs, winner_first=True)
        rounds = now._route.rounds(now.machines_, X, now.n_jobs)
        if len(now.classes_) == 2:
            values = np.empty(X.shape[0])
            for step in rounds:
                values[step.rows] = step.values
            return binary_decision(values)
        decision = np.zeros((X.shape[0], len(now.classes_)))
        for step in rounds:
            count_round(decision, step)
        return decision

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """The path of each row, as an indicator matrix.

        With a decision structure the columns are the nodes of `dag_`, leaves included. A node
        keeps its column; rows that reach new nodes add columns at the end. With a shortlist the
        columns are the machines, in the order of `machines_`.
        """
        now = snapshot(self)
        X = now._check_rows(X)
        if isinstance(now._route, DagRoute):
            grower = now._route.grower
            passed = [(np.arange(X.shape[0]), np.full(X.shape[0], grower.dag.root))]
            private: dict[bytes, int] = {}
            for step in walk(now.machines_, grower, X, now.n_jobs):
                passed.append((step.rows, _columns(step, grower, private)))
            n_columns = grower.dag.n_nodes + len(private)
        else:
            found = paths(now._route.rounds(now.machines_, X, now.n_jobs), X.shape[0])
            passed = [(np.repeat(np.arange(X.shape[0]), np.diff(found.start)), found.machine)]
            n_columns = now.machines_.n_machines
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
            Arrays of shape (n_samples,): `decisions` (machines evaluated) and, for support vector
            machines, `support_vectors` (those of all machines evaluated, added up, as the paper
            counts) and `kernel_evaluations` (the distinct ones among them, plus the cost of the
            shortlist as the number of kernel evaluations with the same floating-point operations).
        """
        now = snapshot(self)
        X = now._check_rows(X)
        if isinstance(now._route, VoteRoute):
            return now.machines_.vote_cost(X.shape[0])
        found = paths(now._route.rounds(now.machines_, X, now.n_jobs), X.shape[0])
        cost = now.machines_.path_cost(*found)
        if now._route.cost:
            cost["kernel_evaluations"] = cost["kernel_evaluations"] + now._route.cost
        return Bunch(decisions=np.diff(found.start), **cost)


def _columns(step: Step, grower: Grower, private: dict[bytes, int]) -> NDArray[np.int64]:
    """The column of the node that each row comes to.

    A structure at its bound gets no more nodes. Further nodes are made for the rows in hand alone,
    possibly more than once, and are therefore identified by their candidates (`private`).
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


# Stands for "as it is" where None is a value of its own.
UNCHANGED: Any = object()


class RethresholdMixin(RoutedPredictionMixin):
    """For estimators whose route follows from `table_` and some of their parameters."""

    table_: PredictionTable
    _shortlist_of_fit: tuple[Any, Any]  # the parameter, and what it has come to

    def _rethreshold_with(self, shortlist: Any, **changes: Any) -> Self:
        """The same with other parameters, and perhaps a shortlist that was there in `fit`."""
        if shortlist is not UNCHANGED:
            changes["shortlist"] = shortlist
        check_is_fitted(self)
        known = self._shortlist_of_fit[0]
        # Estimators are compared by identity, but a text that has been stored is another object.
        is_same_text = isinstance(shortlist, str) and isinstance(known, str) and shortlist == known
        if not is_same_text and not any(shortlist is s for s in (UNCHANGED, None, known)):
            raise ValueError("Fit with this shortlist: it needs the training rows.")
        return self._rethreshold(**changes)

    def _rethreshold(self, **changes: Any) -> Self:
        check_is_fitted(self)
        other: Any = copy(self)
        other.set_params(**changes)
        other._validate_params()
        other._reroute()
        return other  # type: ignore[no-any-return]

    @abstractmethod
    def _reroute(self) -> None:
        """Take the route by the parameters as they are."""
