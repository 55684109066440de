"""`DivideAndConquerClassifier`: the same method over any binary classifier."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context, clone
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    process_routing,
)
from sklearn.utils.validation import (
    _check_method_params,
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from dcsvm.data.labels import encode_labels
from dcsvm.data.pairs import class_pairs
from dcsvm.data.rows import RowSample, rows_in_place, sample_rows
from dcsvm.estimators.checks import (
    check_columns_distinct,
    check_every_class_has_weight,
    check_memory,
    check_square,
    unchanged_on_failure,
)
from dcsvm.estimators.label_mixin import LabelClassifierMixin
from dcsvm.estimators.prediction import RethresholdMixin
from dcsvm.machines.of_estimators import EstimatorMachines
from dcsvm.routing.dag.criteria import CRITERIA
from dcsvm.routing.dag.walking import grow_along
from dcsvm.routing.select import Rule, make_dag_route
from dcsvm.table.building import build_table


class DivideAndConquerClassifier(
    RethresholdMixin, MetaEstimatorMixin, LabelClassifierMixin, BaseEstimator
):
    """Multi-class classification by few decisions of any binary classifier.

    Where :class:`sklearn.multiclass.OneVsOneClassifier` lets all k(k−1)/2 classifiers vote,
    this one asks them along a decision structure in which each answer removes classes.

    Parameters
    ----------
    estimator : classifier
        Binary classifier with `decision_function`, or with `predict_proba`, of which 0.5 is
        then taken off.
    theta : float in [0, 0.5), default=0.001
        As in :class:`DCSVC`.
    criterion : {"purity", "score", "cost"}, default="purity"
        As in :class:`DCSVC`.
    n_jobs : int, default=None
        Jobs that fit the classifiers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    estimators_ : list of n_machines classifiers
        Those fitted, in the order (0,1), (0,2), …
    machines_ : EstimatorMachines
        The same, as the decision structure uses them.
    table_ : PredictionTable
        The All-Predictions table.
    dag_ : DecisionDag
        The decision structure. It grows as rows come by.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from dcsvm import DivideAndConquerClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = DivideAndConquerClassifier(LogisticRegression()).fit(X, y)
    >>> clf.predict(X[[0, 50, 100]]).tolist()
    [0, 1, 2]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [
            HasMethods(["fit", "decision_function"]),
            HasMethods(["fit", "predict_proba"]),
        ],
        "theta": [Interval(Real, 0.0, 0.5, closed="left")],
        "criterion": [StrOptions(set(CRITERIA))],
        "n_jobs": [Integral, None],
    }

    machines_: EstimatorMachines
    _sample: RowSample

    def __init__(
        self,
        estimator: Any,
        *,
        theta: float = 0.001,
        criterion: str = "purity",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.theta = theta
        self.criterion = criterion
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit one classifier per pair of classes, the table, and the decision structure.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels of any sortable type.
        **fit_params : dict
            Passed to `estimator.fit` by scikit-learn's metadata routing. A `sample_weight`
            counts in the table too.

        Returns
        -------
        self
            The same estimator, fitted. If anything stops the fit, it is left as it was.
        """
        _raise_for_params(fit_params, self, "fit")
        routed = process_routing(self, "fit", **fit_params)
        with unchanged_on_failure(self):
            check_columns_distinct(X)
            X = self._validate(X, reset=True)
            if get_tags(self.estimator).input_tags.pairwise:
                check_square(X)
            classes, codes = encode_labels(y, type(self).__name__)
            check_consistent_length(X, codes)
            check_memory(len(classes), n_scaled=0)
            weight = _check_sample_weight(
                routed.estimator.fit.get("sample_weight"), X, dtype=np.float64
            )
            check_every_class_has_weight(classes, codes, weight)
            machines = self._fit_machines(X, codes, len(classes), routed.estimator.fit)
            rows = rows_in_place(X, codes, weight, len(classes))
            table, signs = build_table(machines, rows, classes, n_jobs=1)
            route = make_dag_route(table, self._rule())
            grow_along(rows, signs, machines, route.grower, n_jobs=1)
            self.classes_, self.machines_, self.table_ = classes, machines, table
            self._route = route
            self._sample = sample_rows(rows)
        return self

    def rethreshold(self, *, theta: float | None = None, criterion: str | None = None) -> Self:
        """A new fitted classifier with another θ or criterion, over the same machines and table.

        Nothing is trained: only the decision structure is grown anew, as rows come by.
        """
        changes = {"theta": theta, "criterion": criterion}
        return self._rethreshold(**{name: v for name, v in changes.items() if v is not None})

    def _rule(self) -> Rule:
        return Rule(self.theta, "sign", self.criterion)

    def _reroute(self) -> None:
        self._route = make_dag_route(self.table_, self._rule())

    @property
    def estimators_(self) -> Sequence[Any]:
        """The fitted binary classifiers."""
        return self.machines_.estimators

    def _fit_machines(
        self, X: Any, codes: NDArray[np.int64], n_classes: int, fit_params: dict[str, Any]
    ) -> EstimatorMachines:
        pairwise = get_tags(self.estimator).input_tags.pairwise
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_pair)(self.estimator, X, codes, i, j, pairwise, fit_params)
            for i, j in class_pairs(n_classes).tolist()
        )
        estimators, members = zip(*fitted, strict=True)
        return EstimatorMachines(n_classes, estimators, members if pairwise else None)

    def _check_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._validate(X, reset=False)

    def _validate(self, X: Any, *, reset: bool) -> Any:
        # What values are acceptable is for the binary classifier to say.
        return validate_data(self, X, reset=reset, accept_sparse="csr", ensure_all_finite=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.pairwise = inner.pairwise
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """Say which metadata goes where: what is passed to `fit` goes to `estimator.fit`."""
        return MetadataRouter(owner=self).add(
            estimator=self.estimator,
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )


def _fit_pair(
    estimator: Any,
    X: Any,
    codes: NDArray[np.int64],
    i: int,
    j: int,
    pairwise: bool,
    fit_params: dict[str, Any],
) -> tuple[Any, NDArray[np.int64]]:
    """A classifier for i (its positive class) against j, and the rows it was fitted to."""
    members = np.flatnonzero((codes == i) | (codes == j))
    X_pair = X[np.ix_(members, members)] if pairwise else X[members]
    is_i = (codes[members] == i).astype(np.int64)
    params = _check_method_params(X, fit_params, indices=members)
    return clone(estimator).fit(X_pair, is_i, **params), members
