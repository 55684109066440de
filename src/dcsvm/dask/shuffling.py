"""The one shuffle: rows of partitions go to blocks of classes.

`split` cuts some partitions into a piece for each block, `gather` joins the pieces of a block. The
rows of each class are then in canonical order (data/rows.py), with the number that each had among
all rows, as if all had been in one matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from dcsvm.dask.disk_arrays import DiskArray
from dcsvm.dask.partitions import Part, codes_of, weight_of
from dcsvm.data.rows import TrainingRows, canonical_rows


class StoredRows(NamedTuple):
    """Rows of some classes on disk, class after class."""

    X: DiskArray
    weight: DiskArray
    origin: DiskArray  # the number among all rows
    class_start: NDArray[np.int64]

    @property
    def n_classes(self) -> int:
        """How many classes these are."""
        return len(self.class_start) - 1

    def classes(self, begin: int, end: int) -> StoredRows:
        """Some of the classes, where they are."""
        first, last = int(self.class_start[begin]), int(self.class_start[end])
        X, weight, origin = (a.part(first, last) for a in (self.X, self.weight, self.origin))
        return StoredRows(X, weight, origin, self.class_start[begin : end + 1] - first)

    def read(self) -> TrainingRows:
        """All of them, in memory."""
        return TrainingRows(
            self.X.read(), self.weight.read(), self.class_start, origin=self.origin.read()
        )


def split(
    parts: Sequence[Part],
    first_row: int,
    classes: NDArray[Any],
    edges: NDArray[np.int64],
    dtype: Any,
) -> list[StoredRows]:
    """The rows of some partitions, a piece for each block of classes."""
    X = [_checked(part.X, dtype) for part in parts]
    codes = np.concatenate([codes_of(part.y, classes) for part in parts])
    weight = np.concatenate([weight_of(part) for part in parts])
    n_rows = [len(rows) for rows in X]
    if sum(n_rows) != len(codes):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: a partition of X has "
            f"{sum(n_rows)} rows, and that of y {len(codes)}."
        )
    order = np.argsort(codes, kind="stable")
    order = order[weight[order] > 0]
    stored = DiskArray.empty(dtype, (len(order), X[0].shape[1]))
    begin, start_of = 0, np.cumsum([0, *n_rows])
    while begin < len(order):  # as many at a time as a partition has
        some = order[begin : begin + max(n_rows)]
        stored.write(begin, _picked(X, start_of, some))
        begin += len(some)
    every = StoredRows(
        stored,
        DiskArray.of(weight[order]),
        DiskArray.of(first_row + order),
        np.searchsorted(codes[order], np.arange(len(classes) + 1)),
    )
    return [every.classes(a, b) for a, b in pairwise(edges.tolist())]


def _checked(X: Any, dtype: Any) -> NDArray[Any]:
    return np.asarray(check_array(X, dtype=dtype, ensure_min_samples=0, input_name="X"))


def _picked(
    X: Sequence[NDArray[Any]], start: NDArray[np.int64], numbers: NDArray[np.int64]
) -> NDArray[Any]:
    """Rows by their numbers in partitions that begin at `start`."""
    out = np.empty((len(numbers), X[0].shape[1]), dtype=X[0].dtype)
    of = np.searchsorted(start, numbers, side="right") - 1
    for p in np.unique(of).tolist():
        out[of == p] = X[p][numbers[of == p] - start[p]]
    return out


def piece(pieces: Sequence[StoredRows], block: int) -> StoredRows:
    """That of one block."""
    return pieces[block]


def gather(pieces: Sequence[StoredRows]) -> StoredRows:
    """The rows of one block, each class in canonical order."""
    k = pieces[0].n_classes
    most = sum(len(part.X) for part in pieces)
    n_features, dtype = pieces[0].X.shape[1], pieces[0].X.dtype
    X = DiskArray.empty(dtype, (most, n_features))
    weight, origin, class_start = [], [], np.zeros(k + 1, dtype=np.int64)
    for c in range(k):
        rows, numbers = _class_in_order([part.classes(c, c + 1) for part in pieces])
        X.write(int(class_start[c]), rows.X)
        weight.append(rows.weight)
        origin.append(numbers)
        class_start[c + 1] = class_start[c] + rows.n_rows
    n = int(class_start[-1])
    stored_weight, stored_origin = (DiskArray.of(np.concatenate(of)) for of in (weight, origin))
    return StoredRows(X.part(0, n), stored_weight, stored_origin, class_start)


def _class_in_order(pieces: Sequence[StoredRows]) -> tuple[TrainingRows, NDArray[np.int64]]:
    """The rows of a class, and the number of each among all rows."""
    n = sum(len(part.X) for part in pieces)
    X = np.empty((n, pieces[0].X.shape[1]), dtype=pieces[0].X.dtype)
    weight, origin = np.empty(n), np.empty(n, dtype=np.int64)
    begin = 0
    for part in pieces:
        end = begin + len(part.X)
        part.X.read_into(X[begin:end])
        part.weight.read_into(weight[begin:end])
        part.origin.read_into(origin[begin:end])
        begin = end
    rows = canonical_rows(X, np.zeros(n, dtype=np.int64), weight, 1)
    return rows, origin[rows.origin]
