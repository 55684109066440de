"""The features of the rows on a page."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

# If there are more features, each row shows those that differ most from their mean.
MOST_FEATURES = 160
MOST_OF_WIDE = 48
MOST_LETTERS = 120


def feature_values(X: Any, rows: NDArray[np.int64], known_names: Any) -> dict[str, Any]:
    """Names and values of the features of some rows.

    If there are too many, `places` lists for each row the features furthest from their mean in
    standard deviations, or the first ones if not all features are numbers.
    """
    names = feature_names(X, known_names)
    if len(names) <= MOST_FEATURES:
        values = [[plain_value(v) for v in row] for row in _cells(X, rows).tolist()]
        return {"names": names, "values": values, "places": None}
    places = _outstanding(X, rows)
    values = [
        [plain_value(v) for v in _cells(X, np.array([row]))[0, at].tolist()]
        for row, at in zip(rows.tolist(), places, strict=True)
    ]
    return {"names": names, "values": values, "places": [at.tolist() for at in places]}


def feature_names(X: Any, known: Any) -> list[str]:
    """The names of the columns of X, those known, or numbers."""
    if hasattr(X, "columns"):
        return [str(name) for name in X.columns]
    n = np.shape(X)[1]
    if known is not None and len(known) == n:
        return [str(name) for name in known]
    return [f"x{p}" for p in range(n)]


def _cells(X: Any, rows: NDArray[np.int64]) -> NDArray[Any]:
    """Some rows as an array, of objects if their types differ."""
    if sparse.issparse(X):
        return np.asarray(X.tocsr()[rows].toarray())
    if hasattr(X, "iloc"):
        return np.asarray(X.iloc[rows].astype(object))
    if hasattr(X, "columns"):
        return np.array([list(row) for row in X[rows].rows()], dtype=object)
    cells = np.asarray(X)[rows]
    return cells.astype("U") if cells.dtype.kind in "mM" else cells


def _outstanding(X: Any, rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """For each row the features furthest from their mean, in ascending order."""
    try:
        if sparse.issparse(X):
            mean = np.asarray(X.mean(axis=0)).ravel()
            square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
            spread = np.sqrt(np.maximum(0.0, square - mean**2))
        else:
            mean, spread = _mean_and_spread(np.asarray(X, dtype=np.float64))
        spread = np.where(spread > 0, spread, np.inf)
        found = []
        for row in rows.tolist():
            cells = _cells(X, np.array([row]))[0].astype(np.float64)
            distance = np.nan_to_num(np.abs(cells - mean) / spread, nan=0.0)
            found.append(np.sort(np.argsort(-distance, kind="stable")[:MOST_OF_WIDE]))
    except (TypeError, ValueError):  # not all features are numbers
        return [np.arange(MOST_OF_WIDE)] * len(rows)
    return found


def _mean_and_spread(numbers: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """The mean and standard deviation of each column, without missing values."""
    there = np.isfinite(numbers)
    count = np.maximum(1, there.sum(axis=0))
    mean = np.where(there, numbers, 0.0).sum(axis=0) / count
    square = np.where(there, (numbers - mean) ** 2, 0.0).sum(axis=0) / count
    return mean, np.sqrt(square)


def plain_value(value: Any) -> Any:
    """A value of any type as a number, a short text, or None if it is missing."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int) and abs(value) < 2**53:
        return value
    if isinstance(value, float):
        if value != value:
            return None
        return number(value) if np.isfinite(value) else str(value)
    text = str(value).removesuffix(" 00:00:00")  # a date
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def number(value: float, digits: int = 4) -> float | int:
    """A number rounded to `digits` significant digits, but not before the decimal point."""
    if value == 0 or not math.isfinite(value):
        return 0
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    short = round(value, max(0, decimals))
    return int(short) if short.is_integer() and abs(short) < 1e15 else short
