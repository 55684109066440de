"""Training: every pair of classes gives one machine, fitted to the rows of the two alone.

Machines are trained side by side in threads, the largest first, so that no large one is left for
the end. The compiled solver trains them; libsvm trains those whose kernel is not compiled, or
whose rows are too many for the memory.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.data.kernels import BUILT_IN
from dcsvm.data.moments import variance
from dcsvm.data.rows import TrainingRows
from dcsvm.data.scaling import (
    Standardisation,
    global_standardisation,
    pair_standardisation,
    unit_of,
)
from dcsvm.data.some_pairs import SomePairs
from dcsvm.machines.columns import occurring_columns, over_columns
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.training.common import (
    SharedScaling,
    check_scaling,
    costs,
    kernel_and_factor,
    needs_variance,
)
from dcsvm.training.compiled import PreparedKernel, train_compiled
from dcsvm.training.libsvm import train_by_libsvm
from dcsvm.training.problems import PairFits, PairProblems, TrainingParameters


def train_machines(
    rows: TrainingRows,
    class_weight: NDArray[np.float64],
    parameters: TrainingParameters,
    some_pairs: SomePairs | None = None,
) -> PairwiseMachines:
    """Train all pairs, or some. `class_weight` multiplies C for the rows of each class."""
    problems, shared = problems_of(rows, class_weight, parameters, some_pairs)
    fits = train_pairs(with_occurring_columns(problems), parameters)
    return assemble(problems, fits, shared)


def problems_of(
    rows: TrainingRows,
    class_weight: NDArray[np.float64],
    parameters: TrainingParameters,
    some_pairs: SomePairs | None,
) -> tuple[PairProblems, Standardisation | None]:
    """The problems of all pairs, and the scaling of the rows that they share."""
    check_scaling(parameters, sparse.issparse(rows.X))
    n_features = rows.X.shape[1]
    scaling = SharedScaling(unit_of(rows.X) if parameters.kernel in BUILT_IN else 1.0)
    rows = scaling.rows(rows)
    if parameters.scaling == "global":
        standardisation = global_standardisation(rows)
        rows = replace(rows, X=standardisation.apply(rows.X))
        scaling = scaling._replace(standardisation=standardisation)
    own = pair_standardisation(rows, some_pairs) if parameters.scaling == "pair" else None
    entries = variance(rows) if needs_variance(parameters) else 1.0
    kernel, C = kernel_and_factor(parameters, n_features, entries, scaling.unit)
    problems = PairProblems(rows, costs(rows, class_weight, C), kernel, own, some_pairs)
    return problems, scaling.of_machines(n_features)


def with_occurring_columns(problems: PairProblems) -> PairProblems:
    """The same without columns that are zero in all rows: kernel values need none of them."""
    columns = occurring_columns(problems.rows.X)
    if columns is None or not problems.kernel.is_built_in:
        return problems
    scaling = None if problems.scaling is None else problems.scaling.of_columns(columns)
    X = over_columns(problems.rows.X, columns, len(columns))
    rows = replace(problems.rows, X=X)
    return problems._replace(rows=rows, scaling=scaling)


def train_pairs(
    problems: PairProblems, parameters: TrainingParameters, kernel: PreparedKernel | None = None
) -> PairFits:
    """Train all machines, each by the solver that can.

    `kernel` is needed where the problems are some of those that belong together.
    """
    fits = PairFits([])
    if problems.kernel.is_built_in:
        fits = train_compiled(problems, parameters, kernel)
    left = problems.largest_first(but=fits)
    if len(left):
        fits |= PairFits.of(train_by_libsvm(problems, left.tolist(), parameters))
    return fits


def assemble(
    problems: PairProblems, fits: PairFits, shared_scaling: Standardisation | None
) -> PairwiseMachines:
    """Put the machines together over the distinct rows that support any of them."""
    rows, found = problems.rows, fits.arrays
    supports = np.zeros(rows.n_rows, dtype=bool)
    supports[found.support] = True
    distinct = np.flatnonzero(supports)
    index = (np.cumsum(supports) - 1)[found.support]
    return PairwiseMachines(
        n_classes=rows.n_classes,
        kernel=problems.kernel,
        pool=rows.X[distinct] if rows.place is None else rows.place[distinct],
        origin=None if rows.origin is None else rows.origin[distinct],
        start=fits.start,
        index=index.astype(np.int32),
        coef=found.coef,
        intercept=found.intercept,
        n_iter=found.n_iter,
        converged=found.converged,
        shared_scaling=shared_scaling,
        pair_scaling=problems.scaling,
        some_pairs=problems.some_pairs,
    )
