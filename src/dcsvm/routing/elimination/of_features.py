"""Scores for machines of any kind: ridge regression on what the rows themselves tell.

What ridge regression is given are the features, or the features and their products, or the values
of a Gaussian kernel with some training rows, the landmarks; of a kernel matrix, some of its
columns. Features are standardised first, and a missing number counts as the mean. Taken is what
leaves the fewest candidates. A score costs little beside a call of a classifier: only decisions
are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm._util.batches import slices
from dcsvm.data.rows import TrainingRows
from dcsvm.routing.elimination.calibration import CalibratedShortlist, Calibration, calibrate
from dcsvm.routing.elimination.linear import (
    MOST_FEATURES,
    MOST_PRODUCTS,
    ROWS_PER_CLASS,
    ROWS_TO_CHECK,
    ROWS_TO_FIT,
    evenly,
)
from dcsvm.routing.elimination.ridge import ridge_scores
from dcsvm.routing.elimination.rounds import Scores, within_gap
from dcsvm.routing.plausibility import padded

MOST_LANDMARKS = 256
# Numbers that are computed from rows at a time.
NUMBERS_AT_ONCE = 2**22
# Numbers of the rows that scores are fitted to.
DENSE_NUMBERS = 2**25

Floats = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class FeatureShortlist(CalibratedShortlist):
    """Scores that are linear in numbers made of the features.

    Attributes
    ----------
    numbers : {"linear", "quadratic", "landmarks", "columns"}
        What the scores are linear in.
    centre, scale : arrays of shape (n_features,)
        Features are (x − centre) · scale; of a kernel matrix these are empty.
    landmarks : array of standardised rows, of column numbers, or None
    weights, intercept : arrays
        Of the scores.
    accuracy : float
        Share of the training rows, each left out in turn, whose own class scored highest.
    gap : float
        Classes further below the best are left out.
    """

    numbers: str
    centre: Floats
    scale: Floats
    landmarks: Any
    weights: Floats
    intercept: Floats
    calibration: Calibration
    accuracy: float
    cost: float = 0.0

    @property
    def name(self) -> str:
        """What it is."""
        if self.landmarks is not None:
            return f"{self.landmarks.shape[0]} {self.numbers}"
        return self.numbers

    def scores(self, X: Any, machines: Any) -> Scores:
        """A score for every class (padded to panels) of every row of X."""
        k = len(self.intercept)
        out = np.zeros((X.shape[0], padded(k)), dtype=np.float32)
        for part in slices(
            X.shape[0], max(1, NUMBERS_AT_ONCE // max(self.weights.shape[1], len(self.centre)))
        ):
            with np.errstate(over="ignore", invalid="ignore"):
                Z = numbers_of(self.numbers, X[part], self.centre, self.scale, self.landmarks)
                out[part, :k] = Z @ self.weights.T + self.intercept
        return out

    def compiled(self, machines: Any) -> None:
        """Machines of other kinds are not compiled."""


def numbers_of(numbers: str, X: Any, centre: Floats, scale: Floats, landmarks: Any) -> Floats:
    """The numbers that scores are linear in, of some rows."""
    if numbers == "columns":
        return np.asarray(_dense(X[:, landmarks]), dtype=np.float64)
    Z = _standardised(X, centre, scale)
    if numbers == "quadratic":
        first, second = np.triu_indices(Z.shape[1])
        return np.hstack([Z, Z[:, first] * Z[:, second]])
    if numbers == "landmarks":
        products = _dense(Z @ landmarks.T)
        squared = _squared(Z)[:, np.newaxis] + _squared(landmarks)
        # In standardised features two rows are 2 · n_features apart on average.
        return np.asarray(np.exp((2 * products - squared) / Z.shape[1]))
    return np.asarray(Z)


def feature_shortlist(rows: TrainingRows, theta: float, is_kernel: bool) -> FeatureShortlist | None:
    """The shortlist that leaves the fewest candidates; None where there is nothing to shorten."""
    if rows.n_classes <= 2:
        return None
    most = max(ROWS_TO_FIT, ROWS_PER_CLASS * rows.n_classes)
    if not sparse.issparse(rows.X):
        most = min(most, max(rows.n_classes, DENSE_NUMBERS // rows.X.shape[1]))
    drawn = evenly(rows.n_rows, most)
    X = rows.take(drawn)
    found = [_fitted(*given, X, rows, drawn, theta) for given in _given(X, is_kernel, rows, drawn)]
    return min(found, key=lambda fitted: fitted[0])[1]


def _given(
    X: Any, is_kernel: bool, rows: TrainingRows, drawn: NDArray[np.int64]
) -> Iterator[tuple[str, Floats, Floats, Any]]:
    chosen = evenly(len(drawn), MOST_LANDMARKS)
    if is_kernel:
        place = drawn[chosen] if rows.place is None else rows.place[drawn[chosen]]
        yield "columns", np.empty(0), np.empty(0), place
        return
    n_features = X.shape[1]
    centre, scale = _standardisation(X if n_features > MOST_FEATURES else _dense(X))
    if n_features <= MOST_FEATURES:
        yield "linear", centre, scale, None
    if n_features * (n_features + 3) // 2 <= MOST_PRODUCTS:
        yield "quadratic", centre, scale, None
    yield "landmarks", centre, scale, _standardised(X[chosen], centre, scale)


def _fitted(
    numbers: str,
    centre: Floats,
    scale: Floats,
    landmarks: Any,
    X: Any,
    rows: TrainingRows,
    drawn: NDArray[np.int64],
    theta: float,
) -> tuple[float, FeatureShortlist]:
    """A shortlist, and the mean number of candidates that it leaves."""
    k, codes, weight = rows.n_classes, rows.codes(drawn), rows.weight[drawn]
    checked = evenly(len(drawn), ROWS_TO_CHECK)
    Z = numbers_of(numbers, X, centre, scale, landmarks)
    fitted = ridge_scores(Z, codes, weight, k, checked)
    codes, weight = codes[checked], weight[checked]
    calibration = calibrate(fitted.left_out, codes, weight)
    candidates = within_gap(fitted.left_out.astype(np.float32), calibration.gap(theta)).sum(axis=1)
    right = float(weight @ (fitted.left_out.argmax(axis=1) == codes) / weight.sum())
    shortlist = FeatureShortlist(
        numbers, centre, scale, landmarks, fitted.weights, fitted.intercept, calibration, right
    )
    # Where all leave as many, the better scores lead to the winner sooner.
    return float(weight @ candidates / weight.sum()) - right, shortlist


def _standardisation(X: Any) -> tuple[Floats, Floats]:
    """The mean of every feature, and the inverse of its deviation; missing numbers do not count.

    Sparse features are not centred.
    """
    filled: Any = X.astype(np.float64) if sparse.issparse(X) else np.array(X, dtype=np.float64)
    numbers = filled.data if sparse.issparse(X) else filled
    missing = ~np.isfinite(numbers)
    numbers[missing] = 0
    n = X.shape[0] - np.zeros(X.shape[1])
    if not sparse.issparse(X):
        n = np.maximum(n - missing.sum(axis=0), 1)
    largest = _dense(abs(filled).max(axis=0)).reshape(-1)
    unit = np.where(largest > 0, largest, 1.0)  # so that squares neither overflow nor vanish
    if sparse.issparse(X):
        mean = np.zeros(X.shape[1])
        squares = np.asarray(filled.multiply(1 / unit).power(2).sum(axis=0)).reshape(-1)
    else:
        mean = (filled / unit).sum(axis=0) / n
        squares = (np.where(missing, 0.0, filled / unit - mean) ** 2).sum(axis=0)
    deviation = np.sqrt(squares / n)
    is_constant = deviation <= 1e-12
    with np.errstate(over="ignore"):
        scale = 1.0 / np.where(is_constant, 1.0, deviation) / unit
    return mean * unit, np.where(is_constant | ~np.isfinite(scale), 0.0, scale)


def _standardised(X: Any, centre: Floats, scale: Floats) -> Any:
    """Wide sparse rows stay sparse, as for the distances of rows the centre does not matter."""
    if sparse.issparse(X) and X.shape[1] > MOST_FEATURES:
        Z = sparse.csr_matrix(X.multiply(scale))
        Z.data[~np.isfinite(Z.data)] = 0.0
        return Z
    Z = (_dense(X).astype(np.float64) - centre) * scale
    Z[~np.isfinite(Z)] = 0.0
    return Z


def _squared(Z: Any) -> Floats:
    """The squared length of every row."""
    squares = Z.power(2) if sparse.issparse(Z) else Z**2
    return np.asarray(squares.sum(axis=1), dtype=np.float64).reshape(-1)


def _dense(X: Any) -> Any:
    return X.toarray() if sparse.issparse(X) else np.asarray(X)
