"""`PairwiseMachines`: all trained machines over one pool of support vectors.

Machine m decides between classes i and j = pairs[m]; its value at x,

    intercept[m] + Σ coef[e] K(x, pool[index[e]]),   e = start[m] … start[m + 1] − 1,

is positive for i. A training row that serves several machines is in the pool once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from dcsvm._core import EngineFloat, distinct_support
from dcsvm._util.threads import even_slices, run_short, threads_worth
from dcsvm.data.pairs import class_pairs
from dcsvm.machines.compiled import Engine, columns_of_given, make_engine
from dcsvm.machines.interface import KernelExpansion
from dcsvm.machines.query import Query, core_rows
from dcsvm.machines.value_statistics import ValueStatistics

# Multiplications that end well within a second on a slow processor, in double precision and in
# single.
SHORT = 10**8
SHORT_IN_FLOAT = 10**9
MOST_ROWS_PER_CALL = 1024
# The engine evaluates all machines at about this many rows at a time.
ROWS_TOGETHER = 32


@dataclass(kw_only=True, eq=False, repr=False)
class PairwiseMachines(KernelExpansion):
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

    n_classes: int
    n_iter: NDArray[np.int64]
    converged: NDArray[np.bool_]

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
        short = SHORT_IN_FLOAT if isinstance(self.engine, EngineFloat) else SHORT
        rows = max(1, min(MOST_ROWS_PER_CALL, short // self.work_of_a_vote))
        return rows if rows < ROWS_TOGETHER else rows // ROWS_TOGETHER * ROWS_TOGETHER

    @property
    def work_of_a_vote(self) -> int:
        """Multiplications for the values of all machines at one row."""
        return self._evaluations_of_a_vote * self._n_features + len(self.index)

    @property
    def work_of_a_walk(self) -> float:
        """Multiplications for the longest path of one row, about."""
        return float(self.n_support.mean()) * self._n_features * (self.n_classes - 1)

    @property
    def _evaluations_of_a_vote(self) -> int:
        return self.n_distinct_support if self.pair_scaling is None else len(self.index)

    @property
    def _n_features(self) -> int:
        return 1 if self.kernel.name == "precomputed" else int(self.pool.shape[1])

    def query_width(self, X: Any) -> int:
        """How many numbers a row of X becomes when it is made ready."""
        return int(X.shape[1]) if self.kernel.is_built_in else len(columns_of_given(self))

    def prepare(self, X: Any) -> Query:
        """Make validated rows ready for the engine."""
        if self.kernel.name == "callable":
            X = self._gram(X)
        return Query(core_rows(X), X.shape[0])

    def values(
        self,
        query: Query,
        row: NDArray[np.int64],
        machine: NDArray[np.int32],
        n_jobs: int | None = None,
    ) -> NDArray[np.float64]:
        """The value of machine[t] at row row[t], for every t."""
        engine, out = self.engine, np.empty(len(row))
        work = int(self.n_support[machine].sum()) * self._n_features
        n_jobs = threads_worth(work, n_jobs)
        run_short(
            lambda part: engine.values(query.rows, row[part], machine[part], out[part]),
            even_slices(len(row), 1 + len(row) * SHORT // (work + 1), n_jobs),
            n_jobs,
        )
        return out

    def all_values(self, query: Query, begin: int, end: int) -> NDArray[np.float64]:
        """The values of all machines at rows `begin` to `end`, shape (end − begin, n_machines)."""
        by_machine = np.empty((self.n_machines, end - begin))
        self.engine.all_values(query.rows, begin, end, by_machine)
        return by_machine.T

    def observe(
        self, X: Any, weight: NDArray[np.float64], edges: NDArray[np.int64], keep_signs: bool
    ) -> ValueStatistics:
        """How all machines see the rows of X, part p of them X[edges[p] : edges[p + 1]]."""
        query = self.prepare(X)
        n_bytes = -(-query.n_rows // 8)
        signs = np.empty((self.n_machines, n_bytes), dtype=np.uint8) if keep_signs else None
        seen = ValueStatistics.empty(len(edges) - 1, self.n_machines, signs)
        self.engine.observe(query.rows, 0, query.n_rows, weight, edges, *seen)
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
            distinct_support(
                start=self.start,
                index=self.index,
                n_vectors=self.n_distinct_support,
                path_start=path_start,
                machine=machine,
                out=evaluations,
            )
        return {"support_vectors": support_vectors, "kernel_evaluations": evaluations}

    def vote_cost(self, n_rows: int) -> Any:
        """What a vote of all machines costs, for each of `n_rows` rows."""
        return Bunch(
            decisions=np.full(n_rows, self.n_machines),
            support_vectors=np.full(n_rows, len(self.index)),
            kernel_evaluations=np.full(n_rows, self._evaluations_of_a_vote),
        )

    @cached_property
    def engine(self) -> Engine:
        """The compiled engine, in the precision that is enough."""
        return make_engine(self)

    def _gram(self, X: Any) -> NDArray[np.float64]:
        """Values of a callable kernel: a column for each support vector, see `columns_of_given`."""
        if self.shared_scaling is not None:
            X = self.shared_scaling.apply(X)
        if self.pair_scaling is None:
            return self.kernel.gram(X, self.pool)
        scale = self.pair_scaling.apply
        of_machine = [self.pool[own] for own in np.split(self.index, self.start[1:-1])]
        return np.hstack(
            [self.kernel.gram(scale(X, m), scale(s, m)) for m, s in enumerate(of_machine)]
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "engine"}

    def __repr__(self) -> str:
        return (
            f"PairwiseMachines({self.n_machines} machines over {self.n_distinct_support} "
            f"distinct support vectors)"
        )
