"""Training rows that lie on workers, of which a few are fetched when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.dask.job import Job
from dcsvm.dask.shuffling import StoredRows
from dcsvm.data.rows import TrainingRows
from dcsvm.training.common import SharedScaling

UNSCALED = SharedScaling(1.0)


class Blocks(NamedTuple):
    """The blocks of classes of all training rows."""

    job: Job
    stored: list[Any]  # futures of StoredRows
    row_start: NDArray[np.int64]  # of each block, and the end

    def map(self, function: Any, *arguments: Any) -> list[Any]:
        """The results of a function of every block and the arguments."""
        futures = [self.job.submit(function, block, *arguments) for block in self.stored]
        return self.job.results(futures)


class DistantArray:
    """The features of rows that lie on workers, or their numbers: what is indexed is fetched."""

    def __init__(
        self,
        blocks: Blocks,
        field: str,
        shape: tuple[int, ...],
        dtype: Any,
        scaling: SharedScaling = UNSCALED,
    ) -> None:
        self.blocks, self.field, self.scaling = blocks, field, scaling
        self.shape, self.dtype = shape, np.dtype(dtype)

    def __getitem__(self, numbers: Any) -> NDArray[Any]:
        if isinstance(numbers, slice):
            numbers = np.arange(self.shape[0])[numbers]
        of_block = np.searchsorted(self.blocks.row_start, numbers, side="right") - 1
        asked = np.unique(of_block).tolist()
        own = [numbers[of_block == b] - self.blocks.row_start[b] for b in asked]
        submit, stored = self.blocks.job.submit, self.blocks.stored
        futures = [
            submit(rows_at, stored[b], self.field, places, self.scaling)
            for b, places in zip(asked, own, strict=True)
        ]
        out = np.empty((len(numbers), *self.shape[1:]), dtype=self.dtype)
        for t, found in self.blocks.job.completed(futures):
            out[of_block == asked[t]] = found
        return out


def rows_at(
    rows: StoredRows, field: str, places: NDArray[np.int64], scaling: SharedScaling
) -> NDArray[Any]:
    """Rows of a block by their places, class by class; features are scaled."""
    stored = getattr(rows, field)
    found = []
    edges = np.searchsorted(places, rows.class_start)
    is_sorted = bool((np.diff(places) >= 0).all())
    if not is_sorted:
        order = np.argsort(places, kind="stable")
        out = np.empty((len(places), *stored.shape[1:]), dtype=stored.dtype)
        out[order] = rows_at(rows, field, places[order], scaling)
        return out
    for c in range(rows.n_classes):
        chosen = places[edges[c] : edges[c + 1]]
        if len(chosen):
            first, last = int(chosen[0]), int(chosen[-1]) + 1
            found.append(stored.read(first, last)[chosen - first])
    joined = np.concatenate(found)
    return scaling.rows(_of_features(joined)).X if field == "X" else joined


def _of_features(X: NDArray[Any]) -> TrainingRows:
    return TrainingRows(X, np.ones(len(X)), np.array([0, len(X)]))


class DistantRows(TrainingRows):
    """Training rows whose features lie elsewhere, as long as a job lasts."""


def distant_rows(
    blocks: Blocks,
    weight: NDArray[np.float64],
    class_start: NDArray[np.int64],
    n_features: int,
    dtype: Any,
) -> TrainingRows:
    """All training rows: their weights are here, their features and numbers elsewhere."""
    n = int(class_start[-1])
    origin: Any = DistantArray(blocks, "origin", (n,), np.int64)
    X = DistantArray(blocks, "X", (n, n_features), dtype)
    return DistantRows(X, weight, class_start, origin=origin)


class BlockSummary(NamedTuple):
    """What is known here of a block."""

    class_start: NDArray[np.int64]
    weight: NDArray[np.float64] | None  # None: every row counts once


def summary_of(rows: StoredRows) -> BlockSummary:
    """The sizes of the classes of a block, and the weights of its rows."""
    weight = rows.weight.read()
    return BlockSummary(rows.class_start, None if (weight == 1.0).all() else weight)


def joined_summaries(
    parts: Sequence[BlockSummary],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The sizes of all classes as places where they start, and the weights of all rows.

    Where every row counts once, the weights take no room.
    """
    sizes = np.concatenate([np.diff(part.class_start) for part in parts])
    start = np.concatenate([[0], np.cumsum(sizes)])
    if all(part.weight is None for part in parts):
        return start, np.broadcast_to(1.0, int(start[-1]))
    weights = [
        np.ones(int(part.class_start[-1])) if part.weight is None else part.weight for part in parts
    ]
    return start, np.concatenate(weights)
