"""`PairwiseMachines`: all trained machines over one pool of support vectors.

Machine m decides between classes i and j = pairs[m]; its value at x,

    intercept[m] + Σ coef[e] K(x, pool[index[e]]),   e = start[m] … start[m + 1] − 1,

is positive for i. A training row that serves several machines is in the pool once.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Bunch

from dcsvm._core import (
    Engine,
    Machines,
    Rows,
    dense_rows,
    sparse_rows,
)
from dcsvm._util.threads import even_slices, run_short, threads_worth
from dcsvm.data.kernels import Kernel
from dcsvm.data.pairs import class_pairs
from dcsvm.data.scaling import Standardisation
from dcsvm.machines.engine import make_engine
from dcsvm.machines.query import Query, group_by
from dcsvm.machines.value_statistics import ValueStatistics, value_statistics

# Multiplications that end well within a second on a slow processor, in double precision and in
# the engine.
SHORT = 10**8
SHORT_IN_ENGINE = 10**9
MOST_ROWS_PER_CALL = 1024
# The engine asks all machines about this many rows at a time.
ROWS_TOGETHER = 32


class PairwiseMachines:
    """The k(k−1)/2 binary support vector machines of a multi-class problem.

    Attributes
    ----------
    n_classes, n_machines : int
    pairs : array of shape (n_machines, 2)
        The classes i < j that each machine tells apart.
    n_support : array of shape (n_machines,)
        Support vectors of each machine.
    n_distinct_support : int
        Support vectors in the pool: how many kernel evaluations a full vote takes.
    pool : dense or CSR matrix, or places in the training set for a precomputed kernel
    start, index, coef, intercept : arrays
        As in the formula above.
    n_iter : array of shape (n_machines,)
        Iterations of the solver.
    converged : array of shape (n_machines,)
        Whether the solver reached its tolerance.
    """

    def __init__(
        self,
        *,
        n_classes: int,
        kernel: Kernel,
        pool: Any,
        start: NDArray[np.int64],
        index: NDArray[np.int32],
        coef: NDArray[np.float64],
        intercept: NDArray[np.float64],
        n_iter: NDArray[np.int64],
        converged: NDArray[np.bool_],
        shared_scaling: Standardisation | None = None,
        pair_scaling: Standardisation | None = None,
    ) -> None:
        self.n_classes = n_classes
        self.kernel = kernel
        self.pool = pool
        self.start = start
        self.index = index
        self.coef = coef
        self.intercept = intercept
        self.n_iter = n_iter
        self.converged = converged
        self.shared_scaling = shared_scaling
        self.pair_scaling = pair_scaling

    @property
    def n_machines(self) -> int:
        """k(k−1)/2."""
        return len(self.intercept)

    @property
    def pairs(self) -> NDArray[np.int32]:
        """The classes of each machine."""
        return class_pairs(self.n_classes)

    @property
    def n_support(self) -> NDArray[np.int64]:
        """Support vectors of each machine."""
        return np.diff(self.start)

    @property
    def n_distinct_support(self) -> int:
        """Support vectors in the pool."""
        return int(self.pool.shape[0])

    @property
    def rows_per_call(self) -> int:
        """Rows for which all values are computed well within a second."""
        short = SHORT if self.engine is None else SHORT_IN_ENGINE
        rows = max(1, min(MOST_ROWS_PER_CALL, short // self.work_of_a_vote))
        return rows if rows < ROWS_TOGETHER else rows // ROWS_TOGETHER * ROWS_TOGETHER

    @property
    def work_of_a_vote(self) -> int:
        """Multiplications for the values of all machines at one row."""
        shared = self.pair_scaling is None
        evaluations = self.n_distinct_support if shared else len(self.index)
        return evaluations * self._n_features + len(self.index)

    @property
    def work_of_a_walk(self) -> float:
        """Multiplications for the longest path of one row, about."""
        return float(self.n_support.mean()) * self._n_features * (self.n_classes - 1)

    @property
    def _n_features(self) -> int:
        return 1 if self.kernel.name == "precomputed" else int(self.pool.shape[1])

    def prepare(self, X: Any) -> Query:
        """Make validated rows ready to be asked about."""
        if self.shared_scaling is not None and self.engine is None:
            X = self.shared_scaling.apply(X)
        return Query(X, core_rows(X) if self.kernel.is_built_in else None)

    def values(
        self,
        query: Query,
        row: NDArray[np.int64],
        machine: NDArray[np.int32],
        n_jobs: int | None = None,
    ) -> NDArray[np.float64]:
        """The value of machine[t] at row row[t], for every t."""
        if query.rows is None:
            return self._values_by_machine(query.X, row, machine)
        rows, out = query.rows, np.empty(len(row))
        compiled = self.engine or self._core
        work = int(self.n_support[machine].sum()) * query.X.shape[1]
        n_jobs = threads_worth(work, n_jobs)
        run_short(
            lambda part: compiled.values(rows, row[part], machine[part], out[part]),
            even_slices(len(row), 1 + len(row) * SHORT // (work + 1), n_jobs),
            n_jobs,
        )
        return out

    def all_values(self, query: Query, begin: int, end: int) -> NDArray[np.floating[Any]]:
        """The values of all machines at rows `begin` to `end`, shape (end − begin, n_machines)."""
        if self.engine is not None and query.rows is not None:
            by_machine = np.empty((self.n_machines, end - begin), dtype=np.float32)
            self.engine.all_values(query.rows, begin, end, by_machine)
            return by_machine.T
        if query.rows is None:
            return self._all_gram_values(query.X[begin:end])
        out = np.empty((end - begin, self.n_machines))
        self._core.all_values(query.rows, begin, end, out)
        return out

    def observe(
        self, X: Any, weight: NDArray[np.float64], edges: NDArray[np.int64], keep_signs: bool
    ) -> ValueStatistics:
        """How all machines see the rows of X, part p of them X[edges[p] : edges[p + 1]]."""
        query = self.prepare(X)
        n_rows = query.n_rows
        if self.engine is None or query.rows is None:
            return value_statistics(self.all_values(query, 0, n_rows), weight, edges, keep_signs)
        signs = np.empty((self.n_machines, -(-n_rows // 8)), dtype=np.uint8) if keep_signs else None
        seen = ValueStatistics.empty(len(edges) - 1, self.n_machines, signs)
        self.engine.observe(query.rows, 0, n_rows, weight, edges, *seen)
        return seen

    def path_cost(
        self, path_start: NDArray[np.int64], machine: NDArray[np.int32]
    ) -> dict[str, NDArray[np.int64]]:
        """Support vectors, in all and distinct, of paths: runs of machines in `machine`.

        Where every machine standardises in its own way, no kernel value serves two of them.
        """
        visited = np.concatenate([[0], np.cumsum(self.n_support[machine])])
        support_vectors = np.diff(visited[path_start])
        if self.pair_scaling is not None:
            evaluations = support_vectors
        else:
            evaluations = np.empty(len(path_start) - 1, dtype=np.int64)
            self._core.distinct_support(path_start, machine, evaluations)
        return {"support_vectors": support_vectors, "kernel_evaluations": evaluations}

    def vote_cost(self, n_rows: int) -> Any:
        """What a vote of all machines costs, for each of `n_rows` rows."""
        shared = self.pair_scaling is None
        evaluations = self.n_distinct_support if shared else len(self.index)
        return Bunch(
            decisions=np.full(n_rows, self.n_machines),
            support_vectors=np.full(n_rows, len(self.index)),
            kernel_evaluations=np.full(n_rows, evaluations),
        )

    @cached_property
    def engine(self) -> Engine | None:
        """The compiled engine, where single precision is enough."""
        return make_engine(self)

    @cached_property
    def _core(self) -> Machines:
        scaling = self.pair_scaling
        built_in = self.kernel.is_built_in
        # The counts of a kernel that is not compiled need no support vectors, only their number.
        pool = core_rows(self.pool if built_in else np.empty((self.n_distinct_support, 0)))
        return Machines(
            kernel=self.kernel.name if built_in else "linear",
            gamma=self.kernel.gamma,
            coef0=self.kernel.coef0,
            degree=self.kernel.degree,
            pool=pool,
            start=self.start,
            index=self.index,
            coef=self.coef,
            intercept=self.intercept,
            centre=scaling.centre if scaling is not None and built_in else None,
            inverse_scale=scaling.inverse_scale if scaling is not None and built_in else None,
        )

    def _values_by_machine(
        self, X: Any, row: NDArray[np.int64], machine: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Values where the kernel is a function or a matrix given by the user."""
        out = np.empty(len(row))
        for m, at in group_by(machine):
            support = self.pool[self.index[self.start[m] : self.start[m + 1]]]
            if self.kernel.name == "precomputed":
                gram = X[np.ix_(row[at], support)]
            elif self.pair_scaling is None:
                gram = self.kernel.gram(X[row[at]], support)
            else:
                scale = self.pair_scaling.apply
                gram = self.kernel.gram(scale(X[row[at]], m), scale(support, m))
            out[at] = self._weighted_sum(gram, m)
        return out

    def _all_gram_values(self, X: Any) -> NDArray[np.float64]:
        """The same of all machines: the kernel is computed once where machines share it."""
        rows = np.arange(X.shape[0])
        out = np.empty((len(rows), self.n_machines))
        shared = self.pair_scaling is None
        if shared and self.kernel.name == "precomputed":
            gram = X[:, self.pool]
        elif shared:
            gram = self.kernel.gram(X, self.pool)
        for m in range(self.n_machines):
            if shared:
                own = self.index[self.start[m] : self.start[m + 1]]
                out[:, m] = self._weighted_sum(gram[:, own], m)
            else:
                out[:, m] = self._values_by_machine(X, rows, np.full(len(rows), m))
        return out

    def _weighted_sum(self, gram: NDArray[np.float64], m: int) -> NDArray[np.float64]:
        """Σ coef · K + intercept, rounded in a way that does not depend on the number of rows."""
        terms = np.ascontiguousarray(gram * self.coef[self.start[m] : self.start[m + 1]])
        return np.asarray(terms.sum(axis=1) + self.intercept[m])

    def __getstate__(self) -> dict[str, Any]:
        compiled = ("engine", "_core")
        return {name: value for name, value in vars(self).items() if name not in compiled}

    def __repr__(self) -> str:
        return (
            f"PairwiseMachines({self.n_machines} machines over {self.n_distinct_support} "
            f"distinct support vectors)"
        )


def core_rows(X: Any) -> Rows:
    """The rows of a validated dense or CSR matrix, as the compiled core takes them."""
    if not sparse.issparse(X):
        return dense_rows(np.ascontiguousarray(X))
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    # SciPy lets the two index arrays be of different widths.
    width = np.result_type(X.indices, X.indptr)
    return sparse_rows(
        np.ascontiguousarray(X.data),
        X.indices.astype(width, copy=False),
        X.indptr.astype(width, copy=False),
        X.shape[1],
    )
