"""`DCSVC`: divide-and-conquer support vector classification."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from dcsvm.data.rows import RowSample, TrainingRows, sample_rows
from dcsvm.estimators.base import BasePairwiseSVC, TrainingData
from dcsvm.estimators.by_vote import ByVoteMixin
from dcsvm.estimators.checks import warn_if_changed
from dcsvm.estimators.fit_context import fit_context
from dcsvm.estimators.needed_machines import NeededMachinesMixin
from dcsvm.estimators.parameter_types import (
    Criterion,
    DecisionFunctionShape,
    DeviceName,
    Gamma,
    Kernel,
    Machines,
    Routing,
    Scaling,
    Shortlist,
    TableRows,
    Theta,
    names_in,
)
from dcsvm.estimators.prediction import UNCHANGED, RethresholdMixin
from dcsvm.estimators.probabilities import RoutedProbabilityMixin
from dcsvm.estimators.state import Refit
from dcsvm.estimators.tables import LateTable, TableMixin, may_be_late, table_and_signs
from dcsvm.estimators.thetas import ThetaMixin
from dcsvm.estimators.voting import VoteRoute
from dcsvm.machines.value_statistics import SignBlock
from dcsvm.routing.cost_of_vote import needs_no_shortlist, vote_is_cheaper
from dcsvm.routing.dag.criteria import CRITERIA
from dcsvm.routing.dag.duration import evenly, may_be_long, warn_if_long
from dcsvm.routing.dag.growing import MAX_NODES
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.dag.walking import grow_along
from dcsvm.routing.elimination.calibration import Fitted
from dcsvm.routing.elimination.measuring import Trials
from dcsvm.routing.elimination.of_estimator import estimator_shortlist
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.route import Route
from dcsvm.routing.select import ROUTINGS, Rule, choose_shortlist, make_route

# Rows of a class from which the table is built with table_rows="auto".
ENOUGH_ROWS = 2048


class DCSVC(
    NeededMachinesMixin,
    ByVoteMixin,
    ThetaMixin,
    TableMixin,
    RethresholdMixin,
    RoutedProbabilityMixin,
    BasePairwiseSVC,
):
    """Multi-class support vector classification by a few binary decisions per row.

    One machine, a binary SVM, is trained per pair of classes, as in :class:`sklearn.svm.SVC`. The
    All-Predictions table records how each machine splits the rows of every class. For a row, SVC
    evaluates all k(k−1)/2 machines; here each evaluation removes one or more classes, so that few
    are enough. `DCSVC.paper` makes a classifier by the paper's rule.

    Parameters
    ----------
    C : float, default=1.0
        Inverse of the strength of the regularisation.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        As in SVC. A callable takes two matrices and returns their kernel matrix.
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid". "scale" is 1 / (n_features · variance of X),
        a row of weight w counting w times; "auto" is 1 / n_features. Standardised features
        have variance one, so that with `scaling` the two are the same.
    coef0 : float, default=0.0
        Constant term of "poly" and "sigmoid".
    theta : float in [0, 0.5), "cost" or "auto", default="cost"
        The threshold θ, a fraction: the accepted probability that one decision removes the right
        class. Larger is faster and less accurate; 0 removes classes by lost decisions alone.
        "cost" begins with 0.02 / √n for n rows of a class and takes the smallest θ that needs at
        most 8 % more kernel evaluations on training rows; without a shortlist it is a tenth of
        0.02 / √n. "auto" takes the largest θ that loses at most `accuracy_tolerance` on rows held
        out of a first fit.
    routing : {"margin", "sign"}, default="margin"
        Which classes a decision value removes. "margin": those for which the value is
        implausible, given the values of their training rows. "sign", the paper's rule: those of
        whose training rows a fraction of at most θ has a value of that sign.
    shortlist : None, "auto" or classifier, default="auto"
        Cheap scores of all classes. Classes with low scores are dropped at once, and the machines
        of the likeliest ones are evaluated first. A classifier with `decision_function` or
        `predict_proba` is fitted to the training rows and gives the scores. "auto" measures which
        needs the fewest kernel evaluations: scores linear in the features, quadratic scores,
        scores from some kernel values, or none; with theta="cost", all machines vote where that
        is faster, as it is with few support vectors. With None the machines follow a decision
        structure, the same for all rows.
    criterion : {"cost", "purity", "score"}, default="cost"
        How a node of the decision structure chooses its machine: most classes removed per kernel
        evaluation ("cost"), flat and balanced structures ("purity"), or the most accurate machines
        first ("score"). Has an effect only where there is a structure, not with a shortlist.
    machines : {"auto", "all", "needed"}, default="auto"
        Which pairs of classes get a machine. "all": every pair. "needed": only pairs that cheap
        scores cannot tell apart, chosen so that a row lacks a machine with a probability of at
        most `theta`; there is no table then. "auto" is "all" for up to 1,000 classes, and
        "needed" for more, unless other parameters rule it out.
    scaling : {None, "global", "pair"}, default=None
        Standardise the features over all training rows, or inside every machine over the
        rows of its two classes, as R's e1071 does. Prediction applies the same scaling.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class. "balanced" gives every class the same total weight, a row of
        weight w counting w times.
    tol : float, default=1e-3
        Tolerance of the solver.
    cache_size : float or None, default=None
        Memory for kernel values during training in MB, all threads together. None takes what they
        need and memory allows, at most half of what is free: within classes, and between the
        classes of the machines that are being trained. With fewer than 100 features, where it is
        as fast to compute them again, it takes at most 200 MB. With device="cuda" it is the
        memory of the GPU, of which None takes most of what is free.
    max_iter : int, default=-1
        Bound on the solver's iterations per machine; −1 stands for 10⁷. A ConvergenceWarning
        names a machine that stopped there.
    shrinking : bool, default=True
        Has no effect: it is there because SVC has it.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        What `decision_function` returns: a score for each class, or the values of all machines in
        the order and with the signs of SVC. It leaves `predict` as it is.
    break_ties : bool, default=False
        `predict` always takes the class of the highest score, so that there are no ties to break.
        In :class:`OneVsOneSVC`, the values of the machines decide between equal votes, as in SVC.
    accuracy_tolerance : float, default=0.001
        The accuracy that theta="auto" may lose against the vote of all machines. Has an effect
        only with theta="auto".
    max_nodes : int, default=2097152
        Bound on the nodes of the decision structure that are kept. Rows that need further nodes
        get the same labels, more slowly. Has an effect only where there is a structure.
    probability : bool, default=False
        Whether `fit` prepares `predict_proba`. It then also trains machines that leave out a part
        of the rows each, from the solutions of the others and with the same kernel values.
        `calibrate` prepares it later, from rows that were not in `fit`.
    table_rows : int, "auto" or None, default="auto"
        Build the table, and grow the decision structure, from at most so many distinct rows
        of each class, drawn with `random_state`. None takes all. "auto" takes all with
        routing="sign", and otherwise at most 2,048, the same in every fit: further rows hardly
        change the ranges of plausible values.
    verbose : bool, default=False
        Print how many machines are trained, about once a second.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where to fit and to predict. "cuda" is an NVIDIA GPU, by CuPy; "auto" is that where there is
        one and the rows are many enough to gain. `to` moves a fitted classifier.
    n_jobs : int, default=None
        Threads for training and prediction. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the rows of the table if `table_rows` is set, and the rows held out if `theta` is
        "auto". Nothing else is random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X had any.
    machines_ : PairwiseMachines
        The binary machines and their support vectors.
    table_ : PredictionTable
        The All-Predictions table. Not there with machines="needed".
    theta_ : float
        The value of θ in use.
    shortlist_ : LinearShortlist, EstimatorShortlist, PrototypeShortlist or None
        The scores in use.
    missed_ : float
        Only with machines="needed": the share of the training rows that, left out, would lack
        their class in the shortlist or a machine by which it could win.
    dag_ : DecisionDag
        The decision structure, where there is no shortlist. Nodes are added when rows first reach
        them.
    n_iter_ : ndarray of shape (n_machines,)
        Iterations of the solver.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, class_weight_, \
    shape_fit_, fit_status_
        As in SVC, computed when they are asked for.

    References
    ----------
    D. R. Don and I. E. Iacob, "DCSVM: Fast Multi-class Classification using Support Vector
    Machines", arXiv:1810.09828.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from dcsvm import DCSVC
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = DCSVC().fit(X[:1200], y[:1200])
    >>> clf.predict(X[1200:1203]).tolist()
    [7, 7, 8]
    >>> bool(clf.decision_cost(X[1200:]).decisions.mean() < 9)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BasePairwiseSVC._parameter_constraints,
        "theta": [Interval(Real, 0.0, 0.5, closed="left"), StrOptions({"cost", "auto"})],
        "routing": [StrOptions(set(ROUTINGS))],
        "shortlist": [
            None,
            StrOptions({"auto"}),
            HasMethods(["fit", "decision_function"]),
            HasMethods(["fit", "predict_proba"]),
        ],
        "criterion": [StrOptions(set(CRITERIA))],
        "machines": [StrOptions(names_in(Machines))],
        "accuracy_tolerance": [Interval(Real, 0.0, 1.0, closed="both")],
        "max_nodes": [Interval(Integral, 1, None, closed="left")],
        "table_rows": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
            None,
        ],
    }

    _sample: RowSample

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Kernel = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        theta: Theta = "cost",
        routing: Routing = "margin",
        shortlist: Shortlist | None = "auto",
        criterion: Criterion = "cost",
        accuracy_tolerance: float = 0.001,
        max_nodes: int = MAX_NODES,
        machines: Machines = "auto",
        scaling: Scaling | None = None,
        class_weight: Any = None,
        tol: float = 1e-3,
        cache_size: float | None = None,
        max_iter: int = -1,
        shrinking: bool = True,
        decision_function_shape: DecisionFunctionShape = "ovr",
        break_ties: bool = False,
        probability: bool = False,
        table_rows: TableRows | None = "auto",
        verbose: bool | int = False,
        device: DeviceName = "cpu",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            C=C,
            kernel=kernel,
            degree=degree,
            gamma=gamma,
            coef0=coef0,
            scaling=scaling,
            class_weight=class_weight,
            tol=tol,
            cache_size=cache_size,
            max_iter=max_iter,
            shrinking=shrinking,
            decision_function_shape=decision_function_shape,
            break_ties=break_ties,
            probability=probability,
            verbose=verbose,
            device=device,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.theta = theta
        self.routing = routing
        self.shortlist = shortlist
        self.criterion = criterion
        self.accuracy_tolerance = accuracy_tolerance
        self.max_nodes = max_nodes
        self.machines = machines
        self.table_rows = table_rows

    @classmethod
    def paper(
        cls, *, theta: Theta = 0.001, criterion: Criterion = "purity", **parameters: Any
    ) -> Self:
        """The method as the paper has it: the sign decides, along a fixed structure."""
        return cls(theta=theta, criterion=criterion, routing="sign", shortlist=None, **parameters)

    @fit_context(skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the machines, build the table, and grow the decision structure.

        Parameters
        ----------
        X : {array-like, sparse matrix, frame} of shape (n_samples, n_features)
            Training rows; the kernel matrix if kernel="precomputed".
        y : array-like of shape (n_samples,)
            Labels of any sortable type.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per row; they count in the table too. A row of weight 2 is the same
            as a row written twice, a row of weight 0 or less is left out.

        Returns
        -------
        self
            The same estimator, fitted. If anything stops the fit, it is left as it was.
        """
        with Refit(self) as refit:
            new = refit.fitted
            data = new._training_data(X, y, sample_weight, owner=self)
            new._fit_rows(data)
            refit.take_over()
            data.progress.end()
        return self

    def _fit_rows(self, data: TrainingData) -> None:
        """Fit to rows in canonical order."""
        if self._trains_all_pairs(len(data.classes)):
            self._fit_all(data)
        else:
            self._fit_needed(data)
        self._sample = sample_rows(data.rows)
        self._calibrate_by_left_out()

    def _fit_all(self, data: TrainingData) -> None:
        """Train all machines, build the table, and choose the way to a class."""
        rule = self._rule(self._theta(data))
        machines = self._train(data)
        self._set_machines(machines, data.classes)
        self.__dict__.pop("missed_", None)
        self._vote_is_cheapest = self._may_vote and needs_no_shortlist(machines)
        if self._vote_is_cheapest and may_be_late(data.rows):
            self.table_ = LateTable(machines, data.rows, data.classes, self.n_jobs)
            self._vote_without_shortlist(rule)
            return
        rows = self._rows_for_table(data.rows)
        table, signs = table_and_signs(
            machines, rows, data.classes, self.n_jobs, rule.routing == "sign", data.stages
        )
        self.table_ = table
        if self._vote_is_cheapest:
            self._vote_without_shortlist(rule)
        else:
            self._choose_route(data, rows, signs, rule)

    def _choose_route(
        self, data: TrainingData, rows: TrainingRows, signs: list[SignBlock] | None, rule: Rule
    ) -> None:
        """Take the way to a class that costs least, as far as the parameters leave it open."""
        machines, table = self.machines_, self.table_
        if self.shortlist != "auto":  # that needs some of the rows alone
            rows = data.stages.in_memory(rows)
        trials = Trials(rows, machines, table, rule.routing, self.n_jobs)
        fitted = self._fit_shortlist(trials, rule)
        rule = self._affordable(rule, fitted, trials)
        shortlist = None if fitted is None else fitted.shortlist
        self._shortlist_of_fit = self.shortlist, shortlist
        if fitted is not None and self._may_vote:
            cost = trials.mean_cost(fitted, rule.theta)
            self._vote_is_cheapest = vote_is_cheaper(machines, *cost)
            if self._vote_is_cheapest:
                self._set_route(rule, VoteRoute())
                return
        route = make_route(machines, table, rule, shortlist)
        if isinstance(route, DagRoute):
            rows = data.stages.in_memory(rows)
            if signs is None and may_be_long(route.grower, rows.n_rows):
                X_some = rows.take(evenly(rows.n_rows))
                warn_if_long(machines, route.grower, X_some, rows.n_rows, self.n_jobs)
            grow_along(rows, signs, machines, route.grower, self.n_jobs)
        self._set_route(rule, route)

    def rethreshold(
        self,
        *,
        theta: Theta | None = None,
        routing: Routing | None = None,
        criterion: Criterion | None = None,
        shortlist: Shortlist | None = UNCHANGED,
    ) -> Self:
        """A new fitted classifier by other rules, over the same machines and table.

        Nothing is trained. A `shortlist` can be left out, or taken up again that was there in
        `fit`: the training rows that another would need are not kept.
        """
        changes = {"theta": theta, "routing": routing, "criterion": criterion}
        changes = {name: value for name, value in changes.items() if value is not None}
        return self._rethreshold_with(shortlist, **changes)

    def _rule(self, theta: float) -> Rule:
        return Rule(theta, self.routing, self.criterion, self.max_nodes)

    def _rows_for_table(self, rows: TrainingRows) -> TrainingRows:
        if self.table_rows == "auto":
            is_large = np.diff(rows.class_start).max() > ENOUGH_ROWS
            if self.routing == "sign" or not is_large:
                return rows
            return rows.sample(ENOUGH_ROWS, np.random.RandomState(0))
        if self.table_rows is None:
            return rows
        return rows.sample(self.table_rows, check_random_state(self.random_state))

    def _fit_shortlist(self, trials: Trials, rule: Rule) -> Fitted | None:
        if self.shortlist is None or trials.rows.n_classes == 2:
            return None
        if self.shortlist == "auto":
            return choose_shortlist(trials.table, rule, trials)
        return estimator_shortlist(self.shortlist, trials.rows, trials.machines)

    def _reroute(self) -> None:
        if self.machines_.some_pairs is not None:
            rule = self._rule(self.theta_ if isinstance(self.theta, str) else float(self.theta))
            self._set_route(rule, self._needed_route(self._with_fewer_candidates(rule.theta)))
            return
        shortlist = None if self.shortlist is None else self._shortlist_of_fit[1]
        rule = self._rule(self._known_theta(shortlist is not None))
        if self._vote_is_cheapest and self._may_vote:
            self._set_route(rule, VoteRoute())
            return
        self._set_route(rule, make_route(self.machines_, self.table_, rule, shortlist))

    def _set_route(self, rule: Rule, route: Route) -> None:
        self.theta_ = rule.theta
        self.shortlist_ = route.shortlist if isinstance(route, Elimination) else None
        self._route = route
        self._warn_of_parameters_without_effect()

    def _warn_of_parameters_without_effect(self) -> None:
        if self.machines_.some_pairs is not None:
            reason = "only the machines needed are trained, and there is no table"
            warn_if_changed(self, ("criterion", "max_nodes", "table_rows"), reason)
        elif isinstance(self._route, VoteRoute):
            reason = "the vote of all machines, which is fastest here, needs no decision structure"
            warn_if_changed(self, ("criterion", "max_nodes"), f"{reason}; set shortlist=None")
        elif self.shortlist_ is not None:
            reason = "a shortlist is in use, and no decision structure; set shortlist=None"
            warn_if_changed(self, ("criterion", "max_nodes"), reason)
        if self.theta != "auto":
            warn_if_changed(self, ("accuracy_tolerance",), "theta is not 'auto'")
