"""Support vectors and coefficients as matrices, for kernel values by matrix products.

Kernels that are functions of ⟨x, s⟩ or |x − s|² are functions of one product, that of a row and a
support vector with one or two more columns:

=========== ============ ============== =========
            row          support vector function
=========== ============ ============== =========
rbf         q, 1, −|q|²  2s, −|s|², 1   exp
poly        q, 1         s, coef0       power
sigmoid     q, 1         s, coef0       tanh
=========== ============ ============== =========

where q and s are the row and the support vector, moved and scaled by a `Plan`. A machine that
standardises in its own way gives its support vectors weights of the features, and of their
squares for the rbf kernel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.machines.precision import ALLOWED_ERROR, ROUNDING_IN_DOUBLE, Plan, plan

# Sums of more products than this are added up in double precision.
MOST_TOGETHER = 1024
# Numbers of all support vectors: a model file holds 2 GiB at most.
MOST_NUMBERS = 2**27

Floats = NDArray[np.float64]


class Chunks(NamedTuple):
    """Support vectors by class, as many in every chunk; the last of a class is padded."""

    vector: NDArray[np.int64]  # (n_chunks, length): places in the pool
    coef: Floats  # (n_chunks, length, n_classes), by the other class; zero for padding
    cls: NDArray[np.int64]  # (n_chunks,)


def exportable_plan(machines: PairwiseMachines) -> Plan:
    """How rows and support vectors are moved and scaled, and the precision that is enough."""
    kernel = machines.kernel
    if kernel.name == "callable":
        raise ValueError("A kernel that is a Python function cannot be written as ONNX.")
    if kernel.name == "precomputed":
        return Plan(np.float64, {"intercept": machines.intercept}, 0.0)
    n, n_features = machines.pool.shape
    if machines.pair_scaling is not None and kernel.name != "linear":
        n = 2 * machines.n_machines * int(machines.n_support.max())
    if n * n_features > MOST_NUMBERS:
        raise ValueError(
            f"{n} support vectors of {n_features} features are too many: an ONNX model holds "
            "2 GiB at most."
        )
    planned = plan(machines)
    planned.parts.setdefault("intercept", machines.intercept)
    if planned.parts["form"] != "exp_distance" or machines.pair_scaling is not None:
        return planned
    # Here the distance is expanded all the same: in double precision.
    vectors = planned.parts["vectors"].astype(np.float64)
    size = float(np.einsum("sd,sd->s", vectors, vectors).max())
    if ROUNDING_IN_DOUBLE * size * np.linalg.norm(machines.coef) > ALLOWED_ERROR:
        raise ValueError(
            "The rows are so far apart, measured in 1 / sqrt(gamma), that matrix products cannot "
            "give their distances: standardise the features (scaling='global')."
        )
    return planned._replace(real=np.float64)


def factor_of_norm(planned: Plan) -> float:
    """What |q|² is multiplied with in the last column of a row, for the rbf kernel."""
    if planned.parts["form"] == "exp_dot":
        return float(np.log(2) * planned.parts["query_bias"])
    return -float(np.log(2))


def extended_vectors(machines: PairwiseMachines, planned: Plan) -> Floats:
    """Support vectors with the columns of the table above."""
    parts = planned.parts
    vectors = parts["vectors"].astype(np.float64)
    one = np.ones((len(vectors), 1))
    if machines.kernel.name != "rbf":
        return np.hstack([vectors, machines.kernel.coef0 * one])
    if parts["form"] == "exp_dot":
        bias = parts["vector_bias"].astype(np.float64)
    else:
        bias, vectors = -np.einsum("sd,sd->s", vectors, vectors), 2 * vectors
    return np.hstack([np.log(2) * vectors, np.log(2) * bias[:, np.newaxis], one])


def chunks_of(machines: PairwiseMachines) -> Chunks:
    """Cut the support vectors of every class into chunks of one length."""
    n_pool, k = machines.n_distinct_support, machines.n_classes
    machine = np.repeat(np.arange(machines.n_machines), machines.n_support)
    i, j = machines.pairs.astype(np.int64)[machine].T
    is_of_i = machines.coef > 0
    own, other = np.where(is_of_i, i, j), np.where(is_of_i, j, i)
    keys, entry = np.unique(own * n_pool + machines.index, return_inverse=True)
    coef = np.zeros((len(keys), k))
    np.add.at(coef, (entry, other), machines.coef)
    of_key, vector = np.divmod(keys, n_pool)
    counts = np.bincount(of_key, minlength=k)
    n_features = 1 if machines.kernel.name == "precomputed" else int(machines.pool.shape[1])
    length = best_length(counts, n_features)
    n_chunks = -(-counts // length)
    first_key, first_chunk = np.cumsum(counts) - counts, np.cumsum(n_chunks) - n_chunks
    place = first_chunk[of_key] * length + np.arange(len(keys)) - first_key[of_key]
    cls = np.repeat(np.arange(k), n_chunks)
    vectors, coefs = np.zeros(len(cls) * length, dtype=np.int64), np.zeros((len(cls) * length, k))
    vectors[place], coefs[place] = vector, coef
    return Chunks(vectors.reshape(-1, length), coefs.reshape(-1, length, k), cls)


def best_length(counts: NDArray[np.int64], n_features: int) -> int:
    """The length of chunks with which a row takes the fewest multiplications."""
    k, longest = len(counts), int(counts.max())

    def multiplications(length: int) -> Any:
        n_chunks = (-(-counts // length)).sum()
        is_one_each = length == longest and bool(counts.all())
        together = 0 if is_one_each else k * n_chunks * k
        return n_chunks * length * (n_features + k) + together

    lengths = [length for length in (longest, *range(16, longest, 16)) if length <= MOST_TOGETHER]
    return int(min(lengths, key=multiplications))


class OwnVectors(NamedTuple):
    """Support vectors of machines that standardise in their own way, as many for each."""

    centre: Floats
    weights: Floats  # (n_machines · length, columns): of (z, 1), rbf (z, 1, z²), z = x − centre
    coef: Floats  # (n_machines, length); zero for padding


def own_vectors(machines: PairwiseMachines) -> OwnVectors:
    """Support vectors as each machine weighs them."""
    own, kernel = machines.pair_scaling, machines.kernel
    assert own is not None
    pool = machines.pool.toarray() if sparse.issparse(machines.pool) else machines.pool
    pool = pool.astype(np.float64)
    centre = pool.mean(axis=0)
    length, d = int(machines.n_support.max()), pool.shape[1]
    is_rbf = kernel.name == "rbf"
    weights = np.zeros((machines.n_machines, length, 2 * d + 1 if is_rbf else d + 1))
    coef = np.zeros((machines.n_machines, length))
    for m, (first, last) in enumerate(zip(machines.start[:-1], machines.start[1:], strict=True)):
        s = pool[machines.index[first:last]] - centre
        factor = kernel.gamma * own.inverse_scale[m] ** 2
        c = own.centre[m] - centre
        coef[m, : last - first] = machines.coef[first:last]
        out = weights[m, : last - first]
        if is_rbf:
            out[:, :d], out[:, d] = 2 * factor * s, -(s**2) @ factor
            out[:, d + 1 :] = -factor
        else:
            out[:, :d] = factor * (s - c)
            out[:, d] = kernel.coef0 - out[:, :d] @ c
    return OwnVectors(centre, weights.reshape(-1, weights.shape[2]), coef)
