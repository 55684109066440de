"""The compiled prediction engine for a set of machines, where single precision is enough.

The kernel is brought into one of the forms of core/forms.hpp. With s and x moved to the mean
of the support vectors, which an rbf kernel does not notice, and g = γ log₂ e,

    exp(−γ |x − s|²) = 2 ^ (2g ⟨x, s⟩ − g |x|² − g |s|²).

The expanded form costs one operation per feature, but its terms cancel where g |s|² is large;
there the distance is computed as it stands, which costs two. Linear machines collapse to one
weight vector each.

Accuracy. A kernel value is off by some 2⁻²⁵ times the size of the terms it is made of, at
random: a rounding is off by 2⁻²⁴ at most, and by about half of that on average. A decision value
Σ coef · K is then off by about that much times √(Σ coef²). The engine is used where this estimate
is at most `ALLOWED_ERROR` for every machine, a thousandth of the margin, as is the solver's own
tolerance; elsewhere all stays in double precision. The terms of the expanded form are of the size
g |s|², for each s its own: where x is much larger than s, K is next to nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm._core import Engine, instruction_sets
from dcsvm.data.kernels import Kernel
from dcsvm.data.scaling import Standardisation
from dcsvm.machines.summation import in_turn

if TYPE_CHECKING:
    from dcsvm.machines.pairwise import PairwiseMachines

ALLOWED_ERROR = 1e-3
ROUNDING = 2.0**-25
# Kernels other than rbf grow with the row asked about, which may be larger than any trained on.
LARGER_ROWS = 4.0
# Above this, the terms of the expanded rbf kernel cancel too much of each other.
EXPANDABLE = 64.0

# Bytes of single-precision support vectors: the pool, and the machines' own panels.
POOL_BUDGET = 2**30
PANEL_BUDGET = 2**29

# Names the instruction set to use in place of the best one, for tests and measurements.
INSTRUCTION_SET_VARIABLE = "DCSVM_SIMD"


def instruction_set() -> str:
    """The instruction set the engine uses: the best of this processor, unless told otherwise."""
    available = instruction_sets()
    chosen = os.environ.get(INSTRUCTION_SET_VARIABLE, available[0])
    if chosen not in available:
        raise ValueError(
            f"{INSTRUCTION_SET_VARIABLE}={chosen!r}, but this processor has only "
            f"{', '.join(available)}."
        )
    return chosen


def make_engine(machines: PairwiseMachines) -> Engine | None:
    """The engine for these machines, or None where double precision is needed."""
    if not machines.kernel.is_built_in:
        return None
    n_vectors, n_features = machines.pool.shape
    if n_vectors * n_features * 4 > POOL_BUDGET:
        return None
    planned = plan(machines)
    if not planned.error <= ALLOWED_ERROR:
        return None
    return Engine(
        instruction_set=instruction_set(),
        degree=machines.kernel.degree,
        coef0=machines.kernel.coef0,
        panel_budget=PANEL_BUDGET,
        **planned.parts,
    )


class Plan(NamedTuple):
    """How machines are evaluated in single precision, and how far off their values will be."""

    parts: dict[str, Any]
    error: float


def plan(machines: PairwiseMachines) -> Plan:
    """Bring machines with a built-in kernel into the form the engine takes."""
    return _linear(machines) if machines.kernel.name == "linear" else _nonlinear(machines)


class KernelForm(NamedTuple):
    """A kernel as core/forms.hpp takes it."""

    name: str
    vector_factor: float  # a row is stored as s = vector_factor · (x − centre)
    query_factor: float  # and asks as q = query_factor · s
    bias_factor: float  # exp_dot adds bias_factor · |s|² for both
    error: float  # a kernel value is off by ROUNDING times this, and
    error_of_norm: float  # this times |s|²

    def errors(self, squared_norms: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far off the kernel values of rows are, in units of ROUNDING."""
        return self.error + self.error_of_norm * squared_norms


def kernel_form(kernel: Kernel, size: float, expandable: bool = True) -> KernelForm:
    """The form for rows of squared norm up to `size`."""
    if kernel.name == "linear":
        return KernelForm("identity", 1.0, 1.0, 0.0, LARGER_ROWS * size, 0.0)
    if kernel.name == "rbf":
        g = kernel.gamma / np.log(2)
        if expandable and 0 < g * size <= EXPANDABLE:
            return KernelForm("exp_dot", 1.0, 2 * g, -g, 2.0, g)
        return KernelForm("exp_distance", float(np.sqrt(g)), 1.0, 0.0, 2.0, 0.0)
    argument = kernel.gamma * size + abs(kernel.coef0)
    if kernel.name == "sigmoid":
        return KernelForm("tanh", 1.0, kernel.gamma, 0.0, LARGER_ROWS * (2 + argument), 0.0)
    error = LARGER_ROWS * (1 + kernel.degree) * max(argument, 1.0) ** kernel.degree
    return KernelForm("power", 1.0, kernel.gamma, 0.0, error, 0.0)


def _linear(machines: PairwiseMachines) -> Plan:
    pool, centre = _centred_pool(machines)
    coef = sparse.csr_matrix(
        (machines.coef, machines.index, machines.start),
        shape=(machines.n_machines, len(pool)),
    )
    weights = coef @ pool
    intercept = machines.intercept
    if machines.pair_scaling is None:
        intercept = intercept + weights @ centre
    else:
        own_centre = machines.pair_scaling.centre - centre
        weights = weights - np.asarray(coef.sum(axis=1)).reshape(-1, 1) * own_centre
        weights *= machines.pair_scaling.inverse_scale**2
        intercept = intercept - np.einsum("md,md->m", weights, own_centre)
    empty = np.empty(0)
    parts = {
        "form": "identity",
        **_query_map(machines, centre, 1.0),
        "query_bias": 0.0,
        "query_factor": 1.0,
        "vectors": weights.astype(np.float32),
        "vector_bias": np.zeros(len(weights), dtype=np.float32),
        "start": empty.astype(np.int64),
        "index": empty.astype(np.int32),
        "coef": empty.astype(np.float32),
        "intercept": intercept,
        "own_centre": None,
        "own_scale": None,
    }
    size = np.linalg.norm(weights, axis=1).max() * np.linalg.norm(pool, axis=1).max()
    return Plan(parts, ROUNDING * LARGER_ROWS * size)


def _nonlinear(machines: PairwiseMachines) -> Plan:
    own = machines.pair_scaling
    moves = machines.kernel.name == "rbf" or own is not None
    pool, centre = _centred_pool(machines) if moves else _pool_as_it_is(machines)
    size = _largest_squared_norm(machines, pool, centre)
    form = kernel_form(machines.kernel, size, expandable=own is None)
    error = _error(machines, form, pool)
    if error > ALLOWED_ERROR and form.name == "exp_dot":
        form = kernel_form(machines.kernel, size, expandable=False)
        error = _error(machines, form, pool)
    vectors = pool if own is not None else pool * form.vector_factor
    asks = form.vector_factor * form.query_factor if own is None else 1.0
    order = in_turn(machines.coef, machines.start)
    parts = {
        "form": form.name,
        **_query_map(machines, centre, asks),
        "query_bias": form.bias_factor / form.query_factor**2 if form.bias_factor else 0.0,
        "query_factor": form.query_factor,
        "vectors": vectors.astype(np.float32),
        "vector_bias": (form.bias_factor * np.einsum("sd,sd->s", vectors, vectors)).astype(
            np.float32
        ),
        "start": machines.start,
        "index": machines.index[order],
        "coef": machines.coef[order].astype(np.float32),
        "intercept": machines.intercept,
        **own_map(own, centre, form),
    }
    return Plan(parts, error)


def _error(machines: PairwiseMachines, form: KernelForm, pool: NDArray[np.float64]) -> float:
    """How far off the least exact machine is, about."""
    errors = form.errors(np.einsum("sd,sd->s", pool, pool))[machines.index]
    return ROUNDING * float(
        np.sqrt(np.add.reduceat((machines.coef * errors) ** 2, machines.start[:-1]).max())
    )


def own_map(
    own: Standardisation | None, centre: NDArray[np.float64], form: KernelForm
) -> dict[str, NDArray[np.float32] | None]:
    """The standardisation of every machine, for rows that have been centred."""
    if own is None:
        return {"own_centre": None, "own_scale": None}
    return {
        "own_centre": (own.centre - centre).astype(np.float32),
        "own_scale": (own.inverse_scale * form.vector_factor).astype(np.float32),
    }


def _pool_as_it_is(machines: PairwiseMachines) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    pool = machines.pool.toarray() if sparse.issparse(machines.pool) else machines.pool
    return pool.astype(np.float64), np.zeros(pool.shape[1])


def _centred_pool(machines: PairwiseMachines) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The support vectors less their mean, and the mean."""
    pool, _ = _pool_as_it_is(machines)
    centre = pool.mean(axis=0)
    return pool - centre, centre


def _query_map(
    machines: PairwiseMachines, centre: NDArray[np.float64], factor: float
) -> dict[str, NDArray[np.float64]]:
    """Centre and scale that bring rows of X to where the support vectors are."""
    scale = np.ones(len(centre))
    if machines.shared_scaling is not None:
        scale = machines.shared_scaling.inverse_scale[0]
        centre = machines.shared_scaling.centre[0] + centre / scale
    return {"centre": centre, "scale": scale * factor}


def _largest_squared_norm(
    machines: PairwiseMachines, pool: NDArray[np.float64], centre: NDArray[np.float64]
) -> float:
    """The largest |s|² of a support vector as its machine sees it."""
    own = machines.pair_scaling
    if own is None:
        return float(np.einsum("sd,sd->s", pool, pool).max())
    largest = 0.0
    for m in range(machines.n_machines):
        s = pool[machines.index[machines.start[m] : machines.start[m + 1]]]
        s = (s - (own.centre[m] - centre)) * own.inverse_scale[m]
        largest = max(largest, float(np.einsum("sd,sd->s", s, s).max()))
    return largest
