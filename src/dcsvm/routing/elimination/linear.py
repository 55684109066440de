"""Scores that are linear in some numbers, fitted by ridge regression.

These are the features, or the features as the engine centres and scales them and their products,
or kernel values with some support vectors, the landmarks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.threads import even_slices, run_short, threads_worth
from dcsvm.data.rows import TrainingRows
from dcsvm.machines.compiled import Engine
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.elimination.calibration import (
    CalibratedShortlist,
    Calibration,
    Fitted,
    calibrate,
    operations_of_kernel,
)
from dcsvm.routing.elimination.ridge import ridge_scores
from dcsvm.routing.elimination.rounds import Scores
from dcsvm.routing.plausibility import padded

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


@dataclass(eq=False, repr=False)
class LinearShortlist(CalibratedShortlist):
    """Scores that are linear in some numbers.

    Attributes
    ----------
    weights, intercept : arrays
        Of the scores.
    landmarks : array of places in the pool of support vectors, or None
        The support vectors of the kernel values.
    quadratic : bool
        Whether the numbers are the features and their products.
    accuracy : float
        Share of the rows, each left out in turn, whose own class scored highest.
    gap : float
        Classes further below the best are left out.
    cost : float
        Kernel evaluations that the scores of a row are worth.
    """

    weights: NDArray[np.float64]
    intercept: NDArray[np.float64]
    landmarks: NDArray[np.int32] | None
    quadratic: bool
    calibration: Calibration
    accuracy: float
    cost: float
    _compiled: tuple[Any, Any] | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """What it is."""
        if self.landmarks is not None:
            return f"{len(self.landmarks)} landmarks"
        return "quadratic" if self.quadratic else "linear"

    def scores(self, X: Any, machines: PairwiseMachines) -> Scores:
        """A score for every class (padded to panels) of every row of X."""
        n_classes = len(self.intercept)
        out = np.empty((X.shape[0], padded(n_classes)), dtype=np.float32)
        if not machines.kernel.is_built_in:
            if self.landmarks is not None:  # of a kernel matrix, whose columns are training rows
                X = X[:, machines.pool[self.landmarks]]
            out[:, :n_classes] = np.asarray(X @ self.weights.T) + self.intercept
            return out
        query = machines.prepare(X)

        def score(engine: Engine, first: int, last: int) -> None:
            is_usual = engine is machines.engine
            compiled: Any = self.compiled(machines) if is_usual else self._compiled_for(engine)
            engine.score(compiled, query.rows, first, last, out[first:last])

        machines.by_runs(query, 0, query.n_rows, score)
        return out

    def compiled(self, machines: PairwiseMachines) -> Any | None:
        """The same for the engine of these machines, where that is given the features of a row."""
        if not machines.kernel.is_built_in:
            return None
        engine, known = machines.engine, self._compiled
        if known is None or known[0] is not engine:
            known = self._compiled = (engine, self._compiled_for(engine))
        return known[1]

    def _compiled_for(self, engine: Engine) -> Any:
        weights, intercept = self.weights, self.intercept
        if self.name == "linear":  # the engine moves and scales rows before it scores them
            centre, scale = np.array(engine.centre), np.array(engine.scale)
            weights = weights / np.where(scale == 0, np.inf, scale)
            intercept = intercept + self.weights @ centre
        return engine.shortlist(
            weights=np.ascontiguousarray(weights),
            intercept=intercept,
            landmarks=self.landmarks,
            quadratic=self.quadratic,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_compiled": None}


class Limits(NamedTuple):
    """What the fit of a shortlist may take."""

    cost: float  # none is fitted whose scores are worth more kernel evaluations
    n_jobs: int | None


NO_LIMITS = Limits(np.inf, 1)


def linear_shortlist(
    rows: TrainingRows, machines: PairwiseMachines, limits: Limits = NO_LIMITS
) -> Fitted | None:
    """Scores that are linear in the features, or None where they are not worth the trouble."""
    n_features = rows.X.shape[1]
    if machines.kernel.name in ("linear", "precomputed") or n_features > MOST_FEATURES:
        return None
    if _cost(rows, machines, n_features) > limits.cost:
        return None
    drawn = _drawn(rows)
    return _fitted(_features(rows, drawn), rows, drawn, machines, limits)


def quadratic_shortlist(
    rows: TrainingRows, machines: PairwiseMachines, limits: Limits = NO_LIMITS
) -> Fitted | None:
    """Scores that are linear in the features and their products, where those are few."""
    n_features = rows.X.shape[1]
    if not machines.kernel.is_built_in or machines.kernel.name == "linear":
        return None
    if not has_few_products(n_features):
        return None
    if _cost(rows, machines, _n_products(n_features)) > limits.cost:
        return None
    drawn = _drawn(rows)
    centre, scale = np.array(machines.engine.centre), np.array(machines.engine.scale)
    query = (_features(rows, drawn) - centre) * scale
    first, second = np.triu_indices(n_features)
    Z = np.hstack([query, query[:, first] * query[:, second]])
    return _fitted(Z, rows, drawn, machines, limits, quadratic=True)


def landmark_shortlist(
    rows: TrainingRows,
    machines: PairwiseMachines,
    limits: Limits = NO_LIMITS,
    *,
    n_landmarks: int,
) -> Fitted | None:
    """Scores that are linear in the kernel values with evenly drawn support vectors."""
    n_vectors = machines.n_distinct_support
    is_given = machines.kernel.name == "precomputed"
    shares_values = machines.kernel.is_built_in and machines.pair_scaling is None
    if not (shares_values or is_given) or machines.kernel.name == "linear":
        return None
    if n_vectors < n_landmarks or _cost(rows, machines, n_landmarks, n_landmarks) > limits.cost:
        return None
    landmarks = np.linspace(0, n_vectors - 1, n_landmarks).astype(np.int32)
    drawn = _drawn(rows)
    if is_given:
        X = np.asarray(rows.take(drawn)[:, machines.pool[landmarks]], dtype=np.float64)
        return _fitted(X, rows, drawn, machines, limits, landmarks=landmarks)
    values = np.empty((len(drawn), padded(n_landmarks)), dtype=np.float32)
    query = machines.prepare(rows.take(drawn))

    def evaluate(engine: Engine, first: int, last: int) -> None:
        identity: Any = engine.shortlist(
            weights=np.eye(n_landmarks),
            intercept=np.zeros(n_landmarks),
            landmarks=landmarks,
            quadratic=False,
        )
        engine.score(identity, query.rows, first, last, values[first:last])

    work = len(drawn) * n_landmarks * rows.X.shape[1]
    threads = threads_worth(work, limits.n_jobs)
    run_short(
        lambda part: machines.by_runs(query, part.start, part.stop, evaluate),
        even_slices(len(drawn), len(drawn), threads),
        threads,
    )
    values = values[:, :n_landmarks]
    return _fitted(values.astype(np.float64), rows, drawn, machines, limits, landmarks=landmarks)


def has_few_products(n_features: int) -> bool:
    """Whether quadratic scores of so many features are not too slow to fit."""
    return _n_products(n_features) <= MOST_PRODUCTS


def _n_products(n_features: int) -> int:
    """How many features and products of two of them there are."""
    return n_features * (n_features + 3) // 2


def _cost(
    rows: TrainingRows, machines: PairwiseMachines, n_numbers: int, n_landmarks: int = 0
) -> float:
    """Kernel evaluations that the scores of a row are worth."""
    operations = operations_of_kernel(machines.kernel, rows.X.shape[1])
    return 2.0 * rows.n_classes * n_numbers / operations + n_landmarks


def _drawn(rows: TrainingRows) -> NDArray[np.int64]:
    """Rows to fit scores to, evenly drawn where there are too many."""
    return evenly(rows.n_rows, max(ROWS_TO_FIT, ROWS_PER_CLASS * rows.n_classes))


def _features(rows: TrainingRows, drawn: NDArray[np.int64]) -> NDArray[np.float64]:
    """The features of some rows, dense."""
    X = rows.take(drawn)
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)


def evenly(n: int, most: int) -> NDArray[np.int64]:
    """At most so many of n rows, as far apart as can be."""
    return np.unique(np.linspace(0, n - 1, max(1, min(most, n))).astype(np.int64))


def _fitted(
    Z: NDArray[np.float64],
    rows: TrainingRows,
    drawn: NDArray[np.int64],
    machines: PairwiseMachines,
    limits: Limits,
    *,
    landmarks: NDArray[np.int32] | None = None,
    quadratic: bool = False,
) -> Fitted | None:
    if not np.isfinite(Z).all():
        return None
    k = rows.n_classes
    codes, weight = rows.codes(drawn), rows.weight[drawn]
    checked = evenly(len(drawn), ROWS_TO_CHECK)
    fitted = ridge_scores(Z, codes, weight, k, checked, limits.n_jobs)
    codes, weight = codes[checked], weight[checked]
    right = fitted.left_out.argmax(axis=1) == codes
    shortlist = LinearShortlist(
        fitted.weights,
        fitted.intercept,
        landmarks,
        quadratic,
        calibrate(fitted.left_out, codes, weight),
        float(weight @ right / weight.sum()),
        _cost(rows, machines, Z.shape[1], 0 if landmarks is None else len(landmarks)),
    )
    return Fitted(shortlist, drawn[checked], fitted.left_out)
