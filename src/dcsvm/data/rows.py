"""Training rows in one canonical order.

Rows are grouped by class, sorted by their bytes, and equal rows of a class are merged
into one whose weight is the sum of theirs. Two data sets that say the same thing, in any
order, with a row written twice or given weight 2, so become the same problem, and the
solver, exact only to its tolerance, cannot tell them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


@dataclass(frozen=True)
class TrainingRows:
    """Rows with their weights, class after class."""

    X: Any  # dense or CSR
    weight: NDArray[np.float64]
    class_start: NDArray[np.int64]  # class c is rows class_start[c] : class_start[c + 1]
    place: NDArray[np.int64] | None = None  # row r is X[place[r]]; None: it is X[r]

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
        first, second = self.of_class(i), self.of_class(j)
        return np.concatenate(
            [np.arange(first.start, first.stop), np.arange(second.start, second.stop)]
        )

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

    def query(self, begin: int, end: int) -> Any:
        """Rows `begin` to `end` as prediction would be given them."""
        return self.at(slice(begin, end))

    def at(self, rows: slice | NDArray[np.int64]) -> Any:
        """Some rows as prediction would be given them."""
        return self.X[rows if self.place is None else self.place[rows]]


def canonical_rows(
    X: Any, codes: NDArray[np.int64], weight: NDArray[np.float64], n_classes: int
) -> TrainingRows:
    """Group, sort and merge the rows of X, class `codes[r]` and weight `weight[r]` > 0 each."""
    order, merged_weight = [], []
    class_start = np.zeros(n_classes + 1, dtype=np.int64)
    for c, members in enumerate(_rows_by_class(codes, n_classes)):
        sort, is_first = _sort_and_mark(X[members])
        order.append(members[sort][is_first])
        group = np.cumsum(is_first) - 1
        merged_weight.append(np.bincount(group, weights=weight[members[sort]]))
        class_start[c + 1] = class_start[c] + group[-1] + 1
    return TrainingRows(X[np.concatenate(order)], np.concatenate(merged_weight), class_start)


def rows_in_place(
    X: Any, codes: NDArray[np.int64], weight: NDArray[np.float64], n_classes: int
) -> TrainingRows:
    """Group the rows of X by class without moving or merging them.

    For kernel matrices, whose columns speak of the rows by their places, and for rows of
    which only a user's classifier can say when they are equal. Rows of weight 0 are left out.
    """
    members = [m[weight[m] > 0] for m in _rows_by_class(codes, n_classes)]
    place = np.concatenate(members)
    class_start = np.cumsum([0, *map(len, members)], dtype=np.int64)
    return TrainingRows(X, weight[place], class_start, place)


def _rows_by_class(codes: NDArray[np.int64], n_classes: int) -> list[NDArray[np.int64]]:
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.searchsorted(codes[order], np.arange(1, n_classes)))


def _sort_and_mark(X: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """An order of the rows that depends on their content alone, and which differ from the last."""
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
