"""What the table and the routes need of machines, whatever they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.kernels import Kernel
from dcsvm.data.scaling import Standardisation
from dcsvm.machines.value_statistics import ClassEntries, KeptPart, ValueStatistics


@dataclass(kw_only=True, eq=False, repr=False)
class KernelExpansion:
    """Machines over one pool of support vectors: the formula of pairwise.py, part by part."""

    kernel: Kernel
    pool: Any
    start: NDArray[np.int64]
    index: NDArray[np.int32]
    coef: NDArray[np.float64]
    intercept: NDArray[np.float64]
    shared_scaling: Standardisation | None = None
    pair_scaling: Standardisation | None = None


class PairValues(Protocol):
    """Machines, as far as the routes need them."""

    def query_width(self, X: Any) -> int:
        """How many numbers a row of X becomes when it is made ready."""

    def prepare(self, X: Any) -> Any:
        """Make rows ready."""

    def values(
        self,
        query: Any,
        row: NDArray[np.int64],
        machine: NDArray[np.int32],
        n_jobs: int | None = None,
    ) -> NDArray[np.float64]:
        """The value of machine[t] at row row[t]."""


class Observer(Protocol):
    """Machines, as far as the table needs them."""

    n_classes: int

    @property
    def rows_per_call(self) -> int:
        """How many rows a call may be given to end well within a second, and to fit in memory."""

    def observe(
        self,
        X: Any,
        weight: NDArray[np.float64],
        edges: NDArray[np.int64],
        keep_signs: bool,
        kept: KeptPart | None = None,
    ) -> ValueStatistics:
        """How all machines see the rows of X, part p of them X[edges[p] : edges[p + 1]]."""

    def observe_classes(
        self,
        X: Any,
        weight: NDArray[np.float64],
        edges: NDArray[np.int64],
        entries: ClassEntries,
        keep_signs: bool,
        kept: KeptPart | None = None,
    ) -> NDArray[np.uint8] | None:
        """Write the same to the table, of parts that are a class each; returns the signs."""
