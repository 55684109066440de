"""The values of all machines at a batch of rows, by dense matrix products.

Support vectors stand by the class they belong to. A support vector s of class c takes part in the
machines of c and every other class d, with a coefficient for each. The kernel values with
the support vectors of c, times their coefficients, are what c adds to its machines; the value
of a machine is what its two classes add, and its intercept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.onnx.graph import DOUBLE, FLOAT, Graph
from dcsvm.onnx.support_vectors import (
    chunks_of,
    exportable_plan,
    extended_vectors,
    factor_of_norm,
    own_vectors,
)


class BatchValues:
    """Writes kernel values and decision values into a graph.

    Parameters
    ----------
    graph : Graph
    machines : PairwiseMachines
    X : str
        The rows, in double precision.
    """

    def __init__(self, graph: Graph, machines: PairwiseMachines, X: str) -> None:
        self.graph, self.machines, self.X = graph, machines, X
        self.plan = exportable_plan(machines)
        self.real = FLOAT if self.plan.real is np.float32 else DOUBLE
        self.moved_rows = X if machines.kernel.name == "precomputed" else self._moved_rows()

    def _moved_rows(self) -> str:
        """The rows moved and scaled as the support vectors are, in double precision."""
        g, parts = self.graph, self.plan.parts
        centred = g.add("Sub", self.X, g.constant(parts["centre"], "centre"))
        return g.add("Mul", centred, g.constant(parts["scale"], "scale"))

    def values(self) -> str:
        """The values of all machines, shape (n, n_machines), in double precision."""
        g, machines = self.graph, self.machines
        if machines.kernel.name == "linear":
            query = g.cast(self.moved_rows, self.real)
            weights = g.constant(self.plan.parts["vectors"].T, "weights")
            sums = g.cast(g.add("MatMul", query, weights), DOUBLE)
        elif machines.pair_scaling is not None:
            sums = self._sums_of_own_kernels()
        else:
            sums = self._sums_of_shared_kernel()
        return g.add("Add", sums, g.constant(self.plan.parts["intercept"], "intercept"))

    def kernel(self, vector: NDArray[np.int64]) -> str:
        """Kernel values with support vectors: chunks (c, l) give (c, n, l), a list (n, l)."""
        g = self.graph
        if self.machines.kernel.name == "precomputed":
            columns = g.constant(np.asarray(self.machines.pool, dtype=np.int64)[vector])
            found = g.add("Gather", self.X, columns, axis=1)
            return found if vector.ndim == 1 else g.add("Transpose", found, perm=[1, 0, 2])
        vectors = np.swapaxes(extended_vectors(self.machines, self.plan)[vector], -1, -2)
        vectors = vectors.astype(self.plan.real)
        return self._function(
            g.add("MatMul", self._extended_rows(), g.constant(vectors, "vectors"))
        )

    def _extended_rows(self) -> str:
        g, query = self.graph, self.moved_rows
        rows = g.add("Pad", query, g.int64(0, 0, 0, 1), g.constant(1.0))
        if self.machines.kernel.name == "rbf":
            norm = g.add("ReduceSum", g.add("Mul", query, query), g.int64(1), keepdims=1)
            last = g.add("Mul", norm, g.constant(factor_of_norm(self.plan)))
            rows = g.add("Concat", rows, last, axis=1)
        return g.cast(rows, self.real)

    def _function(self, product: str) -> str:
        """The kernel, as a function of the product of a row and a support vector."""
        g, kernel = self.graph, self.machines.kernel
        if kernel.name != "poly":
            return g.add({"rbf": "Exp", "sigmoid": "Tanh"}[kernel.name], product)
        if kernel.degree == 0:
            return g.add("Pow", product, g.constant(np.zeros((), dtype=self.plan.real)))
        result, power, degree = "", product, kernel.degree
        while degree > 0:
            if degree % 2 == 1:
                result = g.add("Mul", result, power) if result else power
            degree //= 2
            if degree > 0:
                power = g.add("Mul", power, power)
        return result

    def _sums_of_shared_kernel(self) -> str:
        g, k = self.graph, self.machines.n_classes
        chunks = chunks_of(self.machines)
        coef = g.constant(chunks.coef.astype(self.plan.real), "coef")
        added = g.add("MatMul", self.kernel(chunks.vector), coef)  # (n_chunks, n, k)
        added = g.add("Transpose", added, perm=[1, 2, 0])
        if not np.array_equal(chunks.cls, np.arange(k)):
            is_of_class = chunks.cls[:, np.newaxis] == np.arange(k)
            added = g.add("MatMul", added, g.constant(is_of_class.astype(self.plan.real)))
        # Cast only now: onnxruntime 1.31.1 crashes when it loads a product of what was transposed
        # and then cast to double.
        added = g.add("Reshape", g.cast(added, DOUBLE), g.int64(-1, k * k))  # other, own class
        i, j = self.machines.pairs.astype(np.int64).T
        of_i = g.add("Gather", added, g.constant(j * k + i), axis=1)
        of_j = g.add("Gather", added, g.constant(i * k + j), axis=1)
        return g.add("Add", of_i, of_j)

    def _sums_of_own_kernels(self) -> str:
        """Where every machine standardises in its own way, no kernel value serves two."""
        g, shared = self.graph, self.machines.shared_scaling
        own = own_vectors(self.machines)
        rows = self.X
        if shared is not None:
            rows = g.add("Sub", rows, g.constant(shared.centre[0]))
            rows = g.add("Mul", rows, g.constant(shared.inverse_scale[0]))
        rows = g.add("Sub", rows, g.constant(own.centre))
        extended = g.add("Pad", rows, g.int64(0, 0, 0, 1), g.constant(1.0))
        if self.machines.kernel.name == "rbf":
            extended = g.add("Concat", extended, g.add("Mul", rows, rows), axis=1)
        product = g.add("MatMul", extended, g.constant(own.weights.T, "vectors"))
        terms = g.add("Mul", self._function(product), g.constant(own.coef.ravel(), "coef"))
        terms = g.add("Reshape", terms, g.int64(-1, *own.coef.shape))
        return g.add("ReduceSum", terms, g.int64(2), keepdims=0)
