"""Machines trained by the compiled solver of core/train, in single or double precision.

Rows are brought to the form that prediction uses (machines/kernel_forms.py), so that machines are
trained with the very kernel values they predict with.

Single precision is tried first. It is exact enough where the error that rounding of kernel values
leaves in the values of a machine, estimated as in machines/precision.py, is below the tolerance;
and where the values at all rows lie closer together than one, the same relative to their range,
as their signs would be noise otherwise. All other machines are trained again in double precision.
So are all from the start where rounding blurs the differences between kernel values, or where the
tolerance is below `LEAST_TOLERANCE`.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm._core import Cancel, Trainer
from dcsvm._util.batches import NUMBERS_AT_ONCE, slices
from dcsvm._util.threads import n_threads, run_long
from dcsvm.data.kernels import Kernel
from dcsvm.data.moments import feature_sums, of_classes
from dcsvm.data.rows import TrainingRows
from dcsvm.machines.compiled import POOL_BUDGET, instruction_set
from dcsvm.machines.kernel_forms import KernelForm, contrast, kernel_form, own_map, usable_centre
from dcsvm.machines.precision import LARGEST_BLUR, ROUNDING, ROUNDING_IN_DOUBLE
from dcsvm.machines.query import core_rows
from dcsvm.training.caching import cache_bytes
from dcsvm.training.problems import (
    FitArrays,
    PairFits,
    PairProblems,
    ProblemVariants,
    TrainingParameters,
)


class Precision(NamedTuple):
    """The type of kernel values."""

    name: str  # in the core
    rounding: float  # of a value of size one, on average
    itemsize: int


SINGLE = Precision("single", ROUNDING, 4)
DOUBLE = Precision("double", ROUNDING_IN_DOUBLE, 8)

# Below this, rounding to single precision keeps the solver from converging.
LEAST_TOLERANCE = 1e-5

# A call of the solver trains as many pairs as have this much work together, about rows squared.
WORK_OF_A_CALL = 10**7

# A single call runs in the thread of the caller, which cannot be interrupted meanwhile, as long as
# all machines together take no more than this many steps of the solver over a row, well within a
# second. A step over fewer rows than these takes as long.
SHORT_CALL = 10**8
LEAST_STEP = 100

# Iterations after which a machine is given up, with a warning, where the user sets no bound.
MOST_ITERATIONS = 10**7

CONVERGED, STOPPED_AT_MAX_ITER, CANCELLED, INEXACT = range(4)


class PreparedKernel(NamedTuple):
    """The kernel of all problems as the core computes it."""

    form: KernelForm
    centre: NDArray[np.float64]  # to be subtracted from the rows
    errors: NDArray[np.float64]  # of kernel values at each row, in roundings
    mean_error: float  # these two: of all rows
    least_error: float
    contrast: float  # mean of K(s, s) − K(s, t) over rows s and t, about


def train_compiled(
    problems: PairProblems, parameters: TrainingParameters, kernel: PreparedKernel | None = None
) -> PairFits:
    """Train all machines for which memory suffices."""
    alone = ProblemVariants.of_one(problems.C)
    return train_variants_compiled(problems, alone, parameters, kernel)[0]


def train_variants_compiled(
    problems: PairProblems,
    variants: ProblemVariants,
    parameters: TrainingParameters,
    kernel: PreparedKernel | None = None,
) -> list[PairFits]:
    """The same for variants of the problems, whose C are not those of `problems`."""
    kernel = prepare(problems) if kernel is None else kernel
    fits = [PairFits([])] * len(variants)
    for precision in precisions(kernel, parameters.tol):
        left = problems.largest_first(but=fits[0])
        if len(left) and _memory_suffices(problems, left, precision):
            more = train_variants_in(precision, problems, variants, kernel, left, parameters)
            fits = [known | found for known, found in zip(fits, more, strict=True)]
    return fits


def precisions(kernel: PreparedKernel, tol: float) -> list[Precision]:
    """The precisions to be tried, one after the other."""
    blur = SINGLE.rounding * kernel.mean_error
    if tol < LEAST_TOLERANCE or not blur < LARGEST_BLUR * kernel.contrast:
        return [DOUBLE]
    return [SINGLE, DOUBLE]


def train_in(
    precision: Precision,
    problems: PairProblems,
    kernel: PreparedKernel,
    machines: NDArray[np.int64],
    parameters: TrainingParameters,
) -> PairFits:
    """Train these machines, in the given order, and return those that are exact enough.

    Double precision, the best there is, counts as enough.
    """
    alone = ProblemVariants.of_one(problems.C)
    return train_variants_in(precision, problems, alone, kernel, machines, parameters)[0]


def train_variants_in(
    precision: Precision,
    problems: PairProblems,
    variants: ProblemVariants,
    kernel: PreparedKernel,
    machines: NDArray[np.int64],
    parameters: TrainingParameters,
) -> list[PairFits]:
    """The same for all variants, of a machine that is exact enough in each of them."""
    pairs = problems.pairs[machines]
    first, second = pairs.T.copy()
    cancel = Cancel()
    fits: dict[int, list[FitArrays]] = {}  # of every variant, by the first machine of the call
    # Where the user sets no bound on the iterations, a machine is expected to converge.
    failures = (INEXACT, STOPPED_AT_MAX_ITER) if parameters.max_iter < 0 else (INEXACT,)

    def train(trainer: Trainer, call: slice) -> bool:
        """Keep the machines of a call; whether any stopped before it converged."""
        trained = trainer.train(first[call], second[call], machines[call], cancel)
        n_support, support, coef, intercept, n_iter, outcome, value_range = trained
        n = len(n_support) // len(variants)  # a cancelled call trains fewer
        machine = np.repeat(machines[call][:n], len(variants))
        fit = FitArrays(machine, n_support, support, coef, intercept, n_iter, outcome == CONVERGED)
        exact = np.ones(n, dtype=bool)
        if precision is SINGLE:
            # Without rows of one of its classes, a machine has no support, and no error.
            least = parameters.tol * np.minimum(1.0, value_range)
            enough = (_rounding_errors(fit, kernel) < least) | (n_support == 0)
            exact = (enough & ~np.isin(outcome, failures)).reshape(n, -1).all(axis=1)
        fit = _with_centre_undone(problems, kernel.centre, fit)
        variant = np.tile(np.arange(len(variants)), n)
        chosen = np.repeat(exact, len(variants))
        fits[call.start] = [fit.chosen(chosen & (variant == v)) for v in range(len(variants))]
        return bool((outcome == STOPPED_AT_MAX_ITER).any())

    def report(call: slice) -> None:
        parameters.on_trained(fits[call.start][0].machine.tolist())

    def trainer_with(max_iter: int) -> Trainer:
        n = len(machines)
        return _trainer(precision, problems, variants, kernel, n, parameters, max_iter)

    sizes = np.diff(problems.rows.class_start)[pairs].sum(axis=1)
    calls, most = _calls(sizes), most_iterations(parameters)
    soon = min(most, SHORT_CALL // int(np.maximum(sizes, LEAST_STEP).sum() * len(variants)))
    stopped = len(calls) > 1 or soon == 0 or train(trainer_with(soon), calls[0])
    if not stopped or (len(calls) == 1 and soon == most):
        report(calls[0])
    else:
        run_long(partial(train, trainer_with(most)), calls, parameters.n_jobs, cancel.set, report)
    return [PairFits(found) for found in zip(*fits.values(), strict=True)]


def _rounding_errors(fit: FitArrays, kernel: PreparedKernel) -> NDArray[np.float64]:
    """The errors of the values of machines in single precision."""
    owner = np.repeat(np.arange(len(fit.machine)), fit.n_support)
    with np.errstate(over="ignore"):  # an infinite error is too large, as it should be
        squares = np.square(fit.coef * kernel.errors[fit.support])
        total = np.bincount(owner, squares, minlength=len(fit.machine))
        return np.asarray(SINGLE.rounding * np.sqrt(total))


def most_iterations(parameters: TrainingParameters) -> int:
    """The bound on the iterations of a machine."""
    most = parameters.max_iter if parameters.max_iter >= 0 else MOST_ITERATIONS
    return min(most, int(np.iinfo(np.int64).max))


def _trainer(
    precision: Precision,
    problems: PairProblems,
    variants: ProblemVariants,
    kernel: PreparedKernel,
    n_machines: int,
    parameters: TrainingParameters,
    max_iter: int,
) -> Trainer:
    form, centre, own = kernel.form, kernel.centre, problems.scaling
    # Rows of zeros have kernel values without an error.
    smallest_error = precision.rounding * kernel.least_error
    limit = parameters.tol / smallest_error if smallest_error else np.inf
    threads = n_threads(parameters.n_jobs)
    n_rows, n_features = np.diff(problems.rows.class_start), problems.rows.X.shape[1]
    cache = cache_bytes(parameters.cache_size, n_rows, n_features, precision.itemsize, threads)
    return Trainer(
        precision=precision.name,
        instruction_set=instruction_set(),
        form=form.name,
        coef0=problems.kernel.coef0,
        degree=problems.kernel.degree,
        X=core_rows(problems.rows.X),
        centre=centre,
        scale=np.full(len(centre), form.vector_factor if own is None else 1.0),
        query_factor=form.query_factor,
        bias_factor=form.bias_factor,
        class_start=problems.rows.class_start,
        C=variants.C,
        start=variants.start,
        place=variants.place,
        values=variants.values,
        tol=parameters.tol,
        max_iter=max_iter,
        norm_limit=np.inf if precision is DOUBLE else limit,
        shared_budget=cache.shared,
        pair_budget=cache.of_thread,
        n_pairs=n_machines,
        n_threads=threads,
        **own_map(own, centre, form, np.float64),
    )


def _memory_suffices(
    problems: PairProblems, machines: NDArray[np.int64], precision: Precision
) -> bool:
    """Whether there is room for the rows of these machines."""
    rows = problems.rows
    classes = np.unique(problems.pairs[machines])
    n_rows = int(np.diff(rows.class_start)[classes].sum())
    return n_rows * int(rows.X.shape[1]) * precision.itemsize <= POOL_BUDGET


def _calls(sizes: NDArray[np.int64]) -> list[slice]:
    """Cut machines of these sizes into calls of about the same work."""
    work = np.cumsum(sizes.astype(np.float64) ** 2)
    edges = np.flatnonzero(np.diff(work // WORK_OF_A_CALL)) + 1
    return [slice(a, b) for a, b in pairwise([0, *edges.tolist(), len(sizes)])]


def prepare(problems: PairProblems) -> PreparedKernel:
    """The form of the kernel for these rows, and how exact it is."""
    kernel, rows, has_own_scaling = problems.kernel, problems.rows, problems.scaling is not None
    n_features = rows.X.shape[1]
    mean = _mean(rows)
    centre = np.zeros(n_features)
    if is_centred(kernel, has_own_scaling):
        centre = usable_centre(mean, squared_norms(rows.X, centre))
    norms = row_norms(rows.X, centre, has_own_scaling)
    form, differences = form_and_contrast(
        kernel,
        float(norms.max()),
        float(of_classes(norms, rows.class_start).sum() / rows.n_rows),
        mean,
        has_own_scaling,
    )
    errors = form.errors(norms)
    mean_error = of_classes(errors, rows.class_start).sum() / rows.n_rows
    least = float(errors.min())
    return PreparedKernel(form, centre, errors, float(mean_error), least, differences)


def is_centred(kernel: Kernel, has_own_scaling: bool) -> bool:
    """Whether rows are moved before kernel values are computed."""
    return kernel.name in ("rbf", "linear") or has_own_scaling


def form_and_contrast(
    kernel: Kernel,
    largest_norm: float,
    mean_norm: float,
    mean: NDArray[np.float64],
    has_own_scaling: bool,
) -> tuple[KernelForm, float]:
    """The form of the kernel for rows of such squared norms, and how far its values differ."""
    form = kernel_form(kernel, largest_norm, not has_own_scaling)
    typical_norm = float(len(mean)) if has_own_scaling else mean_norm
    norm_of_mean = 0.0 if is_centred(kernel, has_own_scaling) else float(mean @ mean)
    return form, contrast(kernel, typical_norm, norm_of_mean)


def _mean(rows: TrainingRows) -> NDArray[np.float64]:
    if sparse.issparse(rows.X):
        return np.asarray(rows.X.mean(axis=0, dtype=np.float64)).ravel()
    return np.asarray(sum(feature_sums(rows)) / rows.n_rows)


def row_norms(X: Any, centre: NDArray[np.float64], has_own_scaling: bool) -> NDArray[np.float64]:
    """About |x − centre|² of all rows, as machines see them."""
    if has_own_scaling:
        # Not worth a pass over all pairs: a row lies within some standard deviations.
        return np.full(X.shape[0], 16.0 * X.shape[1])
    return squared_norms(X, centre)


def squared_norms(X: Any, centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """|x − centre|² of all rows."""
    if sparse.issparse(X):
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        return np.asarray(squares - 2 * (X @ centre) + centre @ centre)
    norms = np.empty(X.shape[0])
    for block in slices(X.shape[0], max(1, NUMBERS_AT_ONCE // X.shape[1])):
        centred = X[block] - centre
        norms[block] = np.einsum("rd,rd->r", centred, centred)
    return norms


def _with_centre_undone(
    problems: PairProblems, centre: NDArray[np.float64], fit: FitArrays
) -> FitArrays:
    """The intercepts for rows as they are: only a linear kernel changes when they are moved."""
    if problems.kernel.name != "linear" or problems.scaling is not None:
        return fit
    X, moved = problems.rows.X, fit.intercept.copy()
    start = np.concatenate([[0], np.cumsum(fit.n_support)])
    for t, (begin, end) in enumerate(pairwise(start.tolist())):
        coef, support = fit.coef[begin:end], fit.support[begin:end]
        moved[t] -= float((coef @ X[support] - coef.sum() * centre) @ centre)
    return fit._replace(intercept=moved)
