"""Machines trained by the compiled solver of core/train/smo.hpp, in single precision.

Rows are brought to the form that prediction uses (see machines/kernel_forms.py), so that the machines are
trained with the very kernel values they predict with. Where the coefficients become so large
that single precision cannot hold the values to the tolerance, a machine is not exact enough.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm._core import Cancel, Trainer
from dcsvm._util.threads import n_threads, run_long
from dcsvm.data.pairs import class_pairs
from dcsvm.machines.compiled import POOL_BUDGET, instruction_set
from dcsvm.machines.kernel_forms import KernelForm, kernel_form, own_map
from dcsvm.machines.precision import ROUNDING
from dcsvm.machines.query import core_rows
from dcsvm.training.problems import PairFit, PairProblems, TrainingParameters

# A call of the solver trains as many pairs as have this much work together, about rows squared.
WORK_OF_A_CALL = 10**6

# Iterations after which a machine is given up, with a warning, where the user sets no bound.
MOST_ITERATIONS = 10**7

# Below this, rounding keeps the solver from ever being content.
LEAST_TOLERANCE = 1e-5

CONVERGED = 0


def can_solve(problems: PairProblems, parameters: TrainingParameters) -> bool:
    """Whether the compiled solver knows the kernel, has room, and can reach the tolerance."""
    X = problems.rows.X
    fits = X.shape[0] * X.shape[1] * 4 <= POOL_BUDGET
    return problems.kernel.is_built_in and fits and parameters.tol >= LEAST_TOLERANCE


def train_compiled(
    problems: PairProblems, parameters: TrainingParameters
) -> tuple[list[PairFit], NDArray[np.int64]]:
    """Train all machines, and say which of them are not exact enough."""
    rows, (form, centre, errors) = problems.rows, _form(problems)
    threads = n_threads(parameters.n_jobs)
    cache = int(parameters.cache_size * 2**20)
    trainer = Trainer(
        instruction_set=instruction_set(),
        form=form.name,
        coef0=problems.kernel.coef0,
        degree=problems.kernel.degree,
        X=core_rows(rows.X),
        centre=centre,
        scale=np.full(len(centre), form.vector_factor if problems.scaling is None else 1.0),
        query_factor=form.query_factor,
        bias_factor=form.bias_factor,
        class_start=rows.class_start,
        C=problems.C,
        tol=parameters.tol,
        max_iter=parameters.max_iter if parameters.max_iter >= 0 else MOST_ITERATIONS,
        most_norm=parameters.tol / (ROUNDING * float(errors.min())),
        shared_budget=cache // 2,
        pair_budget=cache // 2 // threads,
        n_threads=threads,
        **own_map(problems.scaling, centre, form),
    )
    first, second = class_pairs(rows.n_classes).T.copy()
    cancel = Cancel()

    def train(machines: NDArray[np.int64]) -> list[PairFit]:
        n_support, support, coef, intercept, _, n_iter, outcome = trainer.train(
            first[machines], second[machines], machines, cancel
        )
        edges = np.cumsum(n_support)[:-1]
        return [
            PairFit(*fit)
            for fit in zip(
                np.split(support, edges),
                np.split(coef, edges),
                intercept.tolist(),
                n_iter.tolist(),
                (outcome == CONVERGED).tolist(),
                strict=True,
            )
        ]

    order = problems.largest_first()
    calls = _calls(order, np.diff(rows.class_start)[[first, second]].sum(axis=0))
    done = run_long(train, calls, parameters.n_jobs, cancel.set, parameters.trained)
    fits = [fit for call in done for fit in call]
    fits = _with_centre_undone(problems, centre, [fits[place] for place in np.argsort(order)])
    error = [ROUNDING * np.linalg.norm(fit.coef * errors[fit.support]) for fit in fits]
    return fits, np.flatnonzero(np.array(error) > parameters.tol)


def _calls(order: NDArray[np.int64], sizes: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Cut the machines, in this order, into calls of about the same work."""
    work = np.cumsum(sizes[order].astype(np.float64) ** 2)
    edges = np.flatnonzero(np.diff(work // WORK_OF_A_CALL)) + 1
    return np.split(order, edges)


def _form(problems: PairProblems) -> tuple[KernelForm, NDArray[np.float64], NDArray[np.float64]]:
    """The form of the kernel, what to take off the rows first, and how exact it is at each row."""
    kernel, X, own = problems.kernel, problems.rows.X, problems.scaling
    centre = np.zeros(X.shape[1])
    if kernel.name in ("rbf", "linear") or own is not None:
        centre = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    if own is not None:
        # Not worth a pass over all pairs: a row lies within some standard deviations.
        squared_norms = np.full(X.shape[0], 16.0 * X.shape[1])
    else:
        squared_norms = _squared_norms(X, centre)
    form = kernel_form(kernel, float(squared_norms.max()), own is None)
    return form, centre, form.errors(squared_norms)


def _squared_norms(X: Any, centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """|x − centre|² of all rows."""
    if sparse.issparse(X):
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        return np.asarray(squares - 2 * (X @ centre) + centre @ centre)
    norms = np.empty(X.shape[0])
    at_once = max(1, 2**20 // X.shape[1])
    for begin in range(0, X.shape[0], at_once):
        block = X[begin : begin + at_once] - centre
        norms[begin : begin + at_once] = np.einsum("rd,rd->r", block, block)
    return norms


def _with_centre_undone(
    problems: PairProblems, centre: NDArray[np.float64], fits: list[PairFit]
) -> list[PairFit]:
    """Intercepts for rows as they are: only a linear kernel noticed that they were moved."""
    if problems.kernel.name != "linear" or problems.scaling is not None:
        return fits
    X = problems.rows.X
    return [
        fit._replace(
            intercept=fit.intercept
            - float((fit.coef @ X[fit.support] - fit.coef.sum() * centre) @ centre)
        )
        for fit in fits
    ]
