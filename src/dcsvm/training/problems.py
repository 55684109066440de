"""The problems of training: one for every pair of classes, on the rows of the two alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.kernels import Kernel
from dcsvm.data.pairs import class_pairs
from dcsvm.data.rows import TrainingRows
from dcsvm.data.scaling import Standardisation

# MB, more than any machine has.
LARGEST_CACHE = 2.0**40


@dataclass(frozen=True)
class TrainingParameters:
    """The parameters of an estimator that concern the training of its machines."""

    C: float
    kernel: str | Callable[[Any, Any], Any]
    degree: int
    gamma: str | float
    coef0: float
    scaling: str | None
    tol: float
    cache_size: float  # MB, all threads together
    max_iter: int  # negative: no bound
    n_jobs: int | None
    on_trained: Callable[[Iterable[int]], None]  # called with machines that are finished


class PairProblems(NamedTuple):
    """The problems of all pairs of classes."""

    rows: TrainingRows
    C: NDArray[np.float64]  # one per row
    kernel: Kernel
    scaling: Standardisation | None  # inside every machine

    def largest_first(self) -> NDArray[np.int64]:
        """The machines in the order in which to train them."""
        sizes = np.diff(self.rows.class_start)[class_pairs(self.rows.n_classes)].sum(axis=1)
        return np.argsort(-sizes, kind="stable")


class PairFit(NamedTuple):
    """One trained machine."""

    support: NDArray[np.int64]  # training rows
    coef: NDArray[np.float64]
    intercept: float
    n_iter: int
    converged: bool
