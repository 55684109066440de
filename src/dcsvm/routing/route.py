"""Routes: ways from a row to its class.

A row begins with all classes as candidates. In each round a machine is evaluated, and its value
leaves some of them in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.some_pairs import NO_MACHINE
from dcsvm.machines.interface import PairValues


class Phase(Enum):
    """What a round is for."""

    SCORES = "scores"  # candidates with low scores of the shortlist are dropped
    UNTRAINED = "untrained"  # candidates whose machine with the champion was not needed are dropped
    MACHINE = "machine"  # the value of a machine drops candidates
    VOTER = "voter"  # a machine is evaluated for the final vote, and drops none yet
    VOTE = "vote"  # the votes are counted


class Round(NamedTuple):
    """One round each of some rows."""

    rows: NDArray[np.int64]
    machine: NDArray[np.int32]  # or NO_MACHINE: scores are compared, or votes are counted
    values: NDArray[np.float64]
    was_in: NDArray[np.bool_]  # (n, n_classes): the candidates before, and after
    is_in: NDArray[np.bool_]
    phase: Phase = Phase.MACHINE


class Route(Protocol):
    """A way from a row to its class."""

    @property
    def cost(self) -> float:
        """What comes before the first machine, in kernel evaluations of the same cost."""

    def of_vector(self, machines: PairValues) -> Callable[[NDArray[Any]], int] | None:
        """The shortest way from a contiguous vector of floats to its class, if one is compiled."""

    def predict(
        self,
        machines: PairValues,
        X: Any,
        n_jobs: int | None,
        n_evaluated: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """The class of every row of X; `n_evaluated` is raised by the machines evaluated."""

    def rounds(self, machines: PairValues, X: Any, n_jobs: int | None) -> Iterator[Round]:
        """All rounds of the rows of X, those of a row in order."""


class Paths(NamedTuple):
    """The machines evaluated for each row, in order."""

    start: NDArray[np.int64]  # row r: machine[start[r] : start[r + 1]]
    machine: NDArray[np.int32]


def paths(rounds: Iterable[Round], n_rows: int) -> Paths:
    """Collect the machines evaluated in some rounds."""
    rows, machines = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
    for round_ in rounds:
        evaluated = round_.machine != NO_MACHINE
        rows.append(round_.rows[evaluated])
        machines.append(round_.machine[evaluated])
    row, machine = np.concatenate(rows), np.concatenate(machines)
    start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n_rows))])
    return Paths(start, machine[np.argsort(row, kind="stable")])
