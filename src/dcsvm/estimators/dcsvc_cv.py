"""`DCSVCCV`: a `DCSVC` with the C, γ and θ of the best score in cross-validation."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted

from dcsvm._util.user_line import level_of_user
from dcsvm.data.labels import encode_labels, label_vector
from dcsvm.estimators.access import FITTED, fitted_state, parameter_names, restore
from dcsvm.estimators.checks import (
    check_columns_distinct,
    check_every_class_has_weight,
    check_square,
)
from dcsvm.estimators.dcsvc import DCSVC
from dcsvm.estimators.fit_context import fit_context
from dcsvm.estimators.parameter_types import (
    Criterion,
    DecisionFunctionShape,
    Machines,
    Routing,
    Scaling,
    Shortlist,
    TableRows,
    Theta,
)
from dcsvm.estimators.prediction import UNCHANGED
from dcsvm.estimators.search.fold_machines import ClassWeights, fold_problem
from dcsvm.estimators.search.folds import Rows, make_folds, test_part
from dcsvm.estimators.search.grid import costs, settings
from dcsvm.estimators.search.judging import Judge, JudgeByFits, JudgeByVariants
from dcsvm.estimators.search.progress import SearchProgress
from dcsvm.estimators.search.results import Results
from dcsvm.estimators.search.scoring import Scoring
from dcsvm.estimators.search.search import Options, Search
from dcsvm.estimators.search.theta_choice import cheapest, theta_results, thetas_tried
from dcsvm.estimators.state import Refit
from dcsvm.routing.dag.growing import MAX_NODES

# What the search has in the place of a parameter of DCSVC.
SEARCHED = ("C", "gamma", "theta")
# What the best DCSVC has from the search. Its `accuracy_tolerance` is for theta="auto".
LEARNT = [name for name in FITTED if name not in ("n_features", "feature_names")]
SHARED = [
    name
    for name in parameter_names(DCSVC)
    if name not in (*SEARCHED, "kernel", "verbose", "accuracy_tolerance", "device")
]


class DCSVCCV(DCSVC):
    """`DCSVC` with C, γ and θ found by cross-validation, in much less time than a grid of fits.

    All folds and all values of C share the kernel values of a γ, and each machine is trained from
    the solution for the value of C before. Points that cannot win any more are given up after the
    first folds. Once fitted, it is the best `DCSVC`, fitted to all rows.

    Points are scored by the vote of all machines, which `DCSVC` agrees with but for few rows,
    whatever its θ.

    Parameters
    ----------
    Cs : int, "auto" or list of float, default=10
        The values of C, or how many of them, from 0.03 to 1,000. With "auto", there are 10, and
        more beyond where the best is the smallest or the largest.
    gammas : int, "auto" or list, default="auto"
        The values of γ, which may include "scale" and "auto" of `DCSVC`; or how many of them. With
        a number or "auto" they follow from the distances of the rows.
    thetas : None, "auto" or list of float, default=None
        The values of θ, tried with the best C and γ without training anything. Chosen is the one
        with the fewest kernel evaluations whose score is at most `accuracy_tolerance` below the
        best. None leaves θ to `DCSVC`.
    cv : int, splitter or list of splits, default=None
        As in :class:`sklearn.model_selection.GridSearchCV`: None is 5 stratified folds.
    scoring : str, scorer or callable, default=None
        What is to be high; None is the accuracy.
    refit : bool, default=True
        Whether the best `DCSVC` is fitted to all rows. Without it, there are scores alone.
    racing : bool, default=True
        Whether points that are behind the best by more than chance after one fold or two are given
        up; their further scores are NaN. Without effect if `scoring` needs more than labels, with
        fewer than 3 folds, or with fewer than 50 test rows in the first.
    on_interrupt : {"raise", "best"}, default="raise"
        What Ctrl-C does during the search: raise KeyboardInterrupt, or end the search and keep the
        best of the points that are finished.
    kernel : str, callable or list, default="rbf"
        As in `DCSVC`, or several to choose from.
    degree : int, default=3
        Degree of "poly".
    coef0 : float, default=0.0
        Constant term of "poly" and "sigmoid".
    routing, shortlist, criterion, machines, max_nodes, table_rows, shrinking, \
    decision_function_shape, break_ties, probability
        As in `DCSVC`.
    accuracy_tolerance : float, default=0.001
        The score that a larger θ of `thetas` may cost.
    scaling : {"global", "pair"}, default=None
        As in `DCSVC`. In a fold, the features are standardised by its training rows.
    class_weight : dict, "balanced" or None, default=None
        As in `DCSVC`; "balanced" counts the training rows of a fold.
    tol : float, default=1e-3
        Tolerance of the solver.
    cache_size : float or None, default=2000
        Memory for kernel values, in MB; None as in `DCSVC`, which computes more of them again.
    max_iter : int, default=-1
        Iterations of the solver for a machine; −1: no bound.
    verbose : bool, default=False
        Print how far the search is, about once a second, and the best so far.
    n_jobs : int, default=None
        Threads. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Of the `DCSVC`. The search is not random, but for a splitter that is.

    Attributes
    ----------
    best_estimator_ : DCSVC
        The best, fitted to all rows. All attributes of a fitted `DCSVC` are here too.
    C_, gamma_, kernel_
        Those of the best score. `gamma_` is None for a kernel that has none.
    theta_ : float
        The θ in use.
    best_params_ : dict
        What distinguishes the best from other points, and its θ where `thetas` are given.
    best_score_ : float
        Mean score of the best over the folds.
    Cs_ : ndarray of shape (n_Cs,)
    gammas_ : list
        The values of γ; with several kernels, those of all of them, one after the other.
    settings_ : list of tuple
        The kernel and γ of each of these.
    scores_ : ndarray of shape (n_folds, n_gammas, n_Cs)
        All scores, NaN where a point was given up.
    cv_results_ : dict
        The same in the form of GridSearchCV.
    theta_results_ : dict
        Score and cost of each θ, where `thetas` are given.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from dcsvm import DCSVCCV
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = DCSVCCV(Cs=[1, 10, 100], gammas=3).fit(X[:600], y[:600])
    >>> clf.scores_.shape
    (5, 3, 3)
    >>> bool(clf.score(X[600:], y[600:]) > 0.93)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{n: c for n, c in DCSVC._parameter_constraints.items() if n not in SEARCHED},
        "Cs": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), "array-like"],
        "gammas": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), "array-like"],
        "thetas": [None, StrOptions({"auto"}), "array-like"],
        "cv": ["cv_object"],
        "scoring": [None, str, callable],
        "refit": ["boolean"],
        "racing": ["boolean"],
        "on_interrupt": [StrOptions({"raise", "best"})],
        "kernel": [*DCSVC._parameter_constraints["kernel"], list, tuple],
        "accuracy_tolerance": [Interval(Real, 0.0, None, closed="left")],
    }

    best_estimator_: DCSVC

    def __init__(
        self,
        *,
        Cs: Any = 10,
        gammas: Any = "auto",
        thetas: Any = None,
        cv: Any = None,
        scoring: Any = None,
        refit: bool = True,
        racing: bool = True,
        on_interrupt: str = "raise",
        kernel: Any = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
        routing: Routing = "margin",
        shortlist: Shortlist | None = "auto",
        criterion: Criterion = "cost",
        accuracy_tolerance: float = 0.001,
        max_nodes: int = MAX_NODES,
        machines: Machines = "auto",
        scaling: Scaling | None = None,
        class_weight: Any = None,
        tol: float = 1e-3,
        cache_size: float | None = 2000,
        max_iter: int = -1,
        shrinking: bool = True,
        decision_function_shape: DecisionFunctionShape = "ovr",
        break_ties: bool = False,
        probability: bool = False,
        table_rows: TableRows | None = "auto",
        verbose: bool | int = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.Cs = Cs
        self.gammas = gammas
        self.thetas = thetas
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.racing = racing
        self.on_interrupt = on_interrupt
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.routing = routing
        self.shortlist = shortlist
        self.criterion = criterion
        self.accuracy_tolerance = accuracy_tolerance
        self.max_nodes = max_nodes
        self.machines = machines
        self.scaling = scaling
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.shrinking = shrinking
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.probability = probability
        self.table_rows = table_rows
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def paper(
        cls, *, theta: Theta = 0.001, criterion: Criterion = "purity", **parameters: Any
    ) -> Self:
        """The same for the method as the paper has it."""
        thetas = theta if isinstance(theta, str) else [theta]
        return cls(thetas=thetas, criterion=criterion, routing="sign", shortlist=None, **parameters)

    @fit_context(skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Search, and fit the best to all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, frame} of shape (n_samples, n_features)
            Training rows; the kernel matrix if kernel="precomputed".
        y : array-like of shape (n_samples,)
            Labels of any sortable type.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per row. They count in scores too, if the scorer takes them.
        groups : array-like of shape (n_samples,), default=None
            Groups of rows, for splitters that keep them together.

        Returns
        -------
        self
            The same estimator, fitted. If anything stops the fit, it is left as it was.
        """
        with Refit(self) as refit:
            new = refit.fitted
            rows = new._searched_rows(X, y, sample_weight)
            progress = SearchProgress(self, X, y)
            progress.begin()
            for name in ("best_estimator_", *LEARNT):
                new.__dict__.pop(FITTED.get(name, name), None)
            new._search(rows, groups, progress)
            if self.refit:
                best = new._classifier(new._best_parameters).fit(X, y, sample_weight)
                restore(new, fitted_state(best))
                new.best_estimator_ = best
            refit.take_over()
            progress.end()
        return self

    def rethreshold(
        self,
        *,
        theta: Theta | None = None,
        routing: Routing | None = None,
        criterion: Criterion | None = None,
        shortlist: Shortlist | None = UNCHANGED,
    ) -> DCSVC:
        """`best_estimator_` by other rules, as `DCSVC.rethreshold`."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.rethreshold(
            theta=theta, routing=routing, criterion=criterion, shortlist=shortlist
        )

    def _searched_rows(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        kernels = self._kernels()
        if "precomputed" in kernels:
            if len(kernels) > 1:
                raise ValueError("A precomputed kernel cannot be one of several kernels.")
            if sparse.issparse(X):
                raise TypeError("Sparse precomputed kernels are not supported: pass X.toarray().")
        check_columns_distinct(X)
        checked = self._validate(X, reset=True)
        classes, codes = encode_labels(y, type(self).__name__)
        check_consistent_length(checked, codes)
        if "precomputed" in kernels:
            check_square(checked)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, checked, dtype=np.float64)
            check_every_class_has_weight(classes, codes, weight)
        return Rows(
            X if hasattr(X, "columns") else checked,
            y if hasattr(y, "iloc") else label_vector(y),
            *(checked, codes, classes, weight),
        )

    def _search(self, rows: Rows, groups: Any, progress: SearchProgress) -> None:
        """Evaluate the points, and set what is found."""
        judge = self._judge(rows, groups)
        scoring = Scoring(self.scoring, self._classifier({}), rows.classes)
        grows = isinstance(self.Cs, str)
        options = Options(self.racing, grows, self.on_interrupt == "best")
        search = Search(judge, scoring, costs(self.Cs), options, progress)
        results = search.run()
        best = results.best()
        if best is None:
            raise ValueError("No point of the grid has a score: the scorer returned NaN for all.")
        self._set_results(results, best)
        if search.is_interrupted:
            warnings.warn(
                "The search was interrupted: the best of the points that were finished is taken.",
                UserWarning,
                level_of_user(),
            )
        else:
            results.warn_of_edges()
        self.__dict__.pop("theta_results_", None)
        if self.thetas is not None:
            self._choose_theta(judge, best, rows, scoring)
        self._best_parameters = {"kernel": self.kernel_, **self.best_params_}

    def _choose_theta(
        self, judge: Judge, best: tuple[int, int], rows: Rows, scoring: Scoring
    ) -> None:
        classifiers = judge.classifiers(best[0], self.C_)
        tests = []
        for fold in judge.folds:
            X, y = test_part(rows, fold, self.kernel_ == "precomputed")
            tests.append((X, y, None if rows.weight is None else rows.weight[fold.test]))
        found = theta_results(classifiers, tests, thetas_tried(self.thetas), scoring.score_of)
        self.theta_results_ = found
        self.best_params_["theta"] = cheapest(found, self.accuracy_tolerance)

    def _judge(self, rows: Rows, groups: Any) -> Judge:
        folds = make_folds(self.cv, rows, groups)
        is_precomputed = "precomputed" in self._kernels()
        X = rows.checked if is_precomputed else rows.distinct()
        points = settings(self.kernel, self.gammas, X, self.scaling is not None)
        if not self._classifier({})._trains_all_pairs(len(rows.classes)):
            return JudgeByFits(rows, folds, points, self._classifier)
        self._check_memory(len(rows.classes))
        problem = fold_problem(rows, folds, is_precomputed, self._class_weights(rows.classes))
        parameters = self._classifier({})._training_parameters(lambda machines: None)
        return JudgeByVariants(rows, problem, points, parameters, self._classifier, self)

    def _class_weights(self, classes: NDArray[Any]) -> ClassWeights:
        return lambda total: self._weight_of_classes(total, classes)

    def _classifier(self, parameters: dict[str, Any]) -> DCSVC:
        """A `DCSVC` by the parameters of a point, the others as here."""
        shared = {name: getattr(self, name) for name in SHARED}
        if isinstance(self.shortlist, BaseEstimator):
            shared["shortlist"] = clone(self.shortlist)
        theta = "cost" if self.thetas is None else min(thetas_tried(self.thetas))
        return DCSVC(**{"theta": theta, **shared, "kernel": self._kernels()[0], **parameters})

    def _kernels(self) -> list[Any]:
        return list(self.kernel) if isinstance(self.kernel, list | tuple) else [self.kernel]

    def _set_results(self, results: Results, best: tuple[int, int]) -> None:
        s, c = best
        self.C_ = float(results.Cs[c])
        self.gamma_, self.kernel_ = results.settings[s].gamma, results.settings[s].kernel
        self.best_params_ = results.parameters(s, c)
        self.best_score_ = float(results.mean_score[s, c])
        self.Cs_, self.gammas_ = results.Cs, [setting.gamma for setting in results.settings]
        self.settings_ = [(setting.kernel, setting.gamma) for setting in results.settings]
        self.scores_ = results.score
        self.cv_results_ = results.cv_results()

    def __sklearn_tags__(self) -> Any:
        # Those of the estimator at its first kernel: several are tried on the same rows.
        tags: Any = self._classifier({}).__sklearn_tags__()
        return tags
