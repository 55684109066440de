"""What all machines share, added up over blocks of classes: scaling, kernel and its precision.

Each figure is computed class by class in the blocks, and added up here in the order of the classes:
the sums are those of a fit in one process to the last bit (data/moments.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.dask.shuffling import StoredRows
from dcsvm.data.kernels import BUILT_IN, Kernel
from dcsvm.data.moments import (
    ClassMoments,
    EntryMoments,
    class_moments,
    entry_moments,
    feature_sums,
    of_classes,
)
from dcsvm.data.rows import TrainingRows
from dcsvm.data.scaling import (
    LARGEST_SIZE,
    LEAST_SIZE,
    MOST_APART,
    Standardisation,
    every_class,
    power_of_two,
    standardisation_of,
)
from dcsvm.machines.kernel_forms import FAR_MEAN, usable_centre
from dcsvm.training.common import (
    SharedScaling,
    check_scaling,
    kernel_and_factor,
    needs_variance,
)
from dcsvm.training.compiled import (
    PreparedKernel,
    form_and_contrast,
    is_centred,
    row_norms,
    squared_norms,
)
from dcsvm.training.problems import TrainingParameters

Floats = NDArray[np.float64]
# Calls a function with every block and further arguments, and returns the results in order.
OfBlocks = Callable[..., list[Any]]
# Binary exponents of doubles are from −1073 to 1024.
LOWEST, N_EXPONENTS = 1074, 2100


class SharedProblem(NamedTuple):
    """What the problems of all pairs of classes share."""

    scaling: SharedScaling
    kernel: Kernel
    C: float
    prepared: PreparedKernel | None  # its errors are not filled in; None: not a compiled kernel
    moments: ClassMoments | None  # of all classes, if machines standardise for themselves


def shared_problem(
    of_blocks: OfBlocks, n_rows: int, X: Any, parameters: TrainingParameters
) -> SharedProblem:
    """Look at all rows as often as it takes; of X only shape and type are known."""
    check_scaling(parameters, is_sparse=False)
    n_features = X.shape[1]
    scaling = SharedScaling(_unit(of_blocks, X.dtype) if parameters.kernel in BUILT_IN else 1.0)
    moments = None
    if parameters.scaling is not None:
        moments = ClassMoments.joined(of_blocks(moments_of, scaling))
    if parameters.scaling == "global" and moments is not None:
        every = every_class(len(moments.weight))
        scaling = scaling._replace(standardisation=standardisation_of(moments, every, X))
        moments = None
    variance = 1.0
    if needs_variance(parameters):
        entries = EntryMoments.joined(of_blocks(entries_of, scaling))
        variance = entries.variance(n_features)
    kernel, C = kernel_and_factor(parameters, n_features, variance, scaling.unit)
    prepared = None
    if kernel.is_built_in:
        prepared = _prepared(of_blocks, n_rows, n_features, scaling, kernel, moments is not None)
    return SharedProblem(scaling, kernel, C, prepared, moments)


def pair_scaling(shared: SharedProblem, pairs: NDArray[Any], X: Any) -> Standardisation | None:
    """The standardisation inside every machine of these pairs."""
    return None if shared.moments is None else standardisation_of(shared.moments, pairs, X)


def _unit(of_blocks: OfBlocks, dtype: Any) -> float:
    """What `data.scaling.unit_of` gives for all rows together."""
    sizes, n_numbers = map(np.array, zip(*of_blocks(largest_of), strict=True))
    largest, n = float(sizes.max()), int(n_numbers.sum())
    if not 0 < largest < np.inf:
        return 1.0
    if LEAST_SIZE <= largest / np.sqrt(n) <= largest <= LARGEST_SIZE:
        return 1.0
    of_rows = np.concatenate(of_blocks(largest_of_rows)).astype(np.float64)
    typical = float(np.median(of_rows[of_rows > 0] / largest)) * largest
    if largest > MOST_APART * typical:
        typical = float(largest * np.sqrt(sum(of_blocks(relative_squares, largest)) / n))
    return power_of_two(typical, dtype)


def largest_of(rows: StoredRows) -> tuple[float, int]:
    """The size of the largest entry, and how many entries there are."""
    largest = 0.0
    for c in range(rows.n_classes):
        X = rows.classes(c, c + 1).X.read()
        largest = max(largest, float(np.max(X, initial=0.0)), -float(np.min(X, initial=0.0)))
    return largest, int(rows.X.shape[0] * rows.X.shape[1])


def largest_of_rows(rows: StoredRows) -> NDArray[Any]:
    """The size of the largest entry of each row."""
    sizes = [np.abs(of_class.X).max(axis=1) for of_class in classes_of(rows, SharedScaling(1.0))]
    return np.concatenate(sizes)


def relative_squares(rows: StoredRows, largest: float) -> float:
    """The sum of (x / largest)² over all entries x of a block."""
    parts = (of_class.X for of_class in classes_of(rows, SharedScaling(1.0)))
    return float(sum(np.square(X.astype(np.float64) / largest).sum() for X in parts))


def classes_of(rows: StoredRows, scaling: SharedScaling) -> Iterator[TrainingRows]:
    """The classes of a block, scaled, one after the other."""
    for c in range(rows.n_classes):
        yield scaling.rows(rows.classes(c, c + 1).read())


def moments_of(rows: StoredRows, scaling: SharedScaling) -> ClassMoments:
    """Moments of the features in each class of a block."""
    return ClassMoments.joined(class_moments(of_class) for of_class in classes_of(rows, scaling))


def entries_of(rows: StoredRows, scaling: SharedScaling) -> EntryMoments:
    """Moments of the entries in each class of a block."""
    return EntryMoments.joined(entry_moments(of_class) for of_class in classes_of(rows, scaling))


def sums_of(rows: StoredRows, scaling: SharedScaling) -> tuple[list[Floats], NDArray[np.int64]]:
    """The sum of every feature in each class of a block, and the sizes of the rows.

    The sizes are counted by the binary exponents of |x|², in the order of `exponents`.
    """
    totals: list[Floats] = []
    counts = np.zeros(N_EXPONENTS, dtype=np.int64)
    for of_class in classes_of(rows, scaling):
        totals += feature_sums(of_class)
        counts += np.bincount(exponents(norms_of_rows(of_class)), minlength=N_EXPONENTS)
    return totals, counts


def norms_of_rows(rows: TrainingRows) -> Floats:
    """|x|² of rows in memory."""
    return squared_norms(rows.X, np.zeros(rows.X.shape[1]))


def norms_of_block(rows: StoredRows, scaling: SharedScaling) -> Floats:
    """|x|² of every row of a block."""
    return np.concatenate([norms_of_rows(of_class) for of_class in classes_of(rows, scaling)])


def exponents(norms: Floats) -> NDArray[np.int64]:
    """e with 2^(e − LOWEST − 1) ≤ norm < 2^(e − LOWEST), and 0 for zero."""
    return np.where(norms > 0, np.frexp(norms)[1] + LOWEST, 0).astype(np.int64)


def centre_of(of_blocks: OfBlocks, scaling: SharedScaling, mean: Floats, counts: Any) -> Floats:
    """What `usable_centre` gives for all rows: the counts bound the median of their norms."""
    total = np.cumsum(counts)
    n = int(total[-1])
    first, last = np.searchsorted(total, [(n - 1) // 2, n // 2], side="right").tolist()
    least = 0.0 if first == 0 else 2.0 ** (first - LOWEST - 1)
    most = 0.0 if last == 0 else 2.0 ** min(last - LOWEST, 1023)
    square = mean @ mean
    if square <= FAR_MEAN * least:
        return mean
    if square > FAR_MEAN * most:
        return np.zeros_like(mean)
    return usable_centre(mean, np.concatenate(of_blocks(norms_of_block, scaling)))


class NormFigures(NamedTuple):
    """Sums of the squared norms of some rows, and of the errors of their kernel values."""

    total: Floats  # class by class
    largest: float
    errors: Floats
    least_error: float


def norms_of(
    rows: StoredRows, scaling: SharedScaling, centre: Floats, has_own_scaling: bool, form: Any
) -> NormFigures:
    """Those of each class of a block; without errors where no form of the kernel is known yet."""
    total, errors = np.empty(rows.n_classes), np.zeros(rows.n_classes)
    largest, least = 0.0, np.inf
    for c, of_class in enumerate(classes_of(rows, scaling)):
        norms = row_norms(of_class.X, centre, has_own_scaling)
        total[c] = of_classes(norms, of_class.class_start)[0]
        largest = max(largest, float(norms.max()))
        if form is not None:
            of_rows = form.errors(norms)
            errors[c] = of_classes(of_rows, of_class.class_start)[0]
            least = min(least, float(of_rows.min()))
    return NormFigures(total, largest, errors, least)


def _prepared(
    of_blocks: OfBlocks,
    n_rows: int,
    n_features: int,
    scaling: SharedScaling,
    kernel: Kernel,
    has_own_scaling: bool,
) -> PreparedKernel:
    """What `training.compiled.prepare` finds, but for the errors of the rows."""
    totals, counts = zip(*of_blocks(sums_of, scaling), strict=True)
    mean = np.asarray(sum(total for block in totals for total in block) / n_rows)
    centre = np.zeros(n_features)
    if is_centred(kernel, has_own_scaling):
        centre = centre_of(of_blocks, scaling, mean, sum(counts))
    found = _joined(of_blocks(norms_of, scaling, centre, has_own_scaling, None))
    form, contrast = form_and_contrast(
        kernel, found.largest, float(found.total.sum() / n_rows), mean, has_own_scaling
    )
    found = _joined(of_blocks(norms_of, scaling, centre, has_own_scaling, form))
    mean_error = float(found.errors.sum() / n_rows)
    return PreparedKernel(form, centre, np.empty(0), mean_error, found.least_error, contrast)


def _joined(parts: Sequence[NormFigures]) -> NormFigures:
    total, largest, errors, least = zip(*parts, strict=True)
    return NormFigures(np.concatenate(total), max(largest), np.concatenate(errors), min(least))
