"""Machines as tables: from a row of features to decision values by the fewest operations.

A row x becomes q = (x − centre) · scale. With s = offset + step · code for support vectors, moved
to their mean where the kernel does not notice, and g = γ log₂ e, the kernels are

    rbf             2 ^ (⟨q, code⟩ + bias(q) + vector_bias)    where expanding loses nothing,
                    2 ^ −Σ weight (q − code)²                  else, or where machines scale;
    poly, sigmoid   (⟨q, code⟩ + bias(q)) ^ degree, tanh(⟨q, code⟩ + bias(q)).

bias(q) = coef0 + Σ q (bias_square · q + bias_linear) holds what the offsets add. A machine that
standardises in its own way has weights of its own, or for a product, a map of q.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm._core import EngineFloat
from dcsvm.data.kernels import Kernel
from dcsvm.export.errors import ExportError
from dcsvm.export.support import Codes, Floats, encode
from dcsvm.machines.compiled import POOL_BUDGET
from dcsvm.machines.kernel_forms import usable_centre
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.machines.precision import plan

Tables = dict[str, NDArray[Any]]
FUNCTIONS = {"rbf": "exp2", "poly": "power", "sigmoid": "tanh", "linear": "none"}


@dataclass(frozen=True)
class MachineTables:
    """Machines as tables, with the map that rows go through before.

    `product` is "dot", "distance", "weighted", "own_weighted" or "own_dot".
    """

    product: str
    function: str
    centre: Floats
    scale: Floats
    tables: Tables
    coef0: float = 0.0
    degree: int = 0
    has_bias: bool = False
    stored: PairwiseMachines | None = None  # the same machines with what rounding has left
    place_of: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))


def real_of(machines: PairwiseMachines) -> type[np.floating[Any]]:
    """The precision in which Python evaluates these machines."""
    return np.float32 if isinstance(machines.engine, EngineFloat) else np.float64


def check_kernel(machines: Any) -> None:
    """Refuse machines whose values cannot be computed from features by tables."""
    if not isinstance(machines, PairwiseMachines):
        raise ExportError(
            "Machines made of other estimators cannot be exported: fit a DCSVC in place of the "
            "DivideAndConquerClassifier."
        )
    if machines.kernel.name == "precomputed":
        raise ExportError(
            "A model with kernel='precomputed' cannot be exported, since it does not know the "
            "features of its support vectors: fit it with a kernel by name."
        )
    if not machines.kernel.is_built_in:
        raise ExportError(
            "A kernel that is a Python function cannot be exported: use kernel='linear', 'poly', "
            "'rbf' or 'sigmoid'."
        )


def machine_tables(
    machines: PairwiseMachines,
    kept: NDArray[np.int64],
    landmarks: NDArray[np.int32] | None,
    support: str,
    real: type[np.floating[Any]],
) -> MachineTables:
    """The tables of the machines in `kept`."""
    if machines.kernel.name == "linear":
        return _linear(machines, kept, real)
    of_kept = np.concatenate([np.arange(machines.start[m], machines.start[m + 1]) for m in kept])
    used = np.zeros(machines.n_distinct_support, dtype=bool)
    used[machines.index[of_kept]] = True
    used[[] if landmarks is None else landmarks] = True
    place_of = np.cumsum(used) - 1
    pool = _dense(machines.pool)[used]
    own, kernel = machines.pair_scaling, machines.kernel
    centre = np.zeros(pool.shape[1])
    if kernel.name == "rbf" or own is not None:
        centre = usable_centre(pool.mean(axis=0), np.einsum("sd,sd->s", pool, pool))
    codes = encode(pool - centre, support, real)
    coef, coef_scale = _coefficients(machines, of_kept, kept, support, real)
    n_entries = np.diff(machines.start)[kept]
    start = np.concatenate([[0], np.cumsum(n_entries)])
    tables: Tables = {
        "start": start.astype(np.uint32),
        "support_of": _unsigned(place_of[machines.index[of_kept]], int(used.sum())),
        "coef": coef,
        **({} if coef_scale is None else {"coef_scale": coef_scale}),
        "intercept": machines.intercept[kept],
    }
    values = coef.astype(np.float64)
    if coef_scale is not None:
        values = values * np.repeat(coef_scale, n_entries)
    stored_coef = machines.coef.copy()
    stored_coef[of_kept] = values
    stored_pool = _dense(machines.pool)
    stored_pool[used] = codes.values + centre
    made = _with_products(machines, kept, codes, centre, tables, real)
    stored = _replaced(machines, stored_pool, stored_coef)
    return MachineTables(
        **made,
        function=FUNCTIONS[kernel.name],
        coef0=_coef0(kernel),
        degree=kernel.degree,
        stored=stored,
        place_of=place_of,
    )


def _with_products(
    machines: PairwiseMachines,
    kept: NDArray[np.int64],
    codes: Codes,
    centre: Floats,
    tables: Tables,
    real: type[np.floating[Any]],
) -> dict[str, Any]:
    kernel, own = machines.kernel, machines.pair_scaling
    x_centre, x_scale = _input_map(machines, centre)
    step, offset = codes.step, codes.offset
    if kernel.name != "rbf":
        if own is None:
            tables |= {"bias_square": np.zeros(len(step)), "bias_linear": offset / step}
            return {
                "product": "dot",
                "centre": x_centre,
                "scale": x_scale * kernel.gamma * step,
                "tables": tables | {"support": codes.code},
                "has_bias": True,
            }
        own_centre = own.centre[kept] - centre
        tables |= {
            "own_centre": own_centre.astype(real),
            "own_scale": (own.inverse_scale[kept] ** 2 * kernel.gamma * step).astype(real),
            "own_shift": ((offset - own_centre) / step).astype(real),
        }
        return {
            "product": "own_dot",
            "centre": x_centre,
            "scale": x_scale,
            "tables": tables | {"support": codes.code},
        }
    g = kernel.gamma / np.log(2)
    if own is None and _is_expanded(machines):
        values = codes.values
        tables |= {
            "bias_square": -1 / (4 * g * step**2),
            "bias_linear": offset / step,
            "vector_bias": (-g * np.einsum("sd,sd->s", values, values)).astype(real),
        }
        return {
            "product": "dot",
            "centre": x_centre,
            "scale": x_scale * 2 * g * step,
            "tables": tables | {"support": codes.code},
            "has_bias": True,
        }
    weight = np.full(len(step), g) * step**2
    if own is not None:
        tables["distance_weight"] = (own.inverse_scale[kept] ** 2 * weight).astype(real)
        product = "own_weighted"
    elif codes.is_float and g > 0:  # the weight goes into the support vectors
        factor = np.sqrt(g)
        return {
            "product": "distance",
            "centre": x_centre,
            "scale": x_scale * factor,
            "tables": tables | {"support": (codes.values * factor).astype(real)},
        }
    else:
        tables["distance_weight"] = weight.astype(real)
        product = "weighted"
    return {
        "product": product,
        "centre": x_centre + offset / x_scale,
        "scale": x_scale / step,
        "tables": tables | {"support": codes.code},
    }


def _is_expanded(machines: PairwiseMachines) -> bool:
    """Whether Python evaluates the rbf kernel as a product, which costs less than a distance."""
    if machines.pool.shape[0] * machines.pool.shape[1] * 4 > POOL_BUDGET:
        return False
    return bool(plan(machines).parts["form"] == "exp_dot")


def _linear(
    machines: PairwiseMachines, kept: NDArray[np.int64], real: type[np.floating[Any]]
) -> MachineTables:
    """A weight vector for each machine."""
    pool = _dense(machines.pool)
    centre = usable_centre(pool.mean(axis=0), np.einsum("sd,sd->s", pool, pool))
    shape = machines.n_machines, len(pool)
    coef = sparse.csr_matrix((machines.coef, machines.index, machines.start), shape=shape)
    weights, sums = coef @ (pool - centre), np.asarray(coef.sum(axis=1)).reshape(-1, 1)
    intercept = machines.intercept
    if machines.pair_scaling is None:
        intercept = intercept + weights @ centre
    else:
        own_centre = machines.pair_scaling.centre - centre
        weights = (weights - sums * own_centre) * machines.pair_scaling.inverse_scale**2
        intercept = intercept - np.einsum("md,md->m", weights, own_centre)
    x_centre, x_scale = _input_map(machines, centre)
    tables = {"support": weights[kept].astype(real), "intercept": intercept[kept]}
    return MachineTables("dot", "none", x_centre, x_scale, tables)


def _input_map(machines: PairwiseMachines, centre: Floats) -> tuple[Floats, Floats]:
    """What brings rows to where the support vectors are, less a centre."""
    shared = machines.shared_scaling
    if shared is None:
        return centre, np.ones(len(centre))
    scale = shared.inverse_scale[0]
    return shared.centre[0] + centre / scale, scale.copy()


def _coefficients(
    machines: PairwiseMachines,
    of_kept: NDArray[np.int64],
    kept: NDArray[np.int64],
    support: str,
    real: type[np.floating[Any]],
) -> tuple[NDArray[Any], Floats | None]:
    """Coefficients; 16-bit ones, and what to multiply those of each machine by, beside codes."""
    coef = machines.coef[of_kept]
    if support not in ("int8", "int16"):
        return coef.astype(real), None
    lengths = np.diff(machines.start)[kept]
    first = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    largest = np.maximum.reduceat(np.abs(coef), first)
    scale = np.where(largest > 0, largest, 1.0) / np.iinfo(np.int16).max
    return np.rint(coef / np.repeat(scale, lengths)).astype(np.int16), scale


def _coef0(kernel: Kernel) -> float:
    return kernel.coef0 if kernel.name in ("poly", "sigmoid") else 0.0


def _dense(pool: Any) -> Floats:
    return np.array(pool.toarray() if sparse.issparse(pool) else pool, dtype=np.float64)


def _unsigned(places: NDArray[np.int64], n: int) -> NDArray[Any]:
    return places.astype(np.uint16 if n <= 2**16 else np.uint32)


def _replaced(machines: PairwiseMachines, pool: Floats, coef: Floats) -> PairwiseMachines:
    return replace(machines, pool=pool, coef=coef)
