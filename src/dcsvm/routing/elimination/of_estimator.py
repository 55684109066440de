"""Scores of a classifier of the user's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import has_fit_parameter

from dcsvm.data.rows import TrainingRows
from dcsvm.machines.of_estimators import EstimatorMachines
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.elimination.calibration import (
    CalibratedShortlist,
    Calibration,
    Fitted,
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
    estimator: Any, rows: TrainingRows, machines: PairwiseMachines | EstimatorMachines
) -> Fitted:
    """Fit a classifier, and calibrate it on cross-validated scores."""
    k, n_features = rows.n_classes, rows.X.shape[1]
    X = rows.take(slice(None))
    codes = rows.codes(np.arange(rows.n_rows))
    is_weighted = (rows.weight != 1).any() and has_fit_parameter(estimator, "sample_weight")
    weight = rows.weight if is_weighted else None
    checked, scores = _scores_of_left_out(estimator, X, codes, weight, k)
    codes_checked, weight_checked = codes[checked], rows.weight[checked]
    right = weight_checked @ (scores.argmax(axis=1) == codes_checked)
    kernel = machines.kernel if isinstance(machines, PairwiseMachines) else None
    fitted = clone(estimator).fit(X, codes, **_given(weight, slice(None)))
    cost = 0.0  # what a decision costs is known of kernels alone
    if kernel is not None:
        cost = _operations_of(fitted, k, n_features) / operations_of_kernel(kernel, n_features)
    shortlist = EstimatorShortlist(
        fitted,
        k,
        calibrate(scores, codes_checked, weight_checked),
        float(right / max(weight_checked.sum(), np.finfo(np.float64).tiny)),
        cost,
    )
    return Fitted(shortlist, checked, scores)


def _scores_of_left_out(
    estimator: Any,
    X: Any,
    codes: NDArray[np.int64],
    weight: NDArray[np.float64] | None,
    k: int,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Which rows are left out in turn, fold by fold, and their scores then.

    The only row of a class is never left out: a classifier that has not seen the class has no
    score for it. That row is in the training rows of every fold, so that the rows of other classes
    get scores from a classifier of all classes, as new rows will; how the class itself scores is
    not known, and does not count.
    """
    n_rows = np.bincount(codes, minlength=k)
    several = np.flatnonzero(n_rows[codes] > 1)
    alone = np.flatnonzero(n_rows[codes] == 1)
    scores = np.empty((len(codes), k))
    if len(several) == 0:
        return several, scores[:0]
    fewest = int(n_rows[n_rows > 1].min())
    folds = StratifiedKFold(min(5, fewest), shuffle=True, random_state=0)
    for train, test in folds.split(several, codes[several]):
        seen, left_out = np.concatenate([several[train], alone]), several[test]
        fitted = clone(estimator).fit(X[seen], codes[seen], **_given(weight, seen))
        found = np.asarray(getattr(fitted, _score_method(fitted))(X[left_out]))
        if found.shape != (len(left_out), k):
            raise ValueError(
                f"The shortlist must score each of {k} classes; {type(estimator).__name__} gives "
                f"scores of shape {found.shape}. Use a one-versus-rest form of it."
            )
        scores[left_out] = found
    return several, scores[several]


def _given(weight: NDArray[np.float64] | None, rows: Any) -> dict[str, NDArray[np.float64]]:
    return {} if weight is None else {"sample_weight": weight[rows]}


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
