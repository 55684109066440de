"""Rounds: what every way of asking machines has in common.

A row begins with all classes as candidates. In each round a machine is asked, and its value
leaves some of them in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dcsvm.machines.interface import PairValues

# The machine of a round that asks none: candidates are cut by scores, or votes are counted.
NO_MACHINE = -1


class Phase(Enum):
    """What a round is for."""

    SCORES = "scores"  # cheap scores cut off the candidates that are out of the question
    MACHINE = "machine"  # a machine's value drops candidates
    VOTER = "voter"  # a machine is asked for the final vote, and drops nobody yet
    VOTE = "vote"  # the votes are counted


class Round(NamedTuple):
    """One round each of some rows."""

    rows: NDArray[np.int64]
    machine: NDArray[np.int32]  # or NO_MACHINE
    values: NDArray[np.float64]
    was_in: NDArray[np.bool_]  # (n, n_classes): the candidates before, and after
    is_in: NDArray[np.bool_]
    phase: Phase = Phase.MACHINE


class Route(Protocol):
    """A way from a row to its class."""

    @property
    def cost(self) -> float:
        """Kernel evaluations worth as much as what comes before the first machine."""

    def of_vector(self, machines: PairValues) -> Callable[[NDArray[Any]], int] | None:
        """The shortest way from a contiguous vector of floats to its class, if one is compiled."""

    def predict(
        self,
        machines: PairValues,
        X: Any,
        n_jobs: int | None,
        asked: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """The class of every row of X; `asked` gets the machines that were asked added."""

    def rounds(self, machines: PairValues, X: Any, n_jobs: int | None) -> Iterator[Round]:
        """All rounds about the rows of X, those of a row in order."""
