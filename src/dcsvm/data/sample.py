"""A few training rows that a classifier keeps, so that it can be looked at without the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.data.rows import TrainingRows

MOST_ROWS = 1024
MOST_NUMBERS = 2**20


class RowSample(NamedTuple):
    """Rows drawn from all classes."""

    X: Any  # dense or CSR
    codes: NDArray[np.int64]  # the class of each
    weight: NDArray[np.float64]  # of the training rows of its class that it stands for
    n_rows: int  # distinct training rows in all

    @property
    def is_all(self) -> bool:
        """Whether no training row is missing."""
        return len(self.codes) == self.n_rows


def sample_rows(rows: TrainingRows) -> RowSample:
    """At most `MOST_ROWS` rows of about `MOST_NUMBERS` numbers, as far apart as can be.

    The rows come class after class, so that every class is there in proportion, and with at
    least one row where there is room. The weights of a class are those of all its rows.
    """
    filled = rows.X.nnz if sparse.issparse(rows.X) else rows.X.shape[0] * rows.X.shape[1]
    per_row = max(1.0, filled / rows.X.shape[0])
    most = int(np.clip(MOST_NUMBERS / per_row, 1, MOST_ROWS))
    drawn = _drawn(rows, most)
    codes = np.searchsorted(rows.class_start, drawn, side="right") - 1
    weight = rows.weight[drawn]
    if len(drawn) < rows.n_rows:
        total = np.add.reduceat(rows.weight, rows.class_start[:-1])
        of_drawn = np.bincount(codes, weights=weight, minlength=rows.n_classes)
        weight = weight * (total / np.where(of_drawn > 0, of_drawn, 1.0))[codes]
    X = rows.X[drawn if rows.place is None else rows.place[drawn]]
    return RowSample(X, codes, weight, rows.n_rows)


def _drawn(rows: TrainingRows, most: int) -> NDArray[np.int64]:
    if rows.n_rows <= most:
        return np.arange(rows.n_rows)
    one_each = rows.class_start[:-1] if rows.n_classes <= most // 2 else rows.class_start[:1]
    even = np.linspace(0, rows.n_rows - 1, most - len(one_each)).astype(np.int64)
    return np.union1d(even, one_each)
