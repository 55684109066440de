"""`DivideAndConquerClassifier`: the same method over any binary classifier."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from dcsvm.data.kept_rows import KeptRows, keep_rows
from dcsvm.data.labels import encode_labels
from dcsvm.data.rows import (
    RowSample,
    TrainingRows,
    canonical_rows,
    canonical_rows_and_places,
    rows_in_place,
    sample_rows,
)
from dcsvm.estimators.checks import (
    check_columns_distinct,
    check_every_class_has_weight,
    check_memory,
    check_square,
    warn_if_changed,
)
from dcsvm.estimators.class_sets import ClassSetMixin
from dcsvm.estimators.fit_context import fit_context
from dcsvm.estimators.label_mixin import LabelClassifierMixin
from dcsvm.estimators.pair_fitting import (
    check_decides,
    codes_among,
    fit_pairs,
    parameters_of,
    partial_fit_pairs,
)
from dcsvm.estimators.parameter_types import Criterion, Routing, Shortlist
from dcsvm.estimators.prediction import UNCHANGED, RethresholdMixin
from dcsvm.estimators.probabilities import RoutedProbabilityMixin
from dcsvm.estimators.state import Refit
from dcsvm.machines.of_estimators import EstimatorMachines
from dcsvm.probability.contests import Codes
from dcsvm.probability.left_out import Fold, LeftOut, fold_of_rows
from dcsvm.routing.dag.criteria import CRITERIA
from dcsvm.routing.dag.growing import MAX_NODES
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.dag.walking import grow_along
from dcsvm.routing.elimination.of_estimator import estimator_shortlist
from dcsvm.routing.elimination.of_features import feature_shortlist
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.left_out import left_out_tail, values_to_keep
from dcsvm.routing.plausibility import Levels, lenient, margin_levels
from dcsvm.routing.route import Route
from dcsvm.routing.select import ROUTINGS, Rule, make_dag_route, make_levels
from dcsvm.table.building import build_table

# Rows of each class that are kept of a stream where `table_rows` does not say.
ROWS_KEPT = 64


def _estimator_learns_in_parts(classifier: Any) -> bool:
    return hasattr(classifier.estimator, "partial_fit")


class DivideAndConquerClassifier(
    RethresholdMixin,
    RoutedProbabilityMixin,
    ClassSetMixin,
    MetaEstimatorMixin,
    LabelClassifierMixin,
    BaseEstimator,
):
    """Multi-class classification by few decisions of any binary classifier.

    One classifier is fitted per pair of classes. :class:`sklearn.multiclass.OneVsOneClassifier`
    lets all k(k−1)/2 of them vote on a row. Here a shortlist leaves some of the classes, values
    that are implausible for a class drop it, and the vote among the others ends as soon as its
    outcome is known. `DivideAndConquerClassifier.paper` makes a classifier by the paper's rule.

    Parameters
    ----------
    estimator : classifier
        Binary classifier. Its values are its `decision_function`, or the log odds of its
        `predict_proba`, or else 1 and −1 by its `predict`, of which only the sign is known. Of a
        regressor, which learns 0 and 1, they are its predictions, mapped to −1 and 1.
    theta : float in [0, 0.5), default=0.0005
        As in :class:`DCSVC`, but that how far values may lie beyond those of the training rows is
        measured on training rows left out. With 0 the result is that of the vote.
    routing : {"margin", "sign"}, default="margin"
        As in :class:`DCSVC`.
    shortlist : None, "auto" or classifier, default="auto"
        As in :class:`DCSVC`. "auto" takes the scores that leave the fewest classes: linear in the
        features, quadratic, or from the values of a Gaussian kernel with some training rows; of a
        kernel matrix, from some of its columns. With None a decision structure is followed, where
        a class that loses one decision is dropped: that loses accuracy against the vote.
    criterion : {"cost", "purity", "score"}, default="cost"
        As in :class:`DCSVC`; every decision costs the same here.
    max_nodes : int, default=2097152
        As in :class:`DCSVC`.
    table_rows : int, default=None
        As in :class:`DCSVC`. In `partial_fit`, how many rows of each class are kept for the table;
        None stands for 64 there.
    probability : bool, default=False
        As in :class:`DCSVC`. Here it multiplies the time of `fit`, by up to six. After
        `partial_fit` there are no probabilities until `calibrate` is called.
    n_jobs : int, default=None
        Jobs that fit the classifiers.
    random_state : int, RandomState instance or None, default=None
        Draws the rows of the table if `table_rows` is set, and those that `partial_fit` keeps.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    estimators_ : list of n_machines classifiers
        Those fitted, in the order (0,1), (0,2), …
    n_classes_ : int
        The number of classes.
    pairwise_indices_ : list of arrays or None
        The training rows of each of them, where they take a kernel matrix.
    machines_ : EstimatorMachines
        The same, as routes use them.
    table_ : PredictionTable
        The All-Predictions table.
    theta_ : float
        The value of θ in use.
    shortlist_ : FeatureShortlist, EstimatorShortlist or None
        The scores in use.
    dag_ : DecisionDag
        The decision structure, where there is no shortlist. It grows as rows come by.
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
        "estimator": [HasMethods(["fit", "predict"])],
        "theta": [Interval(Real, 0.0, 0.5, closed="left")],
        "routing": [StrOptions(set(ROUTINGS))],
        "shortlist": [
            None,
            StrOptions({"auto"}),
            HasMethods(["fit", "decision_function"]),
            HasMethods(["fit", "predict_proba"]),
        ],
        "criterion": [StrOptions(set(CRITERIA))],
        "max_nodes": [Interval(Integral, 1, None, closed="left")],
        "table_rows": [Interval(Integral, 1, None, closed="left"), None],
        "probability": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }
    # Passed on, or used here: not for the user to request.
    __metadata_request__fit: ClassVar[dict[str, str]] = {"sample_weight": UNUSED}
    __metadata_request__partial_fit: ClassVar[dict[str, str]] = {
        "classes": UNUSED,
        "sample_weight": UNUSED,
    }

    machines_: EstimatorMachines
    theta_: float
    _sample: RowSample
    _kept: KeptRows | None

    def __init__(
        self,
        estimator: Any,
        *,
        theta: float = 0.0005,
        routing: Routing = "margin",
        shortlist: Shortlist | None = "auto",
        criterion: Criterion = "cost",
        max_nodes: int = MAX_NODES,
        table_rows: int | None = None,
        probability: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.theta = theta
        self.routing = routing
        self.shortlist = shortlist
        self.criterion = criterion
        self.max_nodes = max_nodes
        self.table_rows = table_rows
        self.probability = probability
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def paper(
        cls,
        estimator: Any,
        *,
        theta: float = 0.001,
        criterion: Criterion = "purity",
        **parameters: Any,
    ) -> Self:
        """The method as the paper has it: the sign decides, along a fixed structure."""
        return cls(
            estimator,
            theta=theta,
            criterion=criterion,
            routing="sign",
            shortlist=None,
            **parameters,
        )

    @fit_context(skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit one classifier per pair of classes, and build the table and the route.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels of any sortable type.
        sample_weight : array-like of shape (n_samples,), default=None
            Passed to `estimator.fit`, which must take it; they count in the table too.
        **fit_params : dict
            Passed to `estimator.fit` by scikit-learn's metadata routing.

        Returns
        -------
        self
            The same estimator, fitted. If anything stops the fit, it is left as it was.
        """
        params = parameters_of(self, "fit", sample_weight, fit_params)
        with Refit(self) as refit:
            new = refit.fitted
            X, weight = new._checked(X, params, reset=True)
            classes, codes = encode_labels(y, type(self).__name__)
            check_consistent_length(X, codes)
            check_memory(len(classes), n_scaled=0)
            check_every_class_has_weight(classes, codes, weight)
            machines = fit_pairs(self.estimator, X, codes, len(classes), params, self.n_jobs)
            new._kept = None
            if self._is_pairwise:
                rows = rows_in_place(X, codes, weight, len(classes))
            else:
                rows = canonical_rows(X, codes, weight, len(classes))
                if _estimator_learns_in_parts(self):
                    new._keep(None, X, codes, weight, len(classes))
            if self.table_rows is not None:
                rows = rows.sample(self.table_rows, check_random_state(self.random_state))
            new.classes_ = classes
            new._set_fitted(machines, rows)
            if self.probability:
                new._left_out = new._fit_leaving_out(X, codes, weight, params)
            new._calibrate_by_left_out()
            refit.take_over()
        return self

    @available_if(_estimator_learns_in_parts)
    @fit_context(skip_nested_validation=False)
    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        **partial_fit_params: Any,
    ) -> Self:
        """Go on with more rows, as :class:`sklearn.multiclass.OneVsOneClassifier` does.

        Each classifier learns from those of the rows that are of its two classes. As all of them
        change, the table, the ranges of values and the shortlist are then made anew from rows that
        are kept: at most `table_rows` of each class, or 64, drawn evenly from all rows so far. The
        shortlist sees no others. Prediction needs a row of every class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            More training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (n_classes,), default=None
            All classes that will ever come. Needed in the first call, unless `fit` came before.
        sample_weight : array-like of shape (n_samples,), default=None
            Passed to `estimator.partial_fit`, which must take it.
        **partial_fit_params : dict
            Passed to `estimator.partial_fit` by scikit-learn's metadata routing.

        Returns
        -------
        self
            The same estimator. If anything stops the call, it is left as it was.
        """
        params = parameters_of(self, "partial_fit", sample_weight, partial_fit_params)
        with Refit(self) as refit:
            new = refit.fitted
            is_first = not hasattr(self, "classes_")
            X, weight = new._checked(X, params, reset=is_first)
            all_classes, codes = codes_among(self, y, classes)
            check_consistent_length(X, codes)
            k = len(all_classes)
            check_memory(k, n_scaled=0)
            known = None if is_first else self.machines_.estimators
            machines = partial_fit_pairs(self.estimator, known, X, codes, k, params, self.n_jobs)
            kept = new._keep(None if is_first else self._kept, X, codes, weight, k)
            new.classes_, new.machines_ = all_classes, machines
            new._calibrate_by_left_out()
            if (kept.n_seen > 0).all():
                new._set_fitted(machines, kept.training_rows())
            refit.take_over()
        return self

    def rethreshold(
        self,
        *,
        theta: float | None = None,
        routing: Routing | None = None,
        criterion: Criterion | None = None,
        shortlist: Shortlist | None = UNCHANGED,
    ) -> Self:
        """A new fitted classifier by other rules, over the same classifiers and table.

        Nothing is fitted. A `shortlist` can be left out, or taken up again that was there in
        `fit`: the training rows that another would need are not kept.
        """
        changes = {"theta": theta, "routing": routing, "criterion": criterion}
        changes = {name: value for name, value in changes.items() if value is not None}
        return self._rethreshold_with(shortlist, **changes)

    def _set_fitted(self, machines: EstimatorMachines, rows: TrainingRows) -> None:
        """Take up machines, and what follows from how they see some rows."""
        kept = values_to_keep(rows)
        table, signs = build_table(machines, rows, self.classes_, 1, self.routing == "sign", kept)
        assert table.values is not None
        table.values = table.values._replace(tail=left_out_tail(rows, kept, table.values))
        self.machines_, self.table_ = machines, table
        rule = self._rule()
        self._shortlist_of_fit = self.shortlist, self._fit_shortlist(rows, machines)
        route = self._make_route(rule)
        if isinstance(route, DagRoute):
            grow_along(rows, signs, machines, route.grower, n_jobs=1)
        self._set_route(rule, route)
        self._sample = sample_rows(rows)

    def _fit_leaving_out(
        self, X: Any, codes: Codes, weight: NDArray[np.float64], params: dict[str, Any]
    ) -> LeftOut:
        """Fit classifiers that leave out rows, for folds of them."""
        k = len(self.classes_)
        if self._is_pairwise:
            rows = rows_in_place(X, codes, weight, k)
            number = np.full(len(codes), -1)
            number[rows.place] = np.arange(rows.n_rows)
        else:
            rows, number = canonical_rows_and_places(X, codes, weight, k)
        fold = fold_of_rows(rows)
        folds = []
        for f in range(int(fold.max()) + 1):
            is_left_out = (number >= 0) & (fold[number] == f)
            others = np.where(is_left_out, -1, codes)  # of no pair of classes
            machines = fit_pairs(self.estimator, X, others, k, params, self.n_jobs)
            folds.append(Fold(machines, np.flatnonzero(fold == f)))
        return LeftOut(rows, folds)

    def _fit_shortlist(self, rows: TrainingRows, machines: EstimatorMachines) -> Any:
        if self.shortlist is None or rows.n_classes == 2:
            return None
        if isinstance(self.shortlist, str):
            return feature_shortlist(rows, float(self.theta), self._is_pairwise)
        return estimator_shortlist(self.shortlist, rows, machines).shortlist

    def _rule(self) -> Rule:
        return Rule(float(self.theta), self.routing, self.criterion, self.max_nodes)

    def _make_route(self, rule: Rule) -> Route:
        levels = self._levels(rule)
        shortlist = None if self.shortlist is None else self._shortlist_of_fit[1]
        if shortlist is None:
            return make_dag_route(self.table_, rule, levels=levels)
        return Elimination(levels, shortlist.at(rule.theta), counts_losses=True)

    def _levels(self, rule: Rule) -> Levels:
        if rule.routing == "margin":
            return lenient(margin_levels(self.table_, rule.theta), self.table_)
        return make_levels(self.table_, rule)

    def _reroute(self) -> None:
        rule = self._rule()
        self._set_route(rule, self._make_route(rule))

    def _set_route(self, rule: Rule, route: Route) -> None:
        self.theta_ = rule.theta
        self.shortlist_ = route.shortlist if isinstance(route, Elimination) else None
        self._route = route
        if self.shortlist_ is not None:
            reason = "a shortlist is in use, and no decision structure; set shortlist=None"
            warn_if_changed(self, ("criterion", "max_nodes"), reason)

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    @property
    def pairwise_indices_(self) -> list[NDArray[np.int64]] | None:
        """The training rows of each binary classifier, where it takes a kernel matrix."""
        columns = self.machines_.columns
        return None if columns is None else list(columns)

    @property
    def estimators_(self) -> Sequence[Any]:
        """The fitted binary classifiers."""
        return self.machines_.estimators

    def _keep(
        self,
        known: KeptRows | None,
        X: Any,
        codes: NDArray[np.int64],
        weight: NDArray[np.float64],
        n_classes: int,
    ) -> KeptRows:
        most = ROWS_KEPT if self.table_rows is None else self.table_rows
        random_state = self.random_state
        if isinstance(random_state, Integral):  # other draws in every call
            n_seen = 0 if known is None else int(known.n_seen.sum())
            random_state = np.random.RandomState([int(random_state), n_seen % 2**32])
        drawn = check_random_state(random_state)
        self._kept = keep_rows(known, X, codes, weight, n_classes, most, drawn)
        return self._kept

    def _checked(
        self, X: Any, params: dict[str, Any], *, reset: bool
    ) -> tuple[Any, NDArray[np.float64]]:
        """Rows to learn from, and their weights."""
        check_decides(self.estimator)
        check_columns_distinct(X)
        X = self._validate(X, reset=reset)
        if self._is_pairwise:
            check_square(X)
        return X, _check_sample_weight(params.get("sample_weight"), X, dtype=np.float64)

    def _check_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._validate(X, reset=False)

    def _validate(self, X: Any, *, reset: bool) -> Any:
        # What values are acceptable is for the binary classifier to say.
        X = validate_data(self, X, reset=reset, accept_sparse="csr", ensure_all_finite=False)
        if sparse.issparse(X) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return X

    @property
    def _is_pairwise(self) -> bool:
        return bool(get_tags(self.estimator).input_tags.pairwise)

    def __sklearn_is_fitted__(self) -> bool:
        """After `partial_fit` of all classes only."""
        return hasattr(self, "_route")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.pairwise = inner.pairwise
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """Say which metadata goes where: what is passed to `fit` goes to `estimator.fit`."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        if _estimator_learns_in_parts(self):
            mapping = mapping.add(caller="partial_fit", callee="partial_fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)
