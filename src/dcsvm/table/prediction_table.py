"""The All-Predictions table: how every machine splits the training rows of every class.

counts[m, l] = (weight of the rows of class l that machine m sends to i, to j); divided by
their sum these are the paper's C_ij(l, i) and C_ij(l, j). Beside them stand a few numbers that
describe the decision values themselves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcsvm.data.pairs import class_pairs, n_pairs

# A share within this of θ is θ: sums and quotients of weights are rounded.
THETA_TOLERANCE = 1e-9


class Tail(NamedTuple):
    """How far from its class a value lies: see routing/left_out.py."""

    share: NDArray[np.float64]  # decreasing
    reach: NDArray[np.float64]  # of the values, so many are beyond it
    excess: float  # the mean excess over it at the end

    def beyond(self, theta: float) -> float:
        """The reach that a value exceeds with a chance of θ."""
        if theta <= 0:
            return np.inf
        further = self.excess * max(0.0, np.log(self.share[-1] / theta))
        return float(np.interp(-np.log(theta), -np.log(self.share), self.reach) + further)


class TableValues(NamedTuple):
    """The decision values of every machine at the distinct training rows of every class.

    Shapes (n_machines, n_classes) but for the last two. Half precision: with many classes nothing
    is larger than the table.
    """

    low: NDArray[np.float16]
    high: NDArray[np.float16]
    spread: NDArray[np.float16]  # the standard deviation
    n_rows: NDArray[np.int64]  # of each class
    tail: Tail | None = None  # None where there are too few rows to leave some out


class PredictionTable:
    """Counts per machine, class and side, and what the values are like.

    Parameters
    ----------
    classes : array of shape (n_classes,)
        Names of the classes.
    counts : array of shape (n_machines, n_classes, 2)
        Weight sent to i and to j.
    values : TableValues, optional
        Needed for margin routing only.
    """

    def __init__(
        self, classes: ArrayLike, counts: ArrayLike, values: TableValues | None = None
    ) -> None:
        self.classes = np.asarray(classes)
        self.counts: NDArray[Any] = np.asarray(counts)
        self.values = values
        k = len(self.classes)
        if self.counts.shape != (n_pairs(k), k, 2):
            raise ValueError(
                f"{k} classes need counts of shape {(n_pairs(k), k, 2)}, got {self.counts.shape}."
            )
        to_i, to_j = np.moveaxis(self.counts, 2, 0)
        if not self.counts.min() >= 0 or not np.maximum(to_i, to_j).min() > 0:
            raise ValueError("Counts must not be negative, and no class may be without rows.")

    @classmethod
    def from_likelihoods(cls, classes: ArrayLike, likelihoods: ArrayLike) -> PredictionTable:
        """A table from the fractions sent to i, shape (n_machines, n_classes)."""
        to_i = np.asarray(likelihoods, dtype=np.float64)
        return cls(classes, np.stack([to_i, 1.0 - to_i], axis=-1))

    @property
    def n_classes(self) -> int:
        """k."""
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
