"""Machines in libsvm's layout, which is that of the attributes of scikit-learn's SVC.

Support vectors stand class after class, those of a class in the order of the training rows. A
support vector of class c takes part in the k − 1 machines of c, so k − 1 coefficients are enough
for it: row r of `dual_coef_` has those for machines with class r where r < c, else with r + 1.

A machine of the linear kernel is a vector of weights w and an intercept,

    Σ coef ⟨a(x − c), a(s − c)⟩ + b = ⟨w, x⟩ + b − ⟨w, c⟩,   w = a² Σ coef (s − c),

where a and c are the scale and the centre of its standardisation, if there is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.data.scaling import Standardisation
from dcsvm.machines.pairwise import PairwiseMachines

Floats = NDArray[np.float64]


def classes_of_support(machines: PairwiseMachines) -> NDArray[np.int64]:
    """The class of each row of the pool. Coefficients are positive for a machine's first class."""
    codes = np.empty(machines.n_distinct_support, dtype=np.int64)
    codes[machines.index] = np.where(machines.coef > 0, *_classes_of_entries(machines))
    return codes


def libsvm_order(machines: PairwiseMachines) -> NDArray[np.int64]:
    """The rows of the pool, class after class, each in the order of the training rows."""
    place = np.arange(machines.n_distinct_support) if machines.origin is None else machines.origin
    return np.lexsort((place, classes_of_support(machines)))


def dual_coefficients(machines: PairwiseMachines) -> Any:
    """Coefficients, (n_classes − 1, n_support); a CSR matrix if the support vectors are one."""
    order = libsvm_order(machines)
    column = np.empty(len(order), dtype=np.int64)
    column[order] = np.arange(len(order))
    i, j = _classes_of_entries(machines)
    at = np.where(machines.coef > 0, j - 1, i), column[machines.index]
    coef = machines.coef * _square_of_unit(machines)
    shape = machines.n_classes - 1, len(order)
    if sparse.issparse(machines.pool):
        return type(machines.pool)((coef, at), shape=shape)
    dual = np.zeros(shape)
    dual[at] = coef
    return dual


def support_vectors(machines: PairwiseMachines) -> Any:
    """The training rows in the pool, as they were before any scaling, in the order of libsvm."""
    pool, scaling = machines.pool[libsvm_order(machines)], machines.shared_scaling
    if scaling is None:
        return pool
    scale, centre = (part[0].astype(pool.dtype) for part in (scaling.inverse_scale, scaling.centre))
    if sparse.issparse(pool):
        pool.data = pool.data / scale[pool.indices]
        return pool
    return pool / scale + centre


def weights_and_intercepts(machines: PairwiseMachines) -> tuple[Any, Floats]:
    """w and b − ⟨w, c⟩ of each machine of the linear kernel; w is sparse if the pool is."""
    shape = machines.n_machines, machines.n_distinct_support
    coef = sparse.csr_matrix((machines.coef, machines.index, machines.start), shape=shape)
    weights, intercepts = coef @ machines.pool, machines.intercept
    pair, shared = machines.pair_scaling, machines.shared_scaling
    if pair is not None:
        if not sparse.issparse(weights):  # sparse rows are not centred
            weights = weights - np.asarray(coef.sum(axis=1)).reshape(-1, 1) * pair.centre
        weights, intercepts = _unscaled(_times(weights, pair.inverse_scale), intercepts, pair)
    if shared is not None:  # the rows of the pool have it behind them
        weights, intercepts = _unscaled(weights, intercepts, shared)
    return weights, intercepts


def _unscaled(weights: Any, intercepts: Floats, scaling: Standardisation) -> tuple[Any, Floats]:
    """The same values, by features that are not yet scaled."""
    weights = _times(weights, scaling.inverse_scale)
    if sparse.issparse(weights):
        return weights, intercepts
    return weights, intercepts - (weights * scaling.centre).sum(axis=1)


def _times(weights: Any, scale: Floats) -> Any:
    return weights.multiply(scale).tocsr() if sparse.issparse(weights) else weights * scale


def _classes_of_entries(machines: PairwiseMachines) -> tuple[NDArray[Any], NDArray[Any]]:
    """The first and the second class of the machine of each coefficient."""
    i, j = np.repeat(machines.pairs, machines.n_support, axis=0).T.astype(np.int64)
    return i, j


def _square_of_unit(machines: PairwiseMachines) -> float:
    """The factor of the coefficients where the rows of a linear kernel were divided by a number."""
    if machines.kernel.name != "linear" or machines.shared_scaling is None:
        return 1.0
    scale, centre = machines.shared_scaling.inverse_scale[0], machines.shared_scaling.centre[0]
    return 1.0 if centre.any() or (scale != scale[0]).any() else float(scale[0]) ** 2
