"""Training rows in one canonical order, and the few of them that a classifier keeps.

Rows are grouped by class, sorted by their bytes, and equal rows of a class are merged into one
whose weight is the sum of theirs. So data sets that differ only in the order of their rows, or
in that one has a row twice where the other has it once with weight 2, become the same problem,
and the machines are the same to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

# Rows that a classifier keeps, and about how many numbers these may have in all.
MOST_ROWS = 1024
MOST_NUMBERS = 2**20


@dataclass(frozen=True)
class TrainingRows:
    """Rows with their weights, class after class."""

    X: Any  # dense or CSR
    weight: NDArray[np.float64]
    class_start: NDArray[np.int64]  # class c is rows class_start[c] : class_start[c + 1]
    place: NDArray[np.int64] | None = None  # row r is X[place[r]]; None: it is X[r]
    origin: NDArray[np.int64] | None = None  # row r was row origin[r] of what `fit` was given

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.weight)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.class_start) - 1

    def of_class(self, c: int) -> slice:
        """The rows of class c."""
        return slice(int(self.class_start[c]), int(self.class_start[c + 1]))

    def of_pair(self, i: int, j: int) -> NDArray[np.int64]:
        """The row numbers of classes i and j, in this order."""
        numbers: NDArray[np.int64] = np.r_[self.of_class(i), self.of_class(j)]
        return numbers

    def codes(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The classes of the rows with these numbers."""
        return np.searchsorted(self.class_start, numbers, side="right") - 1

    def take(self, numbers: slice | NDArray[np.int64]) -> Any:
        """The rows with these numbers, as prediction would be given them."""
        return self.X[numbers if self.place is None else self.place[numbers]]

    def sample(self, n: int, random_state: np.random.RandomState) -> TrainingRows:
        """At most n rows of each class, drawn at random."""
        drawn = [
            begin + np.sort(random_state.choice(end - begin, min(n, end - begin), replace=False))
            for begin, end in pairwise(self.class_start.tolist())
        ]
        rows = np.concatenate(drawn)
        start = np.cumsum([0, *map(len, drawn)], dtype=np.int64)
        if self.place is not None:
            return TrainingRows(self.X, self.weight[rows], start, self.place[rows])
        return TrainingRows(self.X[rows], self.weight[rows], start)


def canonical_rows(
    X: Any, codes: NDArray[np.int64], weight: NDArray[np.float64], n_classes: int
) -> TrainingRows:
    """Group, sort and merge the rows of X, class `codes[r]` and weight `weight[r]` each.

    Rows of weight 0 or less are left out. Every class needs another one.
    """
    return canonical_rows_and_places(X, codes, weight, n_classes)[0]


def canonical_rows_and_places(
    X: Any, codes: NDArray[np.int64], weight: NDArray[np.float64], n_classes: int
) -> tuple[TrainingRows, NDArray[np.int64]]:
    """The same, and what has become of each row of X: the number of a row, or −1."""
    order, merged_weight = [], []
    number = np.full(len(codes), -1)
    class_start = np.zeros(n_classes + 1, dtype=np.int64)
    for c, members in enumerate(_weighted_by_class(codes, weight, n_classes)):
        sort, is_first = _sort_and_mark(X[members])
        order.append(members[sort][is_first])
        group = np.cumsum(is_first) - 1
        merged_weight.append(np.bincount(group, weights=weight[members[sort]]))
        class_start[c + 1] = class_start[c] + group[-1] + 1
        number[members[sort]] = class_start[c] + group
    origin = np.concatenate(order)
    merged: NDArray[np.float64] = np.concatenate(merged_weight).astype(np.float64, copy=False)
    return TrainingRows(X[origin], merged, class_start, origin=origin), number


def rows_in_place(
    X: Any, codes: NDArray[np.int64], weight: NDArray[np.float64], n_classes: int
) -> TrainingRows:
    """Group the rows of X by class without moving or merging them; leave out those of weight 0.

    For kernel matrices, whose columns stand for the rows in their order, and for the rows of a
    user's classifier, which may be of any type.
    """
    members = _weighted_by_class(codes, weight, n_classes)
    place = np.concatenate(members)
    class_start = np.cumsum([0, *map(len, members)], dtype=np.int64)
    return TrainingRows(X, weight[place], class_start, place, place)


def _weighted_by_class(
    codes: NDArray[np.int64], weight: NDArray[np.float64], n_classes: int
) -> list[NDArray[np.int64]]:
    """The rows of each class that have a weight."""
    order = np.argsort(codes, kind="stable")
    order = order[weight[order] > 0]
    return np.split(order, np.searchsorted(codes[order], np.arange(1, n_classes)))


def _sort_and_mark(X: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """An order of rows by their content alone, and which of them differ from the one before."""
    if sparse.issparse(X):
        keys = [
            X.indices[a:b].astype(np.int64).tobytes() + X.data[a:b].tobytes()
            for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)
        ]
        sort = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
        is_new = [keys[a] != keys[b] for a, b in zip(sort[1:], sort[:-1], strict=True)]
        return sort, np.array([True, *is_new])
    # Adding zero turns −0.0 into 0.0, which is equal but has other bytes.
    rows = np.ascontiguousarray(X + X.dtype.type(0))
    sort = np.argsort(rows.view(np.dtype((np.void, rows.strides[0])))[:, 0], kind="stable")
    is_new = (rows[sort[1:]] != rows[sort[:-1]]).any(axis=1)
    return sort, np.concatenate([[True], is_new])


class RowSample(NamedTuple):
    """Rows drawn from all classes, with which a classifier can be inspected."""

    X: Any  # dense or CSR
    codes: NDArray[np.int64]  # the class of each
    weight: NDArray[np.float64]  # of the training rows of its class that it stands for
    n_rows: int  # distinct training rows in all


def sample_rows(rows: TrainingRows) -> RowSample:
    """At most `MOST_ROWS` rows of about `MOST_NUMBERS` numbers, evenly spaced.

    As the rows come class after class, every class has its share of them, and at least one row
    where there is room. The weights of a class are those of all its rows.
    """
    filled = rows.X.nnz if sparse.issparse(rows.X) else rows.X.shape[0] * rows.X.shape[1]
    per_row = max(1.0, filled / rows.X.shape[0])
    drawn = _evenly_drawn(rows, int(np.clip(MOST_NUMBERS / per_row, 1, MOST_ROWS)))
    codes, weight = rows.codes(drawn), rows.weight[drawn]
    if len(drawn) < rows.n_rows:
        total = np.add.reduceat(rows.weight, rows.class_start[:-1])
        of_drawn = np.bincount(codes, weights=weight, minlength=rows.n_classes)
        weight = weight * (total / np.where(of_drawn > 0, of_drawn, 1.0))[codes]
    return RowSample(rows.take(drawn), codes, weight, rows.n_rows)


def _evenly_drawn(rows: TrainingRows, most: int) -> NDArray[np.int64]:
    if rows.n_rows <= most:
        return np.arange(rows.n_rows)
    one_each = rows.class_start[:-1] if rows.n_classes <= most // 2 else rows.class_start[:1]
    even = np.linspace(0, rows.n_rows - 1, most - len(one_each)).astype(np.int64)
    return np.union1d(even, one_each)
