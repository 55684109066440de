"""The matrices of a page: the confusion matrix, and the All-Predictions table."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from dcsvm.report.rows import UNLABELLED
from dcsvm.report.subject import Subject
from dcsvm.table.prediction_table import PredictionTable

# If a table has more cells, the machines evaluated for most rows are on the page.
MOST_CELLS = 2**21
UNDECIDED = 128
# With more classes the optimal order would take too long.
MOST_ORDERED = 300
MACHINES_AT_ONCE = 4096


def confusion(subject: Subject) -> dict[str, Any] | None:
    """The nonzero cells of the confusion matrix, and an order of the classes."""
    rows, predicted = subject.rows, subject.ours.predicted
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
    """The classes in an order that puts those confused with each other side by side."""
    k = len(counts)
    if k < 3:
        return list(range(k))
    share = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    alike = np.sqrt((share + share.T) / 2)
    distance = 1.0 - np.minimum(1.0, alike)
    np.fill_diagonal(distance, 0.0)
    merged = linkage(
        squareform(distance, checks=False), method="average", optimal_ordering=k <= MOST_ORDERED
    )
    return leaves_list(merged).tolist()  # type: ignore[no-any-return]


def table(subject: Subject) -> dict[str, Any]:
    """The table of the classifier, and how many rows of the report each machine is asked for."""
    return table_cells(subject.classifier.table_, subject.theta, subject.narrowing.usage)


def table_cells(table: PredictionTable, theta: float, usage: NDArray[np.int64]) -> dict[str, Any]:
    """The table as one byte per cell, compressed; `usage` are the rows of each machine.

    A byte is the percentage of a class on the side of i, where 0 and 100 stand for none and all
    of its rows; its highest bit is set if the class is undecided at θ.
    """
    n_shown = min(len(usage), max(1, MOST_CELLS // table.n_classes))
    shown = np.sort(np.argsort(-usage, kind="stable")[:n_shown])
    is_shown = np.zeros(len(usage), dtype=bool)
    is_shown[shown] = True
    cells, n_undecided = [], 0
    for begin in range(0, len(usage), MACHINES_AT_ONCE):
        part = slice(begin, begin + MACHINES_AT_ONCE)
        undecided = table.exceeds(0, theta, part) & table.exceeds(1, theta, part)
        n_undecided += int(undecided.sum())
        cells.append(_as_bytes(table.counts[part], undecided)[is_shown[part]])
    packed = zlib.compress(np.concatenate(cells).tobytes())
    return {
        "n_all": len(usage),
        "shown": None if n_shown == len(usage) else shown.tolist(),
        "asked": usage[shown].tolist(),
        "undecided": n_undecided / (len(usage) * table.n_classes),
        "cells": base64.b64encode(packed).decode(),
    }


def _as_bytes(counts: NDArray[Any], undecided: NDArray[np.bool_]) -> NDArray[np.uint8]:
    share = counts[:, :, 0] / counts.sum(axis=2, dtype=np.float64)
    between = np.clip(np.rint(100 * share), 1, 99)
    per_cent = np.select([share == 0, share == 1], [0.0, 100.0], between)
    return per_cent.astype(np.uint8) + UNDECIDED * undecided.astype(np.uint8)
