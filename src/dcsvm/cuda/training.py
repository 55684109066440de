"""Training on the GPU: kernel values once for all machines, and all machines side by side.

Where the kernel matrix of all rows does not fit, classes are grouped: those of two groups at a
time share one. Pairs of classes that are too large even then, or for a block of threads, are
trained by working sets, see working_set.py. Precision is chosen as in training/compiled.py: single
first, and double where that is not exact enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.cuda.device import SHARE_OF_FREE, Device
from dcsvm.cuda.kernel_matrix import kernel_matrix, ready
from dcsvm.cuda.problems import DeviceProblems, problems_on
from dcsvm.cuda.rows import DeviceRows
from dcsvm.cuda.solving import CONVERGED, NOT_A_NUMBER, KernelBlocks, Solved, Solver, most_rows
from dcsvm.cuda.solving import STOPPED_AT_MAX_ITER as STOPPED
from dcsvm.cuda.working_set import LargeProblem, solve_large
from dcsvm.data.pairs import class_pairs
from dcsvm.data.some_pairs import SomePairs
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.training.compiled import MOST_ITERATIONS, SINGLE, Precision, precisions
from dcsvm.training.problems import TrainingParameters

# Bytes of the state of machines that are trained in one go, as a part of the budget.
SHARE_OF_STATE = 0.25


def train_on_gpu(
    rows: DeviceRows,
    class_weight: NDArray[np.float64],
    parameters: TrainingParameters,
    some_pairs: SomePairs | None = None,
) -> PairwiseMachines:
    """Train all pairs of classes, or some."""
    problems = problems_on(rows, class_weight, parameters)
    pairs = class_pairs(rows.n_classes) if some_pairs is None else some_pairs.of_machine
    fits: list[Solved] = []
    left = np.arange(len(pairs))
    for precision in precisions(problems.prepared, parameters.tol):
        if len(left):
            found = _train_in(precision, problems, left, pairs, parameters)
            exact = [_exact(one, precision, parameters, rows.device) for one in found]
            fits += [_chosen(rows.device, one, ok) for one, ok in zip(found, exact, strict=True)]
            left = np.concatenate([one.machine[~ok] for one, ok in zip(found, exact, strict=True)])
    return _assembled(problems, fits, some_pairs)


class Task(NamedTuple):
    """Machines that are trained on one kernel matrix, and the classes in it."""

    classes: NDArray[np.int64]
    machines: NDArray[np.int64]


def tasks_of(
    pairs: NDArray[np.int32],
    machines: NDArray[np.int64],
    sizes: NDArray[np.int64],
    bytes_of_number: int,
    budget: float,
) -> Iterator[Task]:
    """Cut machines into tasks whose kernel matrices fit into so many bytes."""
    most = int(np.sqrt(budget / bytes_of_number))
    if len(machines) == 0:
        return
    of_machines = pairs[machines]
    classes = np.unique(of_machines).astype(np.int64)
    if sizes[classes].sum() <= most:
        yield Task(classes, machines)
        return
    group = _grouped(sizes[classes], max(most // 2, int(sizes[classes].max())))
    of_class = np.zeros(len(sizes), dtype=np.int64)
    of_class[classes] = group
    of_pair = np.sort(of_class[of_machines], axis=1)
    for a, b in combinations_with_replacement(range(int(group.max()) + 1), 2):
        own = machines[(of_pair == (a, b)).all(axis=1)]
        together = np.unique(pairs[own])
        if len(own) and sizes[together].sum() > most:
            half = len(own) // 2
            for part in (own[:half], own[half:]):
                yield from tasks_of(pairs, part, sizes, bytes_of_number, budget)
        elif len(own):
            yield Task(together.astype(np.int64), own)


def _grouped(sizes: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """The group of each class: consecutive classes of at most so many rows together."""
    group, filled = np.zeros(len(sizes), dtype=np.int64), 0
    for c, size in enumerate(sizes.tolist()):
        begins = filled + size > most and filled > 0
        group[c:] += begins
        filled = size if begins else filled + size
    return group


def budget_of(device: Device, cache_size: float | None) -> float:
    """Bytes that may be taken: what the user has set, or most of what is free."""
    free = SHARE_OF_FREE * device.free_bytes()
    return free if cache_size is None else min(cache_size * 2**20, free)


def _train_in(
    precision: Precision,
    problems: DeviceProblems,
    machines: NDArray[np.int64],
    pairs: NDArray[np.int32],
    parameters: TrainingParameters,
) -> list[Solved]:
    """Train these machines."""
    device, rows = problems.rows.device, problems.rows
    real = np.float32 if precision is SINGLE else np.float64
    sizes = np.diff(rows.class_start)
    unit_diagonal = problems.kernel.name == "rbf"
    budget = budget_of(device, parameters.cache_size)
    most_steps = parameters.max_iter if parameters.max_iter >= 0 else MOST_ITERATIONS
    solver = Solver(
        device,
        rows.class_start,
        device.array(problems.C, real),
        problems.prepared.errors,
        parameters.tol,
        min(most_steps, np.iinfo(np.int64).max),
        unit_diagonal,
    )
    of_matrices = (1 - SHARE_OF_STATE) * budget
    of_pairs = sizes[pairs[machines]].sum(axis=1)
    most = min(most_rows(device, real, unit_diagonal), np.sqrt(of_matrices / real().itemsize))
    found = [
        _large(problems, solver, int(m), pairs[m], real, budget)
        for m in machines[of_pairs > most].tolist()
    ]
    parameters.on_trained(machines[of_pairs > most].tolist())
    machines = machines[of_pairs <= most]
    for task in tasks_of(pairs, machines, sizes, real().itemsize, of_matrices):
        blocks = _matrix_of(problems, task.classes, real)
        for part in _parts(sizes[pairs[task.machines]].sum(axis=1), real, SHARE_OF_STATE * budget):
            own = task.machines[part]
            found.append(solver.solve(blocks, own, pairs[own]))
            parameters.on_trained(own.tolist())
    return found


def _large(
    problems: DeviceProblems,
    solver: Solver,
    machine: int,
    pair: NDArray[np.int32],
    real: Any,
    budget: float,
) -> Solved:
    """Train a machine of classes that are too large for the others' way."""
    device, rows, xp = problems.rows.device, problems.rows, problems.rows.device.xp
    first, second = (rows.of_class(c) for c in pair.tolist())
    numbers = xp.concatenate([xp.arange(c.start, c.stop) for c in (first, second)])
    needed = len(numbers) * (problems.X.shape[1] * 8 + 64)
    if needed > budget:
        raise MemoryError(
            f"The two largest classes together, {len(numbers):,} rows, take {needed / 1e6:,.1f} MB "
            f"of GPU memory, and {budget / 1e6:,.1f} MB may be used. Raise cache_size, or use "
            "device='cpu'."
        )
    own = ready_rows(problems, problems.X[numbers], real)
    C = solver.C[numbers]
    n_first = first.stop - first.start
    given = LargeProblem(
        own, problems.form, n_first, C, solver.tol, solver.max_iter, solver.unit_diagonal
    )
    found = solve_large(device, given)
    which = xp.flatnonzero(found.b)
    coef = found.b[which].astype(np.float64)
    support = numbers[which]
    error = xp.sqrt(xp.square(coef * solver.errors[support]).sum())
    return Solved(
        np.array([machine]),
        xp.full(1, len(which)),
        support,
        coef,
        xp.full(1, found.intercept),
        xp.full(1, found.value_range),
        xp.full(1, found.n_iter),
        xp.full(1, found.outcome),
        error.reshape(1),
    )


def _parts(sizes: NDArray[np.int64], real: Any, budget: float) -> Iterator[slice]:
    """Cut machines into runs whose variables fit into so many bytes."""
    of_variable = 2 * np.dtype(real).itemsize
    run = (np.cumsum(sizes) * of_variable // max(budget, 1)).astype(np.int64)
    edges = [0, *(1 + np.flatnonzero(np.diff(run))).tolist(), len(sizes)]
    for begin, end in pairwise(edges):
        yield slice(begin, end)


def _matrix_of(problems: DeviceProblems, classes: NDArray[np.int64], real: Any) -> KernelBlocks:
    """The kernel matrix of the rows of some classes."""
    device, rows, xp = problems.rows.device, problems.rows, problems.rows.device.xp
    X = problems.X
    if len(classes) < rows.n_classes:
        X = xp.concatenate([X[rows.of_class(c)] for c in classes.tolist()])
    own = ready_rows(problems, X, real)
    n = len(X)
    matrix = xp.empty((n, n), dtype=real)
    kernel_matrix(device, own, own, problems.form, matrix)
    first_row = np.zeros(rows.n_classes, dtype=np.int64)
    first_row[classes] = np.cumsum([0, *np.diff(rows.class_start)[classes][:-1].tolist()])
    return KernelBlocks(matrix, first_row)


def ready_rows(problems: DeviceProblems, X: Any, real: Any) -> Any:
    """Scaled rows, moved to the centre and brought to the precision of products."""
    device, prepared = problems.rows.device, problems.prepared
    vectors = X.astype(np.float64) - device.array(prepared.centre)
    if prepared.form.vector_factor != 1.0:
        vectors *= prepared.form.vector_factor
    in_double = problems.form.in_double or real is np.float64
    return ready(device, vectors.astype(np.float64 if in_double else np.float32), problems.form)


def _exact(
    found: Solved, precision: Precision, parameters: TrainingParameters, device: Device
) -> NDArray[np.bool_]:
    """Which machines are exact enough, by the rule of `training.compiled.train_variants_in`."""
    if precision is not SINGLE:
        return np.ones(len(found.machine), dtype=bool)
    error, value_range, n_support, outcome = map(
        device.to_host, (found.error, found.value_range, found.n_support, found.outcome)
    )
    enough = precision.rounding * error < parameters.tol * np.minimum(1.0, value_range)
    failures = (NOT_A_NUMBER, STOPPED) if parameters.max_iter < 0 else (NOT_A_NUMBER,)
    return np.asarray((enough | (n_support == 0)) & ~np.isin(outcome, failures))


def _chosen(device: Device, found: Solved, which: NDArray[np.bool_]) -> Solved:
    """Some of the machines."""
    if which.all():
        return found
    xp, there = device.xp, device.array(which)
    entries = xp.repeat(there, device.to_host(found.n_support).tolist())
    return Solved(
        found.machine[which],
        found.n_support[there],
        found.support[entries],
        found.coef[entries],
        *(numbers[there] for numbers in found[4:]),
    )


def _assembled(
    problems: DeviceProblems, fits: list[Solved], some_pairs: SomePairs | None
) -> PairwiseMachines:
    """Put the machines together, as `training.train.assemble`."""
    device, rows, xp = problems.rows.device, problems.rows, problems.rows.device.xp
    found = joined(device, fits)
    supports = xp.zeros(rows.n_rows, dtype=bool)
    supports[found.support] = True
    distinct = xp.flatnonzero(supports)
    index = (xp.cumsum(supports) - 1)[found.support].astype(np.int32)
    intercept = found.intercept
    if problems.kernel.name == "linear":
        intercept = intercept - _moved_by_centre(problems, found)
    start = np.concatenate([[0], np.cumsum(device.to_host(found.n_support))])
    return PairwiseMachines(
        n_classes=rows.n_classes,
        kernel=problems.kernel,
        pool=device.to_host(problems.X[distinct]),
        origin=device.to_host(rows.origin_there[distinct]),
        start=start,
        index=device.to_host(index),
        coef=device.to_host(found.coef),
        intercept=device.to_host(intercept),
        n_iter=device.to_host(found.n_iter),
        converged=device.to_host(found.outcome) == CONVERGED,
        shared_scaling=problems.scaling,
        some_pairs=some_pairs,
    )


def joined(device: Device, fits: list[Solved]) -> Solved:
    """All machines in rising order."""
    if len(fits) == 1 and (np.diff(fits[0].machine) > 0).all():
        return fits[0]
    xp = device.xp
    machine = np.concatenate([fit.machine for fit in fits])
    of_all = Solved(
        machine,
        *(xp.concatenate([fit[part] for fit in fits]) for part in range(1, len(Solved._fields))),
    )
    order = np.argsort(machine)
    there = device.array(order)
    n_support = device.to_host(of_all.n_support)
    begin = (np.cumsum(n_support) - n_support)[order]
    n_support = n_support[order]
    start = np.cumsum(n_support) - n_support
    entries = xp.arange(int(n_support.sum())) + device.array(np.repeat(begin - start, n_support))
    return Solved(
        machine[order],
        of_all.n_support[there],
        of_all.support[entries],
        of_all.coef[entries],
        *(numbers[there] for numbers in of_all[4:]),
    )


def _moved_by_centre(problems: DeviceProblems, found: Solved) -> Any:
    """What the centre adds to the intercepts of linear machines."""
    device, xp = problems.rows.device, problems.rows.device.xp
    centre = device.array(problems.prepared.centre)
    along = (problems.X.astype(np.float64) - centre) @ centre
    n_support = device.to_host(found.n_support)
    owner = device.array(np.repeat(np.arange(len(n_support)), n_support))
    weights = found.coef * along[found.support]
    return xp.bincount(owner, weights=weights, minlength=len(n_support))
