"""The compiled engine for a set of machines, whatever their kernel.

The support vectors of a built-in kernel are brought into the form the engine takes, in single
precision where that is enough (precision.py). Where a dense copy of them would be too large they
stay as they are stored, and are evaluated in double precision. Of other kernels the engine takes
the values: row r of X then holds the values of the kernel at row r, one column for each support
vector, or among others.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import EngineDouble, EngineFloat, instruction_sets
from dcsvm.machines.interface import KernelExpansion
from dcsvm.machines.precision import Plan, plan, query_map
from dcsvm.machines.query import core_rows

# Bytes of single-precision support vectors: the pool, and the machines' own panels.
POOL_BUDGET = 2**30
PANEL_BUDGET = 2**29

# Names the instruction set to use in place of the best one, for tests and measurements.
INSTRUCTION_SET_VARIABLE = "DCSVM_SIMD"


# Both have the same methods, see core/predict/engine.hpp.
Engine = EngineFloat | EngineDouble


def instruction_set() -> str:
    """The instruction set in use: the best of this processor, unless the variable names one."""
    available = instruction_sets()
    chosen = os.environ.get(INSTRUCTION_SET_VARIABLE, available[0])
    if chosen not in available:
        raise ValueError(
            f"{INSTRUCTION_SET_VARIABLE}={chosen!r}, but this processor has only "
            f"{', '.join(available)}."
        )
    return chosen


def make_engine(machines: KernelExpansion) -> Engine:
    """The engine for these machines."""
    if not machines.kernel.is_built_in:
        planned = _given(machines)
    elif machines.pool.shape[0] * machines.pool.shape[1] * 4 > POOL_BUDGET:
        planned = _stored(machines)
    else:
        planned = plan(machines)
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
        **planned.parts,
    }
    compiled = EngineFloat if planned.real is np.float32 else EngineDouble
    return compiled(instruction_set=instruction_set(), panel_budget=PANEL_BUDGET, **parts)


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
    # A linear kernel is a polynomial: weight vectors could be as large as the support vectors.
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
    return Plan(np.float64, parts, 0.0)
