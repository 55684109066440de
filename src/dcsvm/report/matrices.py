"""The matrices of a page: what is confused with what, and the All-Predictions table."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from dcsvm.report.rows import UNLABELLED, ReportRows
from dcsvm.table.prediction_table import PredictionTable

# Cells of the table on a page; with more, only the machines asked most are there.
MOST_CELLS = 2**21
UNDECIDED = 128
# More classes take long to be put in the best of all orders.
MOST_ORDERED = 300
MACHINES_AT_ONCE = 4096


def confusion(rows: ReportRows, predicted: NDArray[np.int64]) -> dict[str, Any] | None:
    """Counts of true and predicted classes, those that are not zero, and an order of classes."""
    if rows.truth is None:
        return None
    known = rows.truth != UNLABELLED
    k = len(rows.names)
    counts = np.zeros((k, k), dtype=np.int64)
    np.add.at(counts, (rows.truth[known], predicted[known]), 1)
    true, pred = np.nonzero(counts)
    return {
        "true": true.tolist(),
        "pred": pred.tolist(),
        "count": counts[true, pred].tolist(),
        "similar": similar_order(counts),
    }


def similar_order(counts: NDArray[np.int64]) -> list[int]:
    """The classes in an order in which those confused with each other stand together."""
    k = len(counts)
    if k < 3:
        return list(range(k))
    share = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    alike = np.sqrt((share + share.T) / 2)
    distance = 1.0 - np.minimum(1.0, alike)
    np.fill_diagonal(distance, 0.0)
    merged = linkage(
        squareform(distance, checks=False), method="average", optimal_ordering=k <= 300
    )
    return leaves_list(merged).tolist()  # type: ignore[no-any-return]


def table_cells(table: PredictionTable, theta: float, asked: NDArray[np.int64]) -> dict[str, Any]:
    """The table in a byte per cell, deflated.

    A byte is the per cent sent to i, where 0 and 100 are none and all of them, and has its
    highest bit set where the cell is undecided at θ.
    """
    n_shown = min(len(asked), max(1, MOST_CELLS // table.n_classes))
    shown = np.sort(np.argsort(-asked, kind="stable")[:n_shown])
    is_shown = np.zeros(len(asked), dtype=bool)
    is_shown[shown] = True
    cells, n_undecided = [], 0
    for begin in range(0, len(asked), MACHINES_AT_ONCE):
        part = slice(begin, begin + MACHINES_AT_ONCE)
        undecided = table.exceeds(0, theta, part) & table.exceeds(1, theta, part)
        n_undecided += int(undecided.sum())
        cells.append(_as_bytes(table.counts[part], undecided)[is_shown[part]])
    packed = zlib.compress(np.concatenate(cells).tobytes())
    return {
        "n_all": len(asked),
        "shown": None if n_shown == len(asked) else shown.tolist(),
        "asked": asked[shown].tolist(),
        "undecided": n_undecided / (len(asked) * table.n_classes),
        "cells": base64.b64encode(packed).decode(),
    }


def _as_bytes(counts: NDArray[Any], undecided: NDArray[np.bool_]) -> NDArray[np.uint8]:
    share = counts[:, :, 0] / counts.sum(axis=2, dtype=np.float64)
    between = np.clip(np.rint(100 * share), 1, 99)
    per_cent = np.select([share == 0, share == 1], [0.0, 100.0], between)
    return per_cent.astype(np.uint8) + UNDECIDED * undecided.astype(np.uint8)
