"""Cheap first looks at a row: a score for every class.

The scores say in which order classes are worth asking about, and which need not be asked about
at all: those whose score is further below the highest than `gap`. The gap is conformal: it is
calibrated on scores of rows that the model had not seen, so that the right class of a new row
is cut off with a chance of at most θ.

What a look costs is counted in kernel evaluations of as many floating-point operations.
"""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils.validation import has_fit_parameter

from dcsvm._core import Engine, Scorer
from dcsvm.data.kernels import Kernel
from dcsvm.data.rows import TrainingRows
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.elimination.ridge import ridge_scores
from dcsvm.routing.elimination.rounds import Scores
from dcsvm.routing.plausibility import CLASSES_PER_PANEL

# Numbers of landmarks of kernel scores to try.
N_LANDMARKS = (32, 64)
# More features than this make linear scores too slow to fit.
MOST_FEATURES = 512
# Features and products of quadratic scores.
MOST_PRODUCTS = 256
# Rows to fit scores to: enough for the weights of all classes, and no more; and of these, rows to
# calibrate on.
ROWS_TO_FIT, ROWS_PER_CLASS = 4096, 48
ROWS_TO_CHECK = 2560

# Operations of a kernel evaluation beside the multiplications and additions over the features.
OPERATIONS = {"linear": 0, "poly": 5, "rbf": 20, "sigmoid": 30}


def operations_of_kernel(kernel: Kernel, n_features: int) -> float:
    """Floating-point operations of one kernel evaluation."""
    return 2.0 * n_features + OPERATIONS.get(kernel.name, 0)


class Calibration(NamedTuple):
    """How far the right class of rows not seen in fitting was behind the best."""

    behind: NDArray[np.float64]  # increasing
    weight: NDArray[np.float64]

    def gap(self, theta: float) -> float:
        """The gap within which the right class lies of all rows but a share θ, or infinity."""
        needed = (self.weight.sum() + 1) * (1 - theta)
        place = int(np.searchsorted(np.cumsum(self.weight), needed - 1e-9))
        return float(self.behind[place]) if place < len(self.behind) else np.inf


def calibrate(
    scores: NDArray[np.floating[Any]], codes: NDArray[np.int64], weight: NDArray[np.float64]
) -> Calibration:
    """Calibrate on the scores of rows of these classes."""
    behind = scores.max(axis=1) - scores[np.arange(len(codes)), codes]
    order = np.argsort(behind)
    return Calibration(behind[order].astype(np.float64), weight[order])


class CalibratedShortlist:
    """What all shortlists here share: a gap that follows from θ."""

    calibration: Calibration
    gap: float = np.inf

    def at(self, theta: float) -> Self:
        """The same with another chance to cut the right class off."""
        other = copy(self)
        other.gap = self.calibration.gap(theta)
        return other


class LinearShortlist(CalibratedShortlist):
    """Scores that are linear in some numbers.

    These are the features, or the features as the engine centres and scales them and their
    products, or kernel values with some support vectors.

    Attributes
    ----------
    weights, intercept : arrays
        Of the scores.
    landmarks : array of places in the pool of support vectors, or None
        What the kernel values are with.
    quadratic : bool
        Whether they are features and their products.
    accuracy : float
        Share of the rows, each left out in turn, whose own class scored highest.
    gap : float
        Classes further below the best are left out.
    cost : float
        Kernel evaluations that the scores of a row are worth.
    """

    def __init__(
        self,
        weights: NDArray[np.float64],
        intercept: NDArray[np.float64],
        landmarks: NDArray[np.int32] | None,
        quadratic: bool,
        calibration: Calibration,
        accuracy: float,
        cost: float,
    ) -> None:
        self.weights = weights
        self.intercept = intercept
        self.landmarks = landmarks
        self.quadratic = quadratic
        self.calibration = calibration
        self.accuracy = accuracy
        self.cost = cost
        self._compiled: tuple[Any, Scorer] | None = None

    @property
    def name(self) -> str:
        """What it is."""
        if self.landmarks is not None:
            return f"{len(self.landmarks)} landmarks"
        return "quadratic" if self.quadratic else "linear"

    def scores(self, X: Any, machines: PairwiseMachines) -> Scores:
        """A score for every class (padded to panels) of every row of X."""
        n_classes = len(self.intercept)
        padded = -(-n_classes // CLASSES_PER_PANEL) * CLASSES_PER_PANEL
        out = np.empty((X.shape[0], padded), dtype=np.float32)
        engine, rows = machines.engine, machines.prepare(X).rows
        if engine is None or rows is None:
            out[:, :n_classes] = np.asarray(X @ self.weights.T) + self.intercept
        else:
            self.scorer(engine).score(engine, rows, 0, X.shape[0], out)
        return out

    def scorer(self, engine: Engine) -> Scorer:
        """The compiled form of the scores."""
        compiled = self._compiled
        if compiled is None or compiled[0] is not engine:
            weights, intercept = self.weights, self.intercept
            if self.name == "linear":  # the engine moves and scales rows before it scores them
                centre, scale = np.array(engine.centre), np.array(engine.scale)
                weights = weights / np.where(scale == 0, np.inf, scale)
                intercept = intercept + self.weights @ centre
            scorer = Scorer(
                engine=engine,
                weights=weights.astype(np.float32),
                intercept=intercept.astype(np.float32),
                landmarks=self.landmarks,
                quadratic=self.quadratic,
            )
            compiled = self._compiled = (engine, scorer)
        return compiled[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_compiled": None}


class Fitted(NamedTuple):
    """A shortlist, and its scores of the rows it was fitted to, each left out in turn."""

    shortlist: LinearShortlist
    rows: NDArray[np.int64]
    left_out: NDArray[np.float64]


def linear_shortlist(rows: TrainingRows, machines: PairwiseMachines) -> Fitted | None:
    """Scores that are linear in the features, or None where they are not worth the trouble."""
    n_features = rows.X.shape[1]
    if machines.kernel.name in ("linear", "precomputed") or n_features > MOST_FEATURES:
        return None
    drawn = _drawn(rows)
    X = rows.X[drawn if rows.place is None else rows.place[drawn]]
    Z = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    return _fitted(Z, rows, drawn, machines)


def quadratic_shortlist(rows: TrainingRows, machines: PairwiseMachines) -> Fitted | None:
    """Scores that are linear in the features and their products, where those are few."""
    n_features = rows.X.shape[1]
    if machines.engine is None or machines.kernel.name == "linear":
        return None
    if n_features * (n_features + 3) // 2 > MOST_PRODUCTS:
        return None
    drawn = _drawn(rows)
    X = rows.X[drawn if rows.place is None else rows.place[drawn]]
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    query = (X - np.array(machines.engine.centre)) * np.array(machines.engine.scale)
    first, second = np.triu_indices(n_features)
    Z = np.hstack([query, query[:, first] * query[:, second]])
    return _fitted(Z, rows, drawn, machines, quadratic=True)


def landmark_shortlist(
    rows: TrainingRows, machines: PairwiseMachines, n_landmarks: int
) -> Fitted | None:
    """Scores that are linear in the kernel values with evenly drawn support vectors."""
    n_vectors = machines.n_distinct_support
    if machines.engine is None or machines.kernel.name == "linear" or n_vectors < n_landmarks:
        return None
    if machines.pair_scaling is not None:
        return None
    landmarks = np.linspace(0, n_vectors - 1, n_landmarks).astype(np.int32)
    drawn = _drawn(rows)
    X = rows.X[drawn if rows.place is None else rows.place[drawn]]
    core_rows = machines.prepare(X).rows
    assert core_rows is not None
    values = np.empty((len(drawn), n_landmarks), dtype=np.float32)
    identity = Scorer(
        engine=machines.engine,
        weights=np.eye(n_landmarks, dtype=np.float32),
        intercept=np.zeros(n_landmarks, dtype=np.float32),
        landmarks=landmarks,
        quadratic=False,
    )
    identity.score(machines.engine, core_rows, 0, len(drawn), values)
    return _fitted(values.astype(np.float64), rows, drawn, machines, landmarks=landmarks)


def _drawn(rows: TrainingRows) -> NDArray[np.int64]:
    """Rows to fit scores to, evenly drawn where there are too many."""
    return _evenly(rows.n_rows, max(ROWS_TO_FIT, ROWS_PER_CLASS * rows.n_classes))


def _evenly(n: int, most: int) -> NDArray[np.int64]:
    """At most so many of n rows, as far apart as can be."""
    return np.unique(np.linspace(0, n - 1, max(1, min(most, n))).astype(np.int64))


def _fitted(
    Z: NDArray[np.float64],
    rows: TrainingRows,
    drawn: NDArray[np.int64],
    machines: PairwiseMachines,
    *,
    landmarks: NDArray[np.int32] | None = None,
    quadratic: bool = False,
) -> Fitted:
    k = rows.n_classes
    codes = np.searchsorted(rows.class_start, drawn, side="right") - 1
    weight = rows.weight[drawn]
    checked = _evenly(len(drawn), ROWS_TO_CHECK)
    fitted = ridge_scores(Z, codes, weight, k, checked)
    codes, weight = codes[checked], weight[checked]
    operations = operations_of_kernel(machines.kernel, rows.X.shape[1])
    cost = 2.0 * k * Z.shape[1] / operations + (0 if landmarks is None else len(landmarks))
    right = fitted.left_out.argmax(axis=1) == codes
    shortlist = LinearShortlist(
        fitted.weights,
        fitted.intercept,
        landmarks,
        quadratic,
        calibrate(fitted.left_out, codes, weight),
        float(weight @ right / weight.sum()),
        cost,
    )
    return Fitted(shortlist, drawn[checked], fitted.left_out)


class EstimatorShortlist(CalibratedShortlist):
    """Scores of a classifier of the user's own, fitted to the training rows.

    Attributes are those of `LinearShortlist`, with `estimator` in place of the weights.
    """

    def __init__(
        self, estimator: Any, n_classes: int, calibration: Calibration, accuracy: float, cost: float
    ) -> None:
        self.estimator = estimator
        self.n_classes = n_classes
        self.calibration = calibration
        self.accuracy = accuracy
        self.cost = cost

    @property
    def name(self) -> str:
        """What it is."""
        return type(self.estimator).__name__

    def scores(self, X: Any, machines: Any) -> Scores:
        """A score for every class (padded to panels) of every row of X."""
        padded = -(-self.n_classes // CLASSES_PER_PANEL) * CLASSES_PER_PANEL
        out = np.full((X.shape[0], padded), -np.inf, dtype=np.float32)
        method = getattr(self.estimator, _score_method(self.estimator))
        out[:, : self.n_classes] = method(X)
        return out


def estimator_shortlist(
    estimator: Any, rows: TrainingRows, machines: PairwiseMachines
) -> EstimatorShortlist:
    """Fit a classifier, and calibrate it on cross-validated scores."""
    k = rows.n_classes
    X = rows.query(0, rows.n_rows)
    codes = np.repeat(np.arange(k), np.diff(rows.class_start))
    fewest = int(np.diff(rows.class_start).min())
    if fewest < 2:
        raise ValueError(
            "A shortlist is calibrated by cross-validation, but a class has a single distinct row."
        )
    folds = StratifiedKFold(min(5, fewest), shuffle=True, random_state=0)
    weights = {"sample_weight": rows.weight} if _takes_weights(estimator, rows.weight) else {}
    scores = cross_val_predict(
        clone(estimator), X, codes, cv=folds, method=_score_method(estimator), params=weights
    )
    if scores.shape != (len(codes), k):
        raise ValueError(
            f"The shortlist must score each of {k} classes; {type(estimator).__name__} gives "
            f"scores of shape {scores.shape}. Use a one-versus-rest form of it."
        )
    right = scores.argmax(axis=1) == codes
    operations = operations_of_kernel(machines.kernel, rows.X.shape[1])
    fitted = clone(estimator).fit(X, codes, **weights)
    return EstimatorShortlist(
        fitted,
        k,
        calibrate(scores, codes, rows.weight),
        float(rows.weight @ right / rows.weight.sum()),
        _operations_of(fitted, k, rows.X.shape[1]) / operations,
    )


def _takes_weights(estimator: Any, weight: NDArray[np.float64]) -> bool:
    return bool((weight != 1).any()) and has_fit_parameter(estimator, "sample_weight")


def _score_method(estimator: Any) -> str:
    return "decision_function" if hasattr(estimator, "decision_function") else "predict_proba"


def _operations_of(estimator: Any, n_classes: int, n_features: int) -> float:
    """Floating-point operations of a classifier's scores, as far as its parameters tell."""
    weights = getattr(estimator, "coefs_", None) or [getattr(estimator, "coef_", None)]
    if all(w is not None for w in weights):
        return float(sum(2.0 * np.size(w) for w in weights))
    if hasattr(estimator, "steps"):
        return _operations_of(estimator.steps[-1][1], n_classes, n_features)
    return 2.0 * n_classes * n_features
