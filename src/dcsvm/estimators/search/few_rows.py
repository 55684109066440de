"""The vote of all machines at few rows, in NumPy.

The compiled engine of a point's machines takes about a millisecond to make. That is longer than the
vote takes where rows and support vectors are few.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from dcsvm.estimators.voting import count_votes
from dcsvm.machines.pairwise import PairwiseMachines

# Multiplications that NumPy does in about the time in which an engine is made.
FEW = 10**6


def few_row_vote(machines: PairwiseMachines, X: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """The class with most votes, of equals the first, for each row of X; None: it needs an engine.

    X is dense. Rows at which values overflow need the engine too.
    """
    if not machines.kernel.is_built_in or machines.pair_scaling is not None:
        return None
    n_vectors, n_features = machines.pool.shape
    if len(X) * n_vectors * (n_features + machines.n_machines) > FEW:
        return None
    coef = np.zeros((machines.n_machines, n_vectors))
    coef[np.repeat(np.arange(len(coef)), machines.n_support), machines.index] = machines.coef
    with np.errstate(over="ignore", invalid="ignore"):
        values = (coef @ kernel_values(machines, X)).T + machines.intercept
    if not np.isfinite(values).all():
        return None
    return np.asarray(count_votes(values, machines.pairs, machines.n_classes).argmax(axis=1))


def kernel_values(machines: PairwiseMachines, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n_vectors, n_rows): of a built-in kernel, for all support vectors."""
    kernel, S = machines.kernel, np.asarray(machines.pool, dtype=np.float64)
    X = np.asarray(X, dtype=np.float64)
    if machines.shared_scaling is not None:
        X = machines.shared_scaling.apply(X)
    if kernel.name == "rbf":
        return np.asarray(np.exp(-kernel.gamma * cdist(S, X, "sqeuclidean")))
    products = S @ X.T
    if kernel.name == "poly":
        products = (kernel.gamma * products + kernel.coef0) ** kernel.degree
    elif kernel.name == "sigmoid":
        products = np.tanh(kernel.gamma * products + kernel.coef0)
    return np.asarray(products)
