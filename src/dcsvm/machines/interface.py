"""What the table and the routes need of machines, whatever they are made of."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import Engine
from dcsvm.machines.value_statistics import ValueStatistics


class PairValues(Protocol):
    """Machines, as far as the walk needs them."""

    @property
    def engine(self) -> Engine | None:
        """Their compiled engine, if they have one."""

    @property
    def work_of_a_walk(self) -> float:
        """Multiplications for the path of one row, about."""

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
    def engine(self) -> Any:
        """Their compiled engine, if they have one: it holds few values at a time."""

    @property
    def rows_per_call(self) -> int:
        """How many rows a call of all_values may be given to end well within a second."""

    def observe(
        self, X: Any, weight: NDArray[np.float64], edges: NDArray[np.int64], keep_signs: bool
    ) -> ValueStatistics:
        """How all machines see the rows of X, part p of them X[edges[p] : edges[p + 1]]."""
