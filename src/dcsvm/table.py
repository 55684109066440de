"""The All-Predictions table: how every machine splits the training rows of every class.

counts[m, l] = (weight of the rows of class l that machine m sends to i, to j); divided by
their sum these are the paper's C_ij(l, i) and C_ij(l, j).
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcsvm.pairs import class_pairs, n_pairs
from dcsvm.parallel import n_threads, run_short
from dcsvm.rows import TrainingRows

# float32 holds every whole number up to here, and the table is the largest array of a
# problem with many classes.
EXACT_IN_FLOAT32 = 2.0**24

# Decision values (rows × machines) computed at a time.
VALUES_AT_ONCE = 2**22

# Bytes of signs to keep for growing the decision structure, a bit per row and machine.
SIGNS_BUDGET = 2**27

# A share within this of θ is θ: sums and quotients of weights are rounded.
THETA_TOLERANCE = 1e-9


class Counting(Protocol):
    """Machines, as far as the table needs them."""

    n_classes: int

    @property
    def rows_per_call(self) -> int:
        """How many rows a call of all_values may be given to end well within a second."""

    def count(
        self, X: Any, weight: NDArray[np.float64], edges: NDArray[np.int64], keep_signs: bool
    ) -> Counted:
        """How all machines see the rows of X, part p of them X[edges[p] : edges[p + 1]]."""


class Counted(NamedTuple):
    """How all machines see some rows."""

    to_i: NDArray[np.float64]  # (n_parts, n_machines)
    to_j: NDArray[np.float64]
    signs: NDArray[np.uint8] | None  # bit r % 8 of signs[m, r // 8]: machine m sends row r to i


def count_signs(
    values: NDArray[np.floating[Any]],
    weight: NDArray[np.float64],
    edges: NDArray[np.int64],
    keep_signs: bool,
) -> Counted:
    """Count by values of shape (n_rows, n_machines)."""
    to_i = values > 0
    parts = [slice(*part) for part in itertools.pairwise(edges)]
    # Each side is summed by itself, so that a side without rows is exactly zero.
    return Counted(
        np.array([weight[part] @ to_i[part] for part in parts]),
        np.array([weight[part] @ ~to_i[part] for part in parts]),
        np.packbits(to_i.T, axis=1, bitorder="little") if keep_signs else None,
    )


class PredictionTable:
    """Counts per machine, class and side.

    Parameters
    ----------
    classes : array of shape (n_classes,)
        Names of the classes.
    counts : array of shape (n_machines, n_classes, 2)
        Weight sent to i and to j.
    """

    def __init__(self, classes: ArrayLike, counts: ArrayLike) -> None:
        self.classes = np.asarray(classes)
        self.counts: NDArray[np.floating[Any]] = np.asarray(counts)
        k = len(self.classes)
        if self.counts.shape != (n_pairs(k), k, 2):
            raise ValueError(
                f"{k} classes need counts of shape {(n_pairs(k), k, 2)}, got {self.counts.shape}."
            )
        if not (self.counts >= 0).all() or not (self.counts.sum(axis=2) > 0).all():
            raise ValueError("Counts must not be negative, and no class may be without rows.")

    @classmethod
    def from_likelihoods(cls, classes: ArrayLike, likelihoods: ArrayLike) -> PredictionTable:
        """A table from the fractions sent to i, shape (n_machines, n_classes)."""
        to_i = np.asarray(likelihoods, dtype=np.float64)
        return cls(classes, np.stack([to_i, 1.0 - to_i], axis=-1))

    @property
    def n_classes(self) -> int:
        """K."""
        return len(self.classes)

    @property
    def pairs(self) -> NDArray[np.int32]:
        """The classes i < j of each row."""
        return class_pairs(self.n_classes)

    @property
    def likelihoods(self) -> NDArray[np.float64]:
        """C_ij(l, i): the fraction of class l sent to i, shape (n_machines, n_classes)."""
        return self.fraction(side=0)

    def fraction(self, side: int) -> NDArray[np.float64]:
        """C_ij(l, i) for side 0, C_ij(l, j) for side 1."""
        total = self.counts.sum(axis=2, dtype=np.float64)
        return np.asarray(self.counts[:, :, side] / total)

    def exceeds(self, side: int, theta: float, machines: slice = slice(None)) -> NDArray[np.bool_]:
        """χ(C_ij(l, i)) for side 0, χ(C_ij(l, j)) for side 1: whether the fraction is above θ."""
        counts = self.counts[machines]
        total = counts.sum(axis=2, dtype=np.float64)
        return np.asarray(counts[:, :, side] > theta * (1 + THETA_TOLERANCE) * total)

    def separation(self, theta: float) -> float:
        """Share of the entries that have at least 1 − θ on one side."""
        undecided = self.exceeds(0, theta) & self.exceeds(1, theta)
        return 1.0 - float(undecided.mean())

    def to_frame(self) -> Any:
        """The table as the paper prints it: per cent to i and to j, a row per machine."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install 'dcsvm[pandas]'.") from error
        percent = np.stack([100 * self.fraction(0), 100 * self.fraction(1)], axis=-1)
        cells = [[f"{to_i:.1f}, {to_j:.1f}" for to_i, to_j in row] for row in percent]
        names = [f"{self.classes[i]} vs {self.classes[j]}" for i, j in self.pairs]
        return pd.DataFrame(
            cells,
            index=pd.Index(names, name="machine"),
            columns=pd.Index(self.classes.tolist(), name="class"),
        )

    def __repr__(self) -> str:
        return f"PredictionTable({len(self.counts)} machines × {self.n_classes} classes)"


class SignBlock(NamedTuple):
    """What `Counted.signs` says of some rows."""

    n_rows: int
    signs: NDArray[np.uint8]


def build_table(
    machines: Counting, rows: TrainingRows, classes: NDArray[Any], n_jobs: int | None
) -> tuple[PredictionTable, list[SignBlock] | None]:
    """Let every machine predict every training row, and count; also the signs, if few enough."""
    keep_signs = n_pairs(rows.n_classes) * rows.n_rows <= 8 * SIGNS_BUDGET
    at_once = max(1, min(machines.rows_per_call, VALUES_AT_ONCE // n_pairs(rows.n_classes)))
    blocks = [
        (begin, min(begin + at_once, rows.n_rows)) for begin in range(0, rows.n_rows, at_once)
    ]

    def count(block: tuple[int, int]) -> Counted:
        begin, end = block
        edges = np.clip(rows.class_start[_classes_of(rows, block)] - begin, 0, end - begin)
        return machines.count(rows.query(begin, end), rows.weight[begin:end], edges, keep_signs)

    whole = bool((rows.weight == np.floor(rows.weight)).all())
    exact = whole and rows.weight.sum() < EXACT_IN_FLOAT32
    shape = (rows.n_classes, n_pairs(rows.n_classes), 2)
    counts = np.zeros(shape, dtype=np.float32 if exact else np.float64)
    signs: list[SignBlock] = []
    # Added up in the order of the blocks, so that sums of fractions do not depend on threads.
    together = 4 * n_threads(n_jobs)
    for first in range(0, len(blocks), together):
        wave = blocks[first : first + together]
        for block, part in zip(wave, run_short(count, wave, n_jobs), strict=True):
            classes_seen = _classes_of(rows, block)[:-1]
            counts[classes_seen, :, 0] += part.to_i
            counts[classes_seen, :, 1] += part.to_j
            if part.signs is not None:
                signs.append(SignBlock(block[1] - block[0], part.signs))
    return PredictionTable(classes, counts.transpose(1, 0, 2)), signs if keep_signs else None


def _classes_of(rows: TrainingRows, block: tuple[int, int]) -> NDArray[np.int64]:
    """The classes of some rows, and the one after them."""
    first = np.searchsorted(rows.class_start, block[0], side="right") - 1
    last = np.searchsorted(rows.class_start, block[1], side="left")
    return np.arange(first, last + 1)
