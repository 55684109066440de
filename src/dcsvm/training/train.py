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

from dcsvm.data.kernels import BUILT_IN, TRANSLATION_INVARIANT, Kernel, resolve_kernel
from dcsvm.data.rows import TrainingRows
from dcsvm.data.scaling import (
    Standardisation,
    division_by,
    global_standardisation,
    pair_standardisation,
    unit_of,
)
from dcsvm.data.some_pairs import SomePairs
from dcsvm.machines.columns import occurring_columns, over_columns
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.training.compiled import train_compiled
from dcsvm.training.libsvm import train_by_libsvm
from dcsvm.training.problems import PairFits, PairProblems, TrainingParameters

# Bounds of C and γ for rows that have been divided by a number.
LEAST, MOST = 1e-200, 1e200


def train_machines(
    rows: TrainingRows,
    class_weight: NDArray[np.float64],
    parameters: TrainingParameters,
    some_pairs: SomePairs | None = None,
) -> PairwiseMachines:
    """Train all pairs, or some. `class_weight` multiplies C for the rows of each class."""
    problems, shared = problems_of(rows, class_weight, parameters, some_pairs)
    fits = _train_pairs(with_occurring_columns(problems), parameters)
    return assemble(problems, fits, shared)


def problems_of(
    rows: TrainingRows,
    class_weight: NDArray[np.float64],
    parameters: TrainingParameters,
    some_pairs: SomePairs | None,
) -> tuple[PairProblems, Standardisation | None]:
    """The problems of all pairs, and the scaling of the rows that they share."""
    _check_scaling(rows, parameters)
    shared = pair = None
    unit = unit_of(rows.X) if parameters.kernel in BUILT_IN else 1.0
    if unit != 1.0:
        shared = division_by(unit, rows.X.shape[1])
        rows = replace(rows, X=shared.apply(rows.X))
    if parameters.scaling == "global":
        standardisation = global_standardisation(rows)
        rows = replace(rows, X=standardisation.apply(rows.X))
        shared = standardisation.after_division_by(unit)
    elif parameters.scaling == "pair":
        pair = pair_standardisation(rows, some_pairs)
    kernel = resolve_kernel(
        parameters.kernel,
        parameters.gamma,
        parameters.degree,
        parameters.coef0,
        rows.X,
        rows.weight,
        unit_variance=parameters.scaling is not None,
    )
    factor = parameters.C
    if unit != 1.0 and parameters.scaling is None:
        factor, kernel = _with_unit(factor, kernel, unit, parameters.gamma == "scale")
    C = factor * rows.weight * np.repeat(class_weight, np.diff(rows.class_start))
    return PairProblems(rows, C, kernel, pair, some_pairs), shared


def with_occurring_columns(problems: PairProblems) -> PairProblems:
    """The same without columns that are zero in all rows: kernel values need none of them."""
    columns = occurring_columns(problems.rows.X)
    if columns is None or not problems.kernel.is_built_in:
        return problems
    scaling = None if problems.scaling is None else problems.scaling.of_columns(columns)
    X = over_columns(problems.rows.X, columns, len(columns))
    rows = replace(problems.rows, X=X)
    return problems._replace(rows=rows, scaling=scaling)


def _with_unit(C: float, kernel: Kernel, unit: float, follows_rows: bool) -> tuple[float, Kernel]:
    """C and the kernel with which rows divided by `unit` give the same machines.

    ⟨x, s⟩ = unit² ⟨x / unit, s / unit⟩; a factor of a linear kernel is a factor of C. γ needs
    none where it was computed from the divided rows.
    """
    if kernel.name == "linear":
        return _times_squared(C, unit), kernel
    if follows_rows:
        return C, kernel
    return C, replace(kernel, gamma=_times_squared(kernel.gamma, unit))


def _times_squared(number: float, unit: float) -> float:
    """number · unit², not zero unless `number` is."""
    product = number * unit * unit
    if product > MOST:
        raise ValueError(
            "The features are too large for C or gamma: machines would not be finite. Standardise "
            "the features (scaling='global'), or use gamma='scale'."
        )
    return max(product, min(number, LEAST))


def _check_scaling(rows: TrainingRows, parameters: TrainingParameters) -> None:
    if parameters.scaling is None:
        return
    if parameters.kernel == "precomputed":
        raise ValueError(
            f"scaling={parameters.scaling!r} cannot be applied to a precomputed kernel: "
            "standardise the features before computing it, and set scaling=None."
        )
    if sparse.issparse(rows.X) and parameters.kernel not in TRANSLATION_INVARIANT:
        raise ValueError(
            f"scaling={parameters.scaling!r} with this kernel needs centred features, and "
            "centring would fill a sparse matrix. Pass X.toarray(), use kernel='rbf' or "
            "'linear' (which need no centring), or set scaling=None."
        )


def _train_pairs(problems: PairProblems, parameters: TrainingParameters) -> PairFits:
    """Train all machines, each by the solver that can."""
    fits = train_compiled(problems, parameters) if problems.kernel.is_built_in else PairFits([])
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
