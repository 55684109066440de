"""`PairwiseMachines`: all trained machines over one pool of support vectors.

Machine m decides between classes i and j = pairs[m]; its value at x,

    intercept[m] + Σ coef[e] K(x, pool[index[e]]),   e = start[m] … start[m + 1] − 1,

is positive for i. A training row that serves several machines is in the pool once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Bunch

from dcsvm._core import EngineFloat, RowTooLongError, distinct_support
from dcsvm._util.computed import computed_once
from dcsvm._util.threads import even_slices, run_short, threads_worth
from dcsvm.data.pairs import class_pairs, machine_of
from dcsvm.data.some_pairs import SomePairs
from dcsvm.machines.columns import ChosenColumns
from dcsvm.machines.compiled import (
    SPARSE_COST,
    Engine,
    UnlimitedEngine,
    columns_of_given,
    is_better_stored,
    make_engine,
    make_unlimited_engine,
)
from dcsvm.machines.interface import KernelExpansion
from dcsvm.machines.long_rows import Places, by_precision, by_runs
from dcsvm.machines.query import Query, core_rows
from dcsvm.machines.value_statistics import ClassEntries, KeptPart, ValueStatistics

# Multiplications that end well within a second on a slow processor, in double precision and in
# single.
SHORT = 10**8
SHORT_IN_FLOAT = 10**9
MOST_ROWS_PER_CALL = 1024
# The engine evaluates all machines at about this many rows at a time.
ROWS_TOGETHER = 32

Seen = TypeVar("Seen")

# What follows from the other attributes.
COMPUTED = ("engine", "unlimited", "columns")


@dataclass(kw_only=True, eq=False, repr=False)
class PairwiseMachines(KernelExpansion):
    """The binary support vector machines of a multi-class problem, one per pair of classes.

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
    origin : array of int, or None
        The place in the training set of each row of the pool, of equal rows the first.
    start, index, coef, intercept : arrays
        As in the formula above.
    n_iter : array of shape (n_machines,)
        Iterations of the solver.
    converged : array of shape (n_machines,)
        Whether the solver reached its tolerance.
    some_pairs : SomePairs or None
        The pairs that have a machine, where not all have.
    """

    n_classes: int
    n_iter: NDArray[np.int64]
    converged: NDArray[np.bool_]
    some_pairs: SomePairs | None = None
    origin: NDArray[np.int64] | None = None

    @property
    def n_machines(self) -> int:
        """k(k−1)/2, or fewer if not all pairs have a machine."""
        return len(self.intercept)

    @property
    def pairs(self) -> NDArray[np.int32]:
        """The classes of each machine."""
        if self.some_pairs is None:
            return class_pairs(self.n_classes)
        return self.some_pairs.of_machine

    def machine_of(self, i: Any, j: Any) -> Any:
        """The number of the machine of classes i < j, which may be arrays, or `NO_MACHINE`."""
        if self.some_pairs is None:
            return machine_of(i, j, self.n_classes)
        return self.some_pairs.machine_of(i, j)

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
        return self.evaluations_of_a_vote * self.multiplications_per_evaluation + len(self.index)

    @property
    def work_of_a_walk(self) -> float:
        """Multiplications for the longest path of one row, about."""
        return (
            float(self.n_support.mean())
            * self.multiplications_per_evaluation
            * (self.n_classes - 1)
        )

    @property
    def evaluations_of_a_vote(self) -> int:
        """Kernel evaluations for the values of all machines at one row."""
        return self.n_distinct_support if self.pair_scaling is None else len(self.index)

    @property
    def multiplications_per_evaluation(self) -> int:
        """Of a kernel evaluation, about as many as there are features."""
        if self.kernel.name == "precomputed":
            return 1
        if is_better_stored(self.pool) and sparse.issparse(self.pool):
            return int(SPARSE_COST * self.pool.nnz / self.pool.shape[0]) + 1
        return int(self.pool.shape[1]) if self.columns is None else self.columns.width

    def query_width(self, X: Any) -> int:
        """How many numbers a row of X becomes when it is made ready."""
        if not self.kernel.is_built_in:
            return len(columns_of_given(self))
        return int(X.shape[1]) if self.columns is None else self.columns.width

    @property
    def takes_vectors(self) -> bool:
        """Whether the engine takes single rows as they are."""
        return self.kernel.name != "callable" and self.columns is None

    def prepare(self, X: Any) -> Query:
        """Make validated rows ready for the engine."""
        if self.kernel.name == "callable":
            X = self._gram(X)
        elif self.columns is not None:
            X = self.columns.of_rows(X)
        return Query(core_rows(X), X.shape[0])

    def values(
        self,
        query: Query,
        row: NDArray[np.int64],
        machine: NDArray[np.int32],
        n_jobs: int | None = None,
    ) -> NDArray[np.float64]:
        """The value of machine[t] at row row[t], for every t."""
        out = np.empty(len(row))
        work = int(self.n_support[machine].sum()) * self.multiplications_per_evaluation
        n_jobs = threads_worth(work, n_jobs)
        run_short(
            lambda part: self._values(query, row[part], machine[part], out[part]),
            even_slices(len(row), 1 + len(row) * SHORT // (work + 1), n_jobs),
            n_jobs,
        )
        return out

    def _values(
        self,
        query: Query,
        row: NDArray[np.int64],
        machine: NDArray[np.int32],
        out: NDArray[np.float64],
    ) -> None:
        def evaluate(engine: Engine, which: Places) -> None:
            values = out[which]
            engine.values(query.rows, row[which], machine[which], values)
            out[which] = values

        self.by_precision(query, row, evaluate)

    def by_precision(
        self,
        query: Query,
        row: NDArray[np.int64],
        evaluate: Callable[[Engine, Places], None],
    ) -> None:
        """Call `evaluate(engine, which)` for row[which], with an engine that takes them."""
        by_precision(self.engine, lambda: self.unlimited, query, row, evaluate)

    def by_runs(
        self, query: Query, begin: int, end: int, evaluate: Callable[[Engine, int, int], None]
    ) -> None:
        """Call `evaluate(engine, begin, end)`, or the same for parts, by engines that take them."""
        by_runs(self.engine, lambda: self.unlimited, query, begin, end, evaluate)

    def all_values(self, query: Query, begin: int, end: int) -> NDArray[np.float64]:
        """The values of all machines at rows `begin` to `end`, shape (end − begin, n_machines)."""
        by_machine = np.empty((self.n_machines, end - begin))

        def evaluate(engine: Engine, first: int, last: int) -> None:
            whole = (first, last) == (begin, end)
            out = by_machine if whole else np.empty((self.n_machines, last - first))
            engine.all_values(query.rows, first, last, out)
            by_machine[:, first - begin : last - begin] = out

        self.by_runs(query, begin, end, evaluate)
        return by_machine.T

    def observe(
        self,
        X: Any,
        weight: NDArray[np.float64],
        edges: NDArray[np.int64],
        keep_signs: bool,
        kept: KeptPart | None = None,
    ) -> ValueStatistics:
        """How all machines see the rows of X, part p of them X[edges[p] : edges[p + 1]]."""
        query = self.prepare(X)
        keep = (None, None, None) if kept is None else kept

        def observed(engine: Engine) -> ValueStatistics:
            signs = self._no_signs(query.n_rows) if keep_signs else None
            seen = ValueStatistics.empty(len(edges) - 1, self.n_machines, signs)
            engine.observe(query.rows, 0, query.n_rows, weight, edges, *seen, *keep)
            return seen

        return self._by_engine_for_all(observed)

    def observe_classes(
        self,
        X: Any,
        weight: NDArray[np.float64],
        edges: NDArray[np.int64],
        entries: ClassEntries,
        keep_signs: bool,
        kept: KeptPart | None = None,
    ) -> NDArray[np.uint8] | None:
        """Write the same to the table, of parts that are a class each; returns the signs."""
        query = self.prepare(X)
        keep = (None, None, None) if kept is None else kept
        low, high, spread = (part.view(np.uint16) for part in entries[1:])

        def observed(engine: Engine) -> NDArray[np.uint8] | None:
            signs = self._no_signs(query.n_rows) if keep_signs else None
            rows = (query.rows, 0, query.n_rows, weight, edges)
            engine.observe_classes(*rows, entries.counts, low, high, spread, signs, *keep)
            return signs

        return self._by_engine_for_all(observed)

    def _by_engine_for_all(self, observed: Callable[[Engine], Seen]) -> Seen:
        try:
            return observed(self.engine)
        except RowTooLongError:  # some rows may have been seen by then
            return observed(self.unlimited.engine)

    def _no_signs(self, n_rows: int) -> NDArray[np.uint8]:
        return np.zeros((self.n_machines, -(-n_rows // 8)), dtype=np.uint8)

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
            kernel_evaluations=np.full(n_rows, self.evaluations_of_a_vote),
        )

    @computed_once
    def engine(self) -> Engine:
        """The compiled engine, in the precision that is enough for ordinary rows."""
        return make_engine(self if self.columns is None else self.columns.of_machines(self))

    @computed_once
    def unlimited(self) -> UnlimitedEngine:
        """The engine for rows that the other one refuses."""
        return make_unlimited_engine(
            self if self.columns is None else self.columns.of_machines(self)
        )

    @computed_once
    def columns(self) -> ChosenColumns | None:
        """Those that are made ready of wide sparse rows; None: all."""
        return ChosenColumns.of(self)

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
        return {name: value for name, value in vars(self).items() if name not in COMPUTED}

    def __repr__(self) -> str:
        return (
            f"PairwiseMachines({self.n_machines} machines over {self.n_distinct_support} "
            f"distinct support vectors)"
        )
