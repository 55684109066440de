"""How support vectors are brought to a kernel form, and in which precision.

Accuracy. In single precision a kernel value is off by some 2⁻²⁵ times the size of the terms it is
made of, at random: a rounding is off by 2⁻²⁴ at most, and by about half of that on average. A
decision value Σ coef · K is then off by about that much times √(Σ coef²). Machines are evaluated
in single precision where this estimate is at most `ALLOWED_ERROR` for every machine, a thousandth
of the margin, as is the solver's own tolerance, and where rounding leaves the differences between
kernel values as they are; else in double. The terms of the expanded rbf
form are of the size g |s|², for each s its own: where x is much larger than s, K is next to
nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.machines.interface import KernelExpansion
from dcsvm.machines.kernel_forms import (
    LARGER_ROWS,
    KernelForm,
    contrast,
    kernel_form,
    own_map,
    usable_centre,
)
from dcsvm.machines.overflow import Sizes, norm_limit
from dcsvm.machines.summation import alternating_order

ALLOWED_ERROR = 1e-3
ROUNDING = 2.0**-25
ROUNDING_IN_DOUBLE = 2.0**-54
# The largest rounding error of kernel values, as a part of the differences between them.
LARGEST_BLUR = 1e-3
# Products of smaller numbers vanish in single precision.
LEAST_IN_SINGLE = 1e-30

Real = type[np.floating[Any]]


class Plan(NamedTuple):
    """How machines are evaluated, and how far off their values will be."""

    real: Real  # np.float32 or np.float64
    parts: dict[str, Any]  # arguments of the engine that differ from what make_engine assumes
    error: float


def plan(machines: KernelExpansion, in_double: bool = False, ordered: bool = True) -> Plan:
    """Bring machines with a built-in kernel into the form the engine takes.

    `in_double` is for rows for which single precision is not enough. `ordered` brings the support
    vectors of each machine into the order in which the engine sums them.
    """
    in_double = in_double or _vanish(machines.coef, machines.start)
    with np.errstate(over="ignore", invalid="ignore"):  # an error that overflows asks for double
        if machines.kernel.name == "linear":
            return _linear(machines, in_double)
        return _nonlinear(machines, in_double, ordered)


def _squared_lengths(pool: Any) -> NDArray[np.float64]:
    squares = pool.multiply(pool).sum(axis=1) if sparse.issparse(pool) else (pool**2).sum(axis=1)
    return np.asarray(squares).ravel()


def largest_sum_of_coefficients(machines: KernelExpansion) -> float:
    """The largest Σ |coef| of a machine."""
    return float(_of_machines(np.add, np.abs(machines.coef), machines.start).max())


def _vanish(coef: NDArray[np.float64], start: NDArray[np.int64]) -> bool:
    """Whether all coefficients of a machine are next to nothing in single precision."""
    return bool(_of_machines(np.maximum, np.abs(coef), start).min() < LEAST_IN_SINGLE)


def _of_machines(
    operation: np.ufunc, entries: NDArray[np.float64], start: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The entries of each machine brought together, but for machines without any."""
    return np.asarray(operation.reduceat(entries, start[:-1][np.diff(start) > 0]))


def query_map(
    machines: KernelExpansion, centre: NDArray[np.float64], factor: float = 1.0
) -> dict[str, NDArray[np.float64]]:
    """Centre and scale that bring rows of X to where the support vectors are."""
    scale = np.ones(len(centre))
    if machines.shared_scaling is not None:
        scale = machines.shared_scaling.inverse_scale[0]
        centre = machines.shared_scaling.centre[0] + centre / scale
    return {"centre": centre, "scale": scale * factor}


def _linear(machines: KernelExpansion, in_double: bool) -> Plan:
    """One weight vector for each machine."""
    if sparse.issparse(machines.pool):  # of which a dense copy may be too large
        pool, centre = machines.pool.astype(np.float64), np.zeros(machines.pool.shape[1])
    else:
        pool, centre = _dense_pool(machines, is_centred=True)
    coef = sparse.csr_matrix(
        (machines.coef, machines.index, machines.start),
        shape=(len(machines.intercept), pool.shape[0]),
    )
    weights = coef @ pool
    weights = weights.toarray() if sparse.issparse(weights) else weights
    # Coefficients of a machine add up to zero but for rounding, which is large where rows are.
    sums = np.asarray(coef.sum(axis=1)).reshape(-1, 1)
    intercept = machines.intercept
    if machines.pair_scaling is None:
        weights = weights + sums * centre
        intercept = intercept + weights @ centre
    else:
        own_centre = machines.pair_scaling.centre - centre
        weights = weights - sums * own_centre
        weights *= machines.pair_scaling.inverse_scale**2
        intercept = intercept - np.einsum("md,md->m", weights, own_centre)
    lengths = np.linalg.norm(weights, axis=1)
    size = lengths.max() * np.sqrt(_squared_lengths(pool).max())
    real, error = _precision(LARGER_ROWS * size, in_double or lengths.max() < LEAST_IN_SINGLE)
    parts = {
        "form": "identity",
        **query_map(machines, centre),
        "vectors": weights.astype(real),
        "vector_bias": np.zeros(len(weights), dtype=real),
        "start": np.empty(0, dtype=np.int64),
        "index": np.empty(0, dtype=np.int32),
        "coef": np.empty(0, dtype=real),
        "intercept": intercept,
    }
    parts["norm_limit"] = norm_limit(parts, 1, 0.0, 1.0, Sizes(float(lengths.max()), 1.0), real)
    return Plan(real, parts, error)


def _nonlinear(machines: KernelExpansion, in_double: bool, ordered: bool) -> Plan:
    own = machines.pair_scaling
    is_centred = machines.kernel.name == "rbf" or own is not None
    pool, centre = _dense_pool(machines, is_centred)
    size = _largest_squared_norm(machines, pool, centre)
    # Distances that overflow become infinite, and their kernel values zero, as is right.
    form = kernel_form(machines.kernel, size, expandable=own is None and not in_double)
    blurred = in_double or _is_blurred(machines, form, pool)
    real, error = _precision(_size_of_errors(machines, form, pool), blurred)
    if real is np.float64 and form.name == "exp_dot":
        by_distance = kernel_form(machines.kernel, size, expandable=False)
        size_of_errors = _size_of_errors(machines, by_distance, pool)
        if _precision(size_of_errors, blurred)[0] is np.float32:
            form, (real, error) = by_distance, _precision(size_of_errors)
    vectors = pool if own is not None else pool * form.vector_factor
    factor = form.vector_factor * form.query_factor if own is None else 1.0
    order = alternating_order(machines.coef, machines.start) if ordered else slice(None)
    parts = {
        "form": form.name,
        **query_map(machines, centre, factor),
        "query_bias": form.bias_factor / form.query_factor**2 if form.bias_factor else 0.0,
        "query_factor": form.query_factor,
        "vectors": vectors.astype(real),
        "vector_bias": (form.bias_factor * np.einsum("sd,sd->s", vectors, vectors)).astype(real),
        "index": machines.index[order],
        "coef": machines.coef[order].astype(real),
        **own_map(own, centre, form, real),
    }
    sizes = Sizes(
        float(np.sqrt(size)) * form.vector_factor,
        largest_sum_of_coefficients(machines),
        *own_sizes(parts),
    )
    kernel, to_come = machines.kernel, form.query_factor if own is not None else 1.0
    parts["norm_limit"] = norm_limit(parts, kernel.degree, kernel.coef0, to_come, sizes, real)
    return Plan(real, parts, error)


def own_sizes(parts: dict[str, Any]) -> tuple[float, float]:
    """The largest centre and scale of the machines' own standardisations."""
    if parts["own_scale"] is None:
        return 0.0, 1.0
    centre, scale = parts["own_centre"], parts["own_scale"]
    return float(np.linalg.norm(centre, axis=1).max()), float(np.abs(scale).max())


def _precision(size_of_errors: float, blurred: bool = False) -> tuple[Real, float]:
    """The precision that is enough, and how far off values are in it, about."""
    error = ROUNDING * size_of_errors
    if error <= ALLOWED_ERROR and not blurred:
        return np.float32, error
    return np.float64, ROUNDING_IN_DOUBLE * size_of_errors


def _is_blurred(machines: KernelExpansion, form: KernelForm, pool: NDArray[np.float64]) -> bool:
    """Whether rounding to single precision hides the differences between kernel values."""
    mean = pool.mean(axis=0)
    squared_norms = _squared_norms(machines, pool)
    if machines.pair_scaling is None:
        differences = contrast(machines.kernel, float(squared_norms.mean()), float(mean @ mean))
    else:
        differences = contrast(machines.kernel, float(pool.shape[1]), 0.0)
    rounding_error = ROUNDING * float(form.errors(squared_norms).mean())
    return 0 < LARGEST_BLUR * differences <= rounding_error


def _size_of_errors(
    machines: KernelExpansion, form: KernelForm, pool: NDArray[np.float64]
) -> float:
    """How far off the least exact machine is, about, in rounding units."""
    errors = form.errors(_squared_norms(machines, pool))[machines.index]
    squares = (machines.coef * errors) ** 2
    return float(np.sqrt(_of_machines(np.add, squares, machines.start).max()))


def _squared_norms(machines: KernelExpansion, pool: NDArray[np.float64]) -> NDArray[np.float64]:
    """|s|² of all support vectors; zero where every machine scales them in its own way."""
    if machines.pair_scaling is not None:
        return np.zeros(len(pool))
    return np.asarray(np.einsum("sd,sd->s", pool, pool))


def _dense_pool(
    machines: KernelExpansion, is_centred: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The support vectors less a centre, mostly their mean, and the centre; or as they are."""
    pool = machines.pool.toarray() if sparse.issparse(machines.pool) else machines.pool
    pool = pool.astype(np.float64)
    centre = np.zeros(pool.shape[1])
    if is_centred:
        centre = usable_centre(pool.mean(axis=0), np.einsum("sd,sd->s", pool, pool))
    pool -= centre
    return pool, centre


def _largest_squared_norm(
    machines: KernelExpansion, pool: NDArray[np.float64], centre: NDArray[np.float64]
) -> float:
    """The largest |s|² of a support vector as its machine sees it."""
    own = machines.pair_scaling
    if own is None:
        return float(np.einsum("sd,sd->s", pool, pool).max())
    largest = 0.0
    for m in range(len(machines.intercept)):
        s = pool[machines.index[machines.start[m] : machines.start[m + 1]]]
        s = (s - (own.centre[m] - centre)) * own.inverse_scale[m]
        largest = max(largest, float(np.einsum("sd,sd->s", s, s).max()))
    return largest
