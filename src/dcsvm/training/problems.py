"""The problems of training: one for every pair of classes, on the rows of the two alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.kernels import Kernel
from dcsvm.data.pairs import class_pairs
from dcsvm.data.rows import TrainingRows
from dcsvm.data.scaling import Standardisation
from dcsvm.data.some_pairs import SomePairs


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
    cache_size: float | None  # MB, all threads together; None: by the memory that is free
    max_iter: int  # negative: no bound
    n_jobs: int | None
    on_trained: Callable[[Iterable[int]], None]  # called with machines that are finished


class PairProblems(NamedTuple):
    """The problems of the pairs of classes."""

    rows: TrainingRows
    C: NDArray[np.float64]  # one per row
    kernel: Kernel
    scaling: Standardisation | None  # inside every machine
    some_pairs: SomePairs | None = None  # None: all pairs of classes

    @property
    def pairs(self) -> NDArray[np.int32]:
        """The classes of each machine."""
        if self.some_pairs is None:
            return class_pairs(self.rows.n_classes)
        return self.some_pairs.of_machine

    def largest_first(self, but: PairFits | None = None) -> NDArray[np.int64]:
        """The machines, but for those trained already, in the order in which to train them."""
        sizes = np.diff(self.rows.class_start)[self.pairs].sum(axis=1)
        order = np.argsort(-sizes, kind="stable")
        return order if but is None else order[~np.isin(order, but.arrays.machine)]


class ProblemVariants(NamedTuple):
    """Problems on the same rows with the same kernel, that differ in C alone."""

    C: NDArray[np.float64]  # (n_variants, n_rows); zero: the variant leaves the row out
    start: NDArray[np.int64]  # the earlier variant from whose solution each starts, or −1
    # Where to write the values of a row: values[place, l] is that of the machine between its class
    # and class l. (n_variants, n_rows), −1: not wanted.
    place: NDArray[np.int64] | None = None
    values: NDArray[np.float64] | None = None

    @classmethod
    def of_one(cls, C: NDArray[np.float64]) -> Self:
        """One problem alone."""
        return cls(C[np.newaxis], np.array([-1]))

    def __len__(self) -> int:
        """How many variants there are."""
        return len(self.start)


class PairFit(NamedTuple):
    """One trained machine."""

    support: NDArray[np.int64]  # training rows
    coef: NDArray[np.float64]
    intercept: float
    n_iter: int
    converged: bool


class FitArrays(NamedTuple):
    """Trained machines, one after the other."""

    machine: NDArray[np.int64]
    n_support: NDArray[np.int64]
    support: NDArray[np.int64]  # of the first machine, of the second, …
    coef: NDArray[np.float64]
    intercept: NDArray[np.float64]
    n_iter: NDArray[np.int64]
    converged: NDArray[np.bool_]

    def chosen(self, which: NDArray[np.bool_]) -> FitArrays:
        """Some of the machines."""
        entries = np.repeat(which, self.n_support)
        return FitArrays(
            self.machine[which],
            self.n_support[which],
            self.support[entries],
            self.coef[entries],
            self.intercept[which],
            self.n_iter[which],
            self.converged[which],
        )


class PairFits(Mapping[int, PairFit]):
    """Trained machines by their numbers, and `arrays` of them in rising order of these.

    There can be hundreds of thousands: an object for each is only made when it is asked for.
    """

    def __init__(self, parts: Iterable[FitArrays]) -> None:
        found = [*parts]
        if not found:
            none, numbers = np.empty(0, dtype=np.int64), np.empty(0)
            found = [FitArrays(none, none, none, numbers, numbers, none, none.astype(bool))]
        joined = FitArrays(*map(np.concatenate, zip(*found, strict=True)))
        order = np.argsort(joined.machine)
        n_support = joined.n_support[order]
        begin = (np.cumsum(joined.n_support) - joined.n_support)[order]
        self.start = np.concatenate([[0], np.cumsum(n_support)])
        entries = np.arange(self.start[-1]) + np.repeat(begin - self.start[:-1], n_support)
        self.arrays = FitArrays(
            joined.machine[order],
            n_support,
            joined.support[entries],
            joined.coef[entries],
            joined.intercept[order],
            joined.n_iter[order],
            joined.converged[order],
        )

    @classmethod
    def of(cls, fits: Mapping[int, PairFit]) -> Self:
        """The same machines, given one by one."""
        return cls(
            FitArrays(
                np.array([m]),
                np.array([len(fit.support)]),
                fit.support,
                fit.coef,
                *(np.array([number]) for number in fit[2:]),
            )
            for m, fit in fits.items()
        )

    def __or__(self, other: PairFits) -> PairFits:
        return PairFits([self.arrays, other.arrays]) if len(self) else other

    def __getitem__(self, machine: int) -> PairFit:
        t = int(np.searchsorted(self.arrays.machine, machine))
        if t == len(self) or self.arrays.machine[t] != machine:
            raise KeyError(machine)
        entries = slice(self.start[t], self.start[t + 1])
        return PairFit(
            self.arrays.support[entries],
            self.arrays.coef[entries],
            float(self.arrays.intercept[t]),
            int(self.arrays.n_iter[t]),
            bool(self.arrays.converged[t]),
        )

    def __iter__(self) -> Iterator[int]:
        return iter(self.arrays.machine.tolist())

    def __len__(self) -> int:
        return len(self.arrays.machine)
