"""The rows that every fold trains with, and those that it is judged by."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing

from dcsvm.data.rows import canonical_rows


class Fold(NamedTuple):
    """One split, as row numbers in the order in which rows were given."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]

    def times_trained(self, n_rows: int) -> NDArray[np.float64]:
        """How often each row is in the training set; a bootstrap has some more than once."""
        return np.bincount(self.train, minlength=n_rows).astype(np.float64)


class Rows(NamedTuple):
    """What was given to `fit`, and what validation made of it."""

    X: Any  # as given if it is a frame, else as `checked`
    y: Any  # as given if it is a series, else an array
    checked: Any  # X after validation
    codes: NDArray[np.int64]
    classes: NDArray[Any]
    weight: NDArray[np.float64] | None  # as given; None: all are one

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.codes)

    @property
    def weight_or_one(self) -> NDArray[np.float64]:
        """The weights as the solver takes them: 1 without weights, and none is negative."""
        if self.weight is None:
            return np.ones(self.n_rows)
        return np.maximum(self.weight, 0.0)

    def distinct(self) -> Any:
        """Features of the rows that count, each once, in an order of their own."""
        counts = np.flatnonzero(self.weight_or_one > 0)
        ones, n_classes = np.ones(len(counts)), len(self.classes)
        return canonical_rows(self.checked[counts], self.codes[counts], ones, n_classes).X


def make_folds(cv: Any, rows: Rows, groups: Any) -> list[Fold]:
    """The splits of a number of folds, a splitter of any kind, or a list of splits."""
    splitter = check_cv(cv, rows.codes, classifier=True)
    # Splitters do not take all types of labels that an estimator takes.
    y = rows.codes if np.asarray(rows.y).dtype.kind == "O" else rows.y
    folds = [
        Fold(_numbers(train, rows.n_rows), _numbers(test, rows.n_rows))
        for train, test in splitter.split(rows.X, y, groups)
    ]
    if not folds:
        raise ValueError(f"cv={cv!r} has no splits.")
    for number, fold in enumerate(folds):
        weight = rows.weight_or_one[fold.train]
        if len(np.unique(rows.codes[fold.train][weight > 0])) < 2:
            raise ValueError(f"The training rows of fold {number} are of fewer than two classes.")
        if len(fold.test) == 0:
            raise ValueError(f"Fold {number} has no rows to be judged by.")
    return folds


def test_part(rows: Rows, fold: Fold, pairwise: bool) -> tuple[Any, Any]:
    """X and y of the test rows in the form in which they were given."""
    X = _safe_indexing(rows.X, fold.test)
    if pairwise:
        X = np.asarray(rows.checked)[np.ix_(fold.test, fold.train)]
    return X, _safe_indexing(rows.y, fold.test)


def _numbers(chosen: Any, n_rows: int) -> NDArray[np.int64]:
    """Row numbers; splitters may give masks."""
    found = np.asarray(chosen)
    if found.dtype == bool:
        found = np.flatnonzero(found)
    found = found.astype(np.int64)
    if len(found) and not (-n_rows <= found.min() and found.max() < n_rows):
        raise ValueError(f"A split of cv has rows that are not there: X has {n_rows} rows.")
    return found % n_rows
