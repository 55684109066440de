"""The compiled engine for a set of machines, whatever their kernel.

The support vectors of a built-in kernel are brought into the form the engine takes, in single
precision where that is enough (precision.py). Where a dense copy of them would be too large they
stay as they are stored, and are evaluated in double precision. Of other kernels the engine takes
the values: row r of X then holds the values of the kernel at row r, one column for each support
vector, or among others.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm._core import EngineDouble, EngineFloat, instruction_sets
from dcsvm.machines.interface import KernelExpansion
from dcsvm.machines.overflow import Sizes, norm_limit
from dcsvm.machines.precision import (
    Plan,
    largest_sum_of_coefficients,
    own_sizes,
    plan,
    query_map,
)
from dcsvm.machines.query import core_rows

# Bytes of single-precision support vectors: the pool, and the machines' own panels.
POOL_BUDGET = 2**30
PANEL_BUDGET = 2**29
# Sparse rows of many numbers are evaluated as they are where the entries are fewer than one in so
# many: to multiply an entry takes as long as so many numbers side by side.
SPARSE_COST, SMALL = 50, 2**20

# Names the instruction set to use in place of the best one, for tests and measurements.
INSTRUCTION_SET_VARIABLE = "DCSVM_SIMD"


# Both have the same methods, see core/predict/engine.hpp.
Engine = EngineFloat | EngineDouble


def instruction_set() -> str:
    """The instruction set in use: the best of this processor, unless the variable names one."""
    available = _available()
    chosen = os.environ.get(INSTRUCTION_SET_VARIABLE, available[0])
    if chosen not in available:
        raise ValueError(
            f"{INSTRUCTION_SET_VARIABLE}={chosen!r}, but this processor has only "
            f"{', '.join(available)}."
        )
    return chosen


@cache
def _available() -> list[str]:
    """Virtual machines take long to say what the processor has."""
    return instruction_sets()


def make_engine(machines: KernelExpansion) -> Engine:
    """The engine for these machines; it refuses rows at which values could overflow."""
    return _engine(machines, _planned(_checked(machines), in_double=False))


class UnlimitedEngine(NamedTuple):
    """An engine that refuses no row, and |q|² above which values may overflow all the same."""

    engine: Engine
    norm_limit: float


def make_unlimited_engine(machines: KernelExpansion) -> UnlimitedEngine:
    """The engine for rows that the other one refuses, in double precision."""
    planned = _planned(_checked(machines), in_double=True)
    limit = planned.parts.pop("norm_limit")
    # Infinite distances are as they should be.
    limit = np.inf if planned.parts["form"] == "exp_distance" else limit
    return UnlimitedEngine(_engine(machines, planned), limit)


def _planned(machines: KernelExpansion, in_double: bool) -> Plan:
    if not machines.kernel.is_built_in:
        return _given(machines)
    if is_better_stored(machines.pool) and not _has_few_weights(machines):
        return _stored(machines)
    return plan(machines, in_double)


def _engine(machines: KernelExpansion, planned: Plan) -> Engine:
    parts = {
        "degree": machines.kernel.degree,
        "coef0": machines.kernel.coef0,
        "query_bias": 0.0,
        "query_factor": 1.0,
        "vectors": None,
        "vector_bias": None,
        "stored": None,
        "column": None,
        "start": machines.start,
        "index": machines.index,
        "coef": machines.coef,
        "intercept": machines.intercept,
        "own_centre": None,
        "own_scale": None,
        "norm_limit": np.inf,
        **planned.parts,
    }
    compiled = EngineFloat if planned.real is np.float32 else EngineDouble
    return compiled(instruction_set=instruction_set(), panel_budget=PANEL_BUDGET, **parts)


def is_better_stored(X: Any) -> bool:
    """Whether rows are too many, or too sparse, for a dense copy of them."""
    n_numbers = X.shape[0] * X.shape[1]
    if n_numbers * 4 > POOL_BUDGET:
        return True
    is_large = sparse.issparse(X) and n_numbers > SMALL
    return bool(is_large and X.nnz * SPARSE_COST < n_numbers)


def _has_few_weights(machines: KernelExpansion) -> bool:
    """Whether a linear kernel's weight vectors, one for each machine, fit into the budget."""
    n_numbers = len(machines.intercept) * machines.pool.shape[1]
    return machines.kernel.name == "linear" and n_numbers * 4 <= POOL_BUDGET


def _checked(machines: KernelExpansion) -> KernelExpansion:
    """The same machines, their indices checked, in arrays that nobody else can write to.

    SciPy and the core take indices on trust. State from a pickle may hold anything.
    """
    start, index = machines.start.copy(), machines.index.copy()
    n_vectors, n_entries = machines.pool.shape[0], len(machines.coef)
    is_in_pool = index.min(initial=0) >= 0 and index.max(initial=0) < n_vectors
    rises = len(start) and start[0] == 0 and start[-1] == n_entries and (np.diff(start) >= 0).all()
    fits = len(start) == len(machines.intercept) + 1 and len(index) == n_entries
    if not (is_in_pool and rises and fits):
        raise ValueError("The machines are damaged: their support vectors are not in their pool.")
    pool = machines.pool
    if sparse.issparse(pool):
        pool = type(pool)((pool.data, pool.indices.copy(), pool.indptr.copy()), shape=pool.shape)
        pool.check_format(full_check=True)
    return replace(machines, start=start, index=index, pool=pool)


def columns_of_given(machines: KernelExpansion) -> NDArray[np.int32]:
    """Where in a row the kernel values of the support vectors stand, where they are given."""
    if machines.kernel.name == "precomputed":
        return np.asarray(machines.pool, dtype=np.int32)
    # With a standardisation of its own each machine has kernel values of its own.
    n = machines.pool.shape[0] if machines.pair_scaling is None else len(machines.index)
    return np.arange(n, dtype=np.int32)


def _given(machines: KernelExpansion) -> Plan:
    shared = machines.pair_scaling is None
    index = machines.index if shared else np.arange(len(machines.index), dtype=np.int32)
    parts = {
        "form": "power",  # not applied: the values are the kernel's already
        "column": columns_of_given(machines),
        "centre": np.empty(0),
        "scale": np.empty(0),
        "index": index,
    }
    return Plan(np.float64, parts, 0.0)


def _stored(machines: KernelExpansion) -> Plan:
    kernel, own = machines.kernel, machines.pair_scaling
    centre = np.zeros(machines.pool.shape[1])
    # A linear kernel is a polynomial, where weight vectors would be too large.
    linear = {"degree": 1, "coef0": 0.0} if kernel.name == "linear" else {}
    form = {"rbf": "exp_distance", "sigmoid": "tanh"}.get(kernel.name, "power")
    factor = {"rbf": kernel.gamma / np.log(2), "linear": 1.0}.get(kernel.name, kernel.gamma)
    parts = {
        "form": form,
        **linear,
        "stored": core_rows(machines.pool),
        **query_map(machines, centre),
        "query_factor": factor,
        "own_centre": None if own is None else own.centre,
        "own_scale": None if own is None else own.inverse_scale,
    }
    pool = machines.pool
    longest = float(np.abs(pool.data if sparse.issparse(pool) else pool).max(initial=0.0))
    scale = 1.0 if own is None else float(own.inverse_scale.max())
    sizes = Sizes(
        longest * float(np.sqrt(pool.shape[1])) * scale,
        largest_sum_of_coefficients(machines),
        *own_sizes(parts),
    )
    degree, coef0 = linear.get("degree", kernel.degree), linear.get("coef0", kernel.coef0)
    parts["norm_limit"] = norm_limit(parts, int(degree), coef0, factor, sizes, np.float64)
    return Plan(np.float64, parts, 0.0)
