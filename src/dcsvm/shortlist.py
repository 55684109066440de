"""Cheap first looks at a row: a score for every class.

The scores say in which order classes are worth asking about, and which need not be asked about
at all: those whose score is further below the highest than `gap`. The gap is conformal: it is
calibrated on scores of rows that the model had not seen, so that the right class of a new row
is cut off with a chance of at most θ.

What a look costs is counted in kernel evaluations of as many floating-point operations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

from dcsvm import _core
from dcsvm.elimination import Scores
from dcsvm.kernels import Kernel
from dcsvm.machines import PairwiseMachines
from dcsvm.plausibility import CLASSES_PER_PANEL
from dcsvm.ridge import ridge_scores
from dcsvm.rows import TrainingRows

# Landmarks of kernel scores.
N_LANDMARKS = 64
# More features than this make linear scores too slow to fit.
MOST_FEATURES = 512
# Scores (rows × classes) and features (rows × features) looked at in fitting; rows beyond are
# left out.
MOST_NUMBERS = 2**24

# Operations of a kernel evaluation beside the multiplications and additions over the features.
OPERATIONS = {"linear": 0, "poly": 5, "rbf": 20, "sigmoid": 30}


def operations_of_kernel(kernel: Kernel, n_features: int) -> float:
    """Floating-point operations of one kernel evaluation."""
    return 2.0 * n_features + OPERATIONS.get(kernel.name, 0)


def conformal_gap(
    left_out: NDArray[np.floating[Any]],
    codes: NDArray[np.int64],
    weight: NDArray[np.float64],
    theta: float,
) -> float:
    """The gap within which the right class of all rows but a share θ lies, or infinity."""
    behind = left_out.max(axis=1) - left_out[np.arange(len(codes)), codes]
    order = np.argsort(behind)
    needed = (weight.sum() + 1) * (1 - theta)
    place = int(np.searchsorted(np.cumsum(weight[order]), needed - 1e-9))
    return float(behind[order[place]]) if place < len(order) else np.inf


class LinearGuide:
    """Scores that are linear in the features, or in kernel values with some support vectors.

    Attributes
    ----------
    weights, intercept : arrays
        Of the scores.
    landmarks : array of places in the pool of support vectors, or None
        What the kernel values are with.
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
        left_out: NDArray[np.float32],
        codes: NDArray[np.int64],
        weight: NDArray[np.float64],
        cost: float,
    ) -> None:
        self.weights = weights
        self.intercept = intercept
        self.landmarks = landmarks
        self.cost = cost
        self.gap = np.inf
        self._calibration = (left_out, codes, weight)
        self._compiled: tuple[Any, _core.Scorer] | None = None

    @property
    def name(self) -> str:
        """What it is."""
        return "linear" if self.landmarks is None else f"{len(self.landmarks)} landmarks"

    def scores(self, X: Any, machines: PairwiseMachines) -> Scores:
        """A score for every class (padded to panels) of every row of X."""
        n_classes = len(self.intercept)
        padded = -(-n_classes // CLASSES_PER_PANEL) * CLASSES_PER_PANEL
        out = np.empty((X.shape[0], padded), dtype=np.float32)
        engine, rows = machines.engine, machines.prepare(X).rows
        if engine is None or rows is None:
            out[:, :n_classes] = np.asarray(X @ self.weights.T) + self.intercept
        else:
            self._scorer(engine).score(engine, rows, 0, X.shape[0], out)
        return out

    def _scorer(self, engine: _core.Engine) -> _core.Scorer:
        compiled = self._compiled
        if compiled is None or compiled[0] is not engine:
            weights, intercept = self.weights, self.intercept
            if self.landmarks is None:  # the engine moves and scales rows before it scores them
                centre, scale = np.array(engine.centre), np.array(engine.scale)
                weights = weights / np.where(scale == 0, np.inf, scale)
                intercept = intercept + self.weights @ centre
            scorer = _core.Scorer(
                engine=engine,
                weights=weights.astype(np.float32),
                intercept=intercept.astype(np.float32),
                landmarks=self.landmarks,
            )
            compiled = self._compiled = (engine, scorer)
        return compiled[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_compiled": None}


def linear_guide(rows: TrainingRows, machines: PairwiseMachines) -> LinearGuide | None:
    """Scores that are linear in the features, or None where they are not worth the trouble."""
    n_features = rows.X.shape[1]
    if machines.kernel.name in ("linear", "precomputed") or n_features > MOST_FEATURES:
        return None
    drawn = _drawn(rows, n_features)
    X = rows.X[drawn if rows.place is None else rows.place[drawn]]
    Z = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    return _fitted(Z, rows, drawn, machines, None)


def landmark_guide(rows: TrainingRows, machines: PairwiseMachines) -> LinearGuide | None:
    """Scores that are linear in the kernel values with evenly drawn support vectors."""
    n_vectors = machines.n_distinct_support
    if machines.engine is None or machines.kernel.name == "linear" or n_vectors < N_LANDMARKS:
        return None
    if machines.pair_scaling is not None:
        return None
    landmarks = np.linspace(0, n_vectors - 1, N_LANDMARKS).astype(np.int32)
    drawn = _drawn(rows, N_LANDMARKS)
    X = rows.X[drawn if rows.place is None else rows.place[drawn]]
    core_rows = machines.prepare(X).rows
    assert core_rows is not None
    values = np.empty((len(drawn), N_LANDMARKS), dtype=np.float32)
    identity = _core.Scorer(
        engine=machines.engine,
        weights=np.eye(N_LANDMARKS, dtype=np.float32),
        intercept=np.zeros(N_LANDMARKS, dtype=np.float32),
        landmarks=landmarks,
    )
    identity.score(machines.engine, core_rows, 0, len(drawn), values)
    return _fitted(values.astype(np.float64), rows, drawn, machines, landmarks)


def _drawn(rows: TrainingRows, n_features: int) -> NDArray[np.int64]:
    """Rows to fit scores to, evenly drawn where there are too many."""
    most = max(1, MOST_NUMBERS // max(rows.n_classes, n_features))
    step = -(-rows.n_rows // most)
    return np.arange(0, rows.n_rows, step)


def _fitted(
    Z: NDArray[np.float64],
    rows: TrainingRows,
    drawn: NDArray[np.int64],
    machines: PairwiseMachines,
    landmarks: NDArray[np.int32] | None,
) -> LinearGuide:
    k = rows.n_classes
    codes = np.searchsorted(rows.class_start, drawn, side="right") - 1
    fitted = ridge_scores(Z, codes, rows.weight[drawn], k)
    operations = operations_of_kernel(machines.kernel, rows.X.shape[1])
    cost = 2.0 * k * Z.shape[1] / operations + (0 if landmarks is None else len(landmarks))
    return LinearGuide(
        fitted.weights,
        fitted.intercept,
        landmarks,
        fitted.left_out.astype(np.float32),
        codes,
        rows.weight[drawn],
        cost,
    )
