"""Variants of a problem: the same rows and the same kernel, with other C.

A search over C, and the judgement of rows by machines that were trained without them, ask for many
machines of the same pair of classes. They share kernel values, and each starts from the solution
of another. The value of a machine at a row that it leaves out costs nothing: the solver's gradient
has it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.rows import TrainingRows
from dcsvm.data.some_pairs import SomePairs
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.training.compiled import train_variants_compiled
from dcsvm.training.libsvm import train_by_libsvm
from dcsvm.training.problems import PairFits, PairProblems, ProblemVariants, TrainingParameters
from dcsvm.training.train import assemble, problems_of, with_occurring_columns


class Variants(NamedTuple):
    """What distinguishes the variants, and whose values are wanted."""

    factor: NDArray[np.float64]  # (n_variants, n_rows), of C of each row; zero: it is left out
    # The earlier variant from whose solution each starts; −1: none.
    start: NDArray[np.int64]
    # (n_variants, n_rows): the rows whose values are wanted; None: those that are left out.
    asked: NDArray[np.bool_] | None = None

    @property
    def is_asked(self) -> NDArray[np.bool_]:
        """The rows whose values are wanted."""
        return self.factor == 0 if self.asked is None else self.asked


class VariantMachines(NamedTuple):
    """The machines of all variants."""

    machines: list[PairwiseMachines]
    # An array of shape (n_asked, n_classes) for each variant: at an asked row, the value of the
    # machine between its class and another, positive for the lower of the two. NaN for its own
    # class, and where there is no machine.
    values: list[NDArray[np.float64]]


def train_variants(
    rows: TrainingRows,
    class_weight: NDArray[np.float64],
    parameters: TrainingParameters,
    variants: Variants,
    some_pairs: SomePairs | None = None,
) -> VariantMachines:
    """Train all variants of all pairs, or of some.

    Kernel and scaling are those of all rows. A variant agrees with one that is trained from
    nothing to within the tolerance of the solver.
    """
    problems, shared = problems_of(rows, class_weight, parameters, some_pairs)
    asked = variants.is_asked
    edges = [0, *np.cumsum(asked.sum(axis=1)).tolist()]
    values = np.full((edges[-1], rows.n_classes), np.nan)
    place = np.where(asked, np.cumsum(asked).reshape(asked.shape) - 1, -1)
    start = np.ascontiguousarray(variants.start, dtype=np.int64)
    solved = ProblemVariants(problems.C * variants.factor, start, place, values)
    fits = [PairFits([])] * len(solved)
    if problems.kernel.is_built_in:
        columns = with_occurring_columns(problems)
        fits = train_variants_compiled(columns, solved, parameters)
    left = problems.largest_first(but=fits[0]).tolist()
    if left:
        fits = _with_those_of_libsvm(problems, solved, parameters, fits, left)
    machines = [assemble(problems, found, shared) for found in fits]
    by_variant = [values[a:b] for a, b in pairwise(edges)]
    if left:
        for v, of_variant in enumerate(by_variant):
            _evaluate(machines[v], left, rows, np.flatnonzero(asked[v]), of_variant)
    return VariantMachines(machines, by_variant)


def _with_those_of_libsvm(
    problems: PairProblems,
    variants: ProblemVariants,
    parameters: TrainingParameters,
    fits: list[PairFits],
    left: list[int],
) -> list[PairFits]:
    """Train the machines that are left, every variant from nothing."""
    silent = replace(parameters, on_trained=lambda machines: None)
    asked = [silent] * (len(variants) - 1) + [parameters]  # who reports, and when
    return [
        found | PairFits.of(train_by_libsvm(problems._replace(C=C), left, by))
        for found, C, by in zip(fits, variants.C, asked, strict=True)
    ]


def _evaluate(
    machines: PairwiseMachines,
    left: list[int],
    rows: TrainingRows,
    asked: NDArray[np.int64],
    values: NDArray[np.float64],
) -> None:
    """Write the values at the asked rows of the machines that are left."""
    codes = rows.codes(asked)
    pairs = machines.pairs[left]
    row, column, machine = [], [], []
    for own, other in ((0, 1), (1, 0)):
        for m, pair in zip(left, pairs.tolist(), strict=True):
            of_class = np.flatnonzero(codes == pair[own])
            row.append(of_class)
            column.append(np.full(len(of_class), pair[other]))
            machine.append(np.full(len(of_class), m, dtype=np.int32))
    at = np.concatenate(row)
    if len(at) == 0:
        return
    if machines.n_distinct_support == 0:  # a callable kernel may not take as few
        values[at, np.concatenate(column)] = machines.intercept[np.concatenate(machine)]
    else:
        query = machines.prepare(rows.take(asked))
        values[at, np.concatenate(column)] = machines.values(query, at, np.concatenate(machine))
