"""What all estimators over pairwise support vector machines share: parameters and training."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils._param_validation import Interval, Options, StrOptions
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from dcsvm.data.kernels import TRANSLATION_INVARIANT
from dcsvm.data.labels import encode_labels
from dcsvm.data.pairs import class_pairs
from dcsvm.data.rows import TrainingRows, canonical_rows, rows_in_place
from dcsvm.data.some_pairs import SomePairs
from dcsvm.estimators.checks import (
    check_columns_distinct,
    check_every_class_has_weight,
    check_memory,
    check_square,
)
from dcsvm.estimators.class_sets import ClassSetMixin
from dcsvm.estimators.device_prediction import device_of_prediction
from dcsvm.estimators.devices import DeviceMixin, rows_for, training_data_on
from dcsvm.estimators.label_mixin import LabelClassifierMixin
from dcsvm.estimators.parameter_types import (
    BuiltInKernel,
    DecisionFunctionShape,
    DeviceName,
    Gamma,
    Kernel,
    Scaling,
    names_in,
)
from dcsvm.estimators.progress import CallbackSupportMixin, Progress
from dcsvm.estimators.stages import HERE, Stages, train_leaving_out
from dcsvm.estimators.svc_attributes import SVCAttributesMixin
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.training.problems import TrainingParameters


class TrainingData(NamedTuple):
    """Validated input of `fit`."""

    rows: TrainingRows
    classes: NDArray[Any]
    progress: Progress
    stages: Stages = HERE


class BasePairwiseSVC(
    DeviceMixin,
    ClassSetMixin,
    SVCAttributesMixin,
    CallbackSupportMixin,
    LabelClassifierMixin,
    BaseEstimator,
):
    """Trains one binary support vector machine per pair of classes."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0.0, None, closed="right")],
        "kernel": [StrOptions(names_in(BuiltInKernel)), callable],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "scaling": [StrOptions(names_in(Scaling)), None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        # From 2 on, the solver would stop before its first step.
        "tol": [Interval(Real, 0.0, 2.0, closed="neither")],
        "cache_size": [Interval(Real, 0.0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left"), Options(Integral, {-1})],
        "shrinking": ["boolean"],
        "decision_function_shape": [StrOptions(names_in(DecisionFunctionShape))],
        "break_ties": ["boolean"],
        "probability": ["boolean"],
        "verbose": ["verbose"],
        "device": [StrOptions(names_in(DeviceName))],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    machines_: PairwiseMachines
    classes_: NDArray[Any]
    n_iter_: NDArray[np.int64]
    shape_fit_: tuple[int, int]
    class_weight_: NDArray[np.float64]

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Kernel = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        scaling: Scaling | None = None,
        class_weight: Any = None,
        tol: float = 1e-3,
        cache_size: float | None = None,
        max_iter: int = -1,
        shrinking: bool = True,
        decision_function_shape: DecisionFunctionShape = "ovr",
        break_ties: bool = False,
        probability: bool = False,
        verbose: bool | int = False,
        device: DeviceName = "cpu",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.scaling = scaling
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.shrinking = shrinking
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.probability = probability
        self.verbose = verbose
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _training_data(self, X: Any, y: Any, sample_weight: Any, owner: Any) -> TrainingData:
        """Check the input of the `fit` of `owner`, and bring it into canonical order."""
        if sparse.issparse(X) and self.kernel == "precomputed":
            raise TypeError("Sparse precomputed kernels are not supported: pass X.toarray().")
        check_columns_distinct(X)
        device = self._device_of_fit(X)
        if device is not None:
            return TrainingData(*training_data_on(device, self, X, y, sample_weight, owner))
        X = self._validate(X, reset=True)
        classes, codes = encode_labels(y, type(self).__name__)
        check_consistent_length(X, codes)
        if self._trains_all_pairs(len(classes)):
            self._check_memory(len(classes))
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        check_every_class_has_weight(classes, codes, weight)
        if self.kernel == "precomputed":
            check_square(X)
        progress = self._progress(owner, X, y, classes)
        ordered = rows_in_place if self.kernel == "precomputed" else canonical_rows
        rows = ordered(X, codes, weight, len(classes))
        self.shape_fit_ = X.shape
        return TrainingData(rows, classes, progress)

    def _trains_all_pairs(self, n_classes: int) -> bool:
        """Whether every pair of classes gets a machine."""
        return True

    def _check_memory(self, n_classes: int) -> None:
        """Refuse more classes than memory suffices for, if all pairs get a machine."""
        check_memory(n_classes, 0 if self.scaling != "pair" else self.n_features_in_)

    def _progress(self, owner: Any, X: Any, y: Any, classes: NDArray[Any]) -> Progress:
        progress = Progress(owner, X, y, classes)
        if self._trains_all_pairs(len(classes)):
            progress.begin(class_pairs(len(classes)))
        return progress

    def _train(self, data: TrainingData, some_pairs: SomePairs | None = None) -> PairwiseMachines:
        """Train the machines, and say so if any of them stopped early."""
        total = np.add.reduceat(data.rows.weight, data.rows.class_start[:-1])
        self.class_weight_ = self._weight_of_classes(total, data.classes)
        parameters = self._training_parameters(data.progress.trained)
        if self.probability:
            machines, self._left_out = train_leaving_out(
                data.stages, data.rows, self.class_weight_, parameters, some_pairs
            )
        else:
            machines = data.stages.train(data.rows, self.class_weight_, parameters, some_pairs)
        stopped = np.flatnonzero(~machines.converged)
        if len(stopped):
            i, j = data.classes[machines.pairs[stopped[0]]].tolist()
            warnings.warn(
                # The beginning is SVC's, for filters that know it.
                f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing "
                "your data with StandardScaler or MinMaxScaler, with scaling='global', or raise "
                f"max_iter: {len(stopped)} of {machines.n_machines} machines stopped before they "
                f"converged, the first being {i!r} against {j!r}.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return machines

    def _training_parameters(
        self, on_trained: Callable[[Iterable[int]], None]
    ) -> TrainingParameters:
        return TrainingParameters(
            C=self.C,
            kernel=self.kernel,
            degree=self.degree,
            gamma=self.gamma,
            coef0=self.coef0,
            scaling=self.scaling,
            tol=self.tol,
            cache_size=self.cache_size,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            on_trained=on_trained,
        )

    def _weight_of_classes(
        self, total: NDArray[np.float64], classes: NDArray[Any]
    ) -> NDArray[np.float64]:
        """`class_weight` as a number per class; "balanced" counts the weights of its rows."""
        if self.class_weight == "balanced":
            present = total > 0
            mean = total.sum() / present.sum()
            return np.asarray(np.divide(mean, total, out=np.ones_like(total), where=present))
        weight = compute_class_weight(self.class_weight, classes=classes, y=classes)
        if not (weight > 0).all():
            unweighted = classes.tolist()[np.argmin(weight)]
            raise ValueError(
                f"class_weight must be positive, but class {unweighted!r} has {weight.min()}."
            )
        return np.asarray(weight, dtype=np.float64)

    def _check_rows(self, X: Any) -> Any:
        """Check the input of a fitted estimator."""
        check_is_fitted(self)
        device = device_of_prediction(self, X)
        if device is not None:
            return rows_for(device, self, X, reset=False)
        return self._validate(X, reset=False)

    def _validate(self, X: Any, *, reset: bool) -> Any:
        X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32])
        if sparse.issparse(X):
            X.check_format(full_check=True)  # SciPy's routines take indices on trust
            # A new matrix looks at its indices, whatever X says of itself.
            X = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
            if not (X.has_canonical_format and X.data.all()):
                X = X.copy()
                X.sum_duplicates()
                X.eliminate_zeros()
        return X

    def _set_machines(self, machines: PairwiseMachines, classes: NDArray[Any]) -> None:
        self.machines_ = machines
        self.classes_ = classes
        self.n_iter_ = machines.n_iter

    def _share_machines_of(self, other: BasePairwiseSVC) -> Self:
        """Become fitted with the machines of a fitted estimator."""
        check_is_fitted(other)
        if other.machines_.some_pairs is not None:
            raise ValueError(
                f"{type(self).__name__} evaluates machines of all pairs of classes, but this "
                f"{type(other).__name__} has trained those needed only: fit it with machines='all'."
            )
        self._set_machines(other.machines_, other.classes_)
        for name in ("n_features_in_", "feature_names_in_", "shape_fit_", "class_weight_"):
            if hasattr(other, name):
                setattr(self, name, getattr(other, name))
        if "_calibration" in vars(other):
            self._calibration = other._calibration
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        needs_centring = self.scaling is not None and self.kernel not in TRANSLATION_INVARIANT
        tags.input_tags.sparse = self.kernel != "precomputed" and not needs_centring
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
