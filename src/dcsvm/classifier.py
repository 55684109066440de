"""`DCSVC`: divide-and-conquer support vector classification."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from dcsvm.base import BasePairwiseSVC
from dcsvm.observing import build_table
from dcsvm.predictor import grow_along
from dcsvm.rows import TrainingRows
from dcsvm.separators import CRITERIA
from dcsvm.thresholding import ThresholdMixin
from dcsvm.validation import unchanged_on_failure


class DCSVC(ThresholdMixin, BasePairwiseSVC):
    """Multi-class support vector classification by a few binary decisions per row.

    One machine is trained per pair of classes, as in :class:`sklearn.svm.SVC`. The
    All-Predictions table records how each of them splits every class, and a decision
    structure asks them in an order in which each answer removes one or more classes: at
    best log₂ k answers, never more than k − 1, where a vote takes k(k−1)/2.

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
    theta : float in [0, 0.5), default=0.001
        The threshold θ, a fraction: a class of which no more than this part lies on one side
        of a machine is taken to lie wholly on the other. Larger is faster and less accurate.
    criterion : {"purity", "score"}, default="purity"
        How a node chooses its machine: fast, balanced structures, or accurate, bushier ones.
    routing : {"sign"}, default="sign"
        What of a decision value decides. "sign" is the paper's rule.
    scaling : {None, "global", "pair"}, default=None
        Standardise the features over all training rows, or inside every machine over the
        rows of its two classes, as R's e1071 does. Prediction applies the same scaling.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class. "balanced" gives every class the same total; a row of
        weight w counts w times in it, as everywhere.
    tol : float, default=1e-3
        Tolerance of the solver.
    cache_size : float, default=200
        Memory for kernel values during training in MB, all threads together.
    max_iter : int, default=-1
        Bound on the solver's iterations per machine; −1 for a generous one. A machine that
        meets it is named in a ConvergenceWarning.
    table_rows : int, default=None
        Build the table, and grow the decision structure, from at most so many distinct rows
        of each class, drawn with `random_state`. None takes all.
    verbose : bool, default=False
        Print how many machines are trained, about once a second.
    n_jobs : int, default=None
        Threads for training and prediction. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the rows of the table where `table_rows` is set; else nothing is random.

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
        The All-Predictions table.
    dag_ : DecisionDag
        The decision structure. It grows as rows come by.
    n_iter_ : ndarray of shape (n_machines,)
        Iterations of the solver.

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
        "theta": [Interval(Real, 0.0, 0.5, closed="left")],
        "criterion": [StrOptions(set(CRITERIA))],
        "routing": [StrOptions({"sign"})],
        "table_rows": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        theta: float = 0.001,
        criterion: str = "purity",
        routing: str = "sign",
        scaling: str | None = None,
        class_weight: Any = None,
        tol: float = 1e-3,
        cache_size: float = 200,
        max_iter: int = -1,
        table_rows: int | None = None,
        verbose: bool | int = False,
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
            verbose=verbose,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.theta = theta
        self.criterion = criterion
        self.routing = routing
        self.table_rows = table_rows

    @_fit_context(prefer_skip_nested_validation=True)
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
        with unchanged_on_failure(self):
            data = self._training_data(X, y, sample_weight)
            machines = self._train(data)
            rows = self._table_rows(data.rows)
            table, signs = build_table(machines, rows, data.classes, self.n_jobs)
            grower = self._new_grower(table)
            grow_along(rows, signs, machines, grower, self.n_jobs)
            self._set_machines(machines, data.classes)
            self.table_ = table
            self._grower = grower
            data.progress.end()
        return self

    def _table_rows(self, rows: TrainingRows) -> TrainingRows:
        if self.table_rows is None:
            return rows
        return rows.sample(self.table_rows, check_random_state(self.random_state))
