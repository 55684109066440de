"""Scores of a classifier of the user's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils.validation import has_fit_parameter

from dcsvm.data.rows import TrainingRows
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.elimination.calibration import (
    CalibratedShortlist,
    Calibration,
    calibrate,
    operations_of_kernel,
)
from dcsvm.routing.elimination.rounds import Scores
from dcsvm.routing.plausibility import padded


@dataclass(eq=False, repr=False)
class EstimatorShortlist(CalibratedShortlist):
    """Scores of a classifier of the user's own, fitted to the training rows.

    Attributes are those of `LinearShortlist`, with `estimator` in place of the weights.
    """

    estimator: Any
    n_classes: int
    calibration: Calibration
    accuracy: float
    cost: float

    @property
    def name(self) -> str:
        """What it is."""
        return type(self.estimator).__name__

    def scores(self, X: Any, machines: Any) -> Scores:
        """A score for every class (padded to panels) of every row of X."""
        out = np.full((X.shape[0], padded(self.n_classes)), -np.inf, dtype=np.float32)
        method = getattr(self.estimator, _score_method(self.estimator))
        out[:, : self.n_classes] = method(X)
        return out

    def compiled(self, machines: Any) -> None:
        """An arbitrary classifier is not compiled."""


def estimator_shortlist(
    estimator: Any, rows: TrainingRows, machines: PairwiseMachines
) -> EstimatorShortlist:
    """Fit a classifier, and calibrate it on cross-validated scores."""
    k = rows.n_classes
    X = rows.take(slice(None))
    codes = rows.codes(np.arange(rows.n_rows))
    fewest = int(np.diff(rows.class_start).min())
    if fewest < 2:
        raise ValueError(
            "A shortlist is calibrated by cross-validation, but a class has a single distinct row."
        )
    folds = StratifiedKFold(min(5, fewest), shuffle=True, random_state=0)
    is_weighted = (rows.weight != 1).any() and has_fit_parameter(estimator, "sample_weight")
    weights = {"sample_weight": rows.weight} if is_weighted else {}
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
