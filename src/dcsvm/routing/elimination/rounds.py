"""Elimination: the most plausible class meets the next one, until no other is left.

The candidates of a row come with scores. The champion, at first the class with the highest
score, meets the best of the others on their machine: the loser is dropped, and so is every
class for which the value is implausible. The winner is the champion of the next round. A
machine that was trained on the right class tells most about all others, and the right class is
likely to be champion early: few rounds are enough.

To lose one close decision need not be the end. A loser by less than `CLOSE_VALUE`, where the margin
is 1, is set aside: it meets no other class any more, but stays in unless a later value makes it
implausible. If some are left at the end, they and the champion decide by a vote among
themselves. At most `MOST_ASIDE` are set aside at a time.

Where not all pairs have a machine, a challenger that has none with the champion, which has the
higher score, is dropped, and in the final vote neither gets a vote for it.

`eliminate` shows every round; where only the outcome is wanted, the compiled engine does the
same (core/predict/elimination.hpp).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import CLOSE_VALUE, MOST_ASIDE, VALUE_IN_VOTES
from dcsvm._core import Levels as CompiledLevels
from dcsvm._util.batches import rows_at_once, slices
from dcsvm._util.computed import computed_once
from dcsvm._util.threads import even_slices, run_short, threads_worth
from dcsvm.data.pairs import class_pairs
from dcsvm.data.some_pairs import NO_MACHINE
from dcsvm.machines.compiled import Engine
from dcsvm.machines.interface import PairValues
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.elimination.early_vote import vote_early
from dcsvm.routing.elimination.own_classes import OwnClasses
from dcsvm.routing.plausibility import Levels
from dcsvm.routing.route import Phase, Round

Scores = NDArray[np.float32]

# Scores (rows × classes) held at a time.
SCORES_AT_ONCE = 2**24


class Shortlist(Protocol):
    """What scores the classes of a row."""

    gap: float  # candidates have a score of at least the highest less this

    @property
    def cost(self) -> float:
        """As in Route."""

    def scores(self, X: Any, machines: Any) -> Scores:
        """A score for every class (padded to panels) of every row of X."""

    def compiled(self, machines: Any) -> Any | None:
        """The same for the engine of these machines, or None where it is not compiled."""


class Plausibility(Protocol):
    """What tells plausible values from others."""

    @property
    def n_classes(self) -> int:
        """k."""

    def machine_of(self, i: Any, j: Any) -> Any:
        """The machine of classes i < j, which may be arrays, or `NO_MACHINE`."""

    def plausible(
        self, machine: NDArray[np.integer], values: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """The classes for which values[t] of machine[t] is plausible, its own two included."""


class Eliminate(Protocol):
    """All rounds of the rows of a query, with their scores and candidates."""

    def __call__(
        self,
        machines: PairValues,
        levels: Any,
        query: Any,
        scores: NDArray[np.floating[Any]],
        candidates: NDArray[np.bool_],
        n_jobs: int | None = None,
    ) -> Iterator[Round]:
        """The rounds, those of a row in order."""


@dataclass(eq=False, repr=False)
class Elimination:
    """A rule by which values drop candidates, and the shortlist with which rows begin.

    With `counts_losses`, for machines that are not compiled, a lost decision is not final
    (early_vote.py).
    """

    levels: Levels | OwnClasses
    shortlist: Shortlist
    counts_losses: bool = False

    @property
    def cost(self) -> float:
        """The cost of the scores of a row, in kernel evaluations of the same cost."""
        return self.shortlist.cost

    @computed_once
    def core(self) -> CompiledLevels:
        """The levels, as the compiled engine takes them."""
        return self.levels.core()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "core"}

    def of_vector(self, machines: PairValues) -> Callable[[NDArray[Any]], int] | None:
        """As in Route."""
        if not isinstance(machines, PairwiseMachines) or not machines.takes_vectors:
            return None
        compiled = self.shortlist.compiled(machines)
        if compiled is None:
            return None
        return partial(machines.engine.eliminate_one, self.core, compiled, self.shortlist.gap)

    def rounds(self, machines: PairValues, X: Any, n_jobs: int | None) -> Iterator[Round]:
        """All rounds about the rows of X, those of a row in order."""
        for block in slices(X.shape[0], self._rows_at_once(machines, X)):
            scores = self.shortlist.scores(X[block], machines)[:, : self.levels.n_classes]
            scores = _finite(scores)
            candidates = within_gap(scores, self.shortlist.gap)
            rows = np.arange(block.start, block.stop)
            yield _by_scores(rows, np.ones_like(candidates), candidates, Phase.SCORES)
            query = machines.prepare(X[block])
            go_on: Eliminate = vote_early if self.counts_losses else eliminate
            for round_ in go_on(machines, self.levels, query, scores, candidates, n_jobs):
                yield round_._replace(rows=round_.rows + block.start)

    def predict(
        self,
        machines: PairValues,
        X: Any,
        n_jobs: int | None,
        n_evaluated: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """The class that is left, for every row of X; `n_evaluated` as in Route."""
        leaf = np.zeros(X.shape[0], dtype=np.int64)
        if not isinstance(machines, PairwiseMachines):
            for round_ in self.rounds(machines, X, n_jobs):
                leaf[round_.rows] = round_.is_in.argmax(axis=1)
                if n_evaluated is not None:
                    n_evaluated[round_.rows] += round_.machine != NO_MACHINE
            return leaf
        core, gap = self.core, self.shortlist.gap

        def go(part: slice) -> None:
            query = machines.prepare(X[part])

            def eliminate_some(engine: Engine, first: int, last: int) -> None:
                some = slice(part.start + first, part.start + last)
                counts = None if n_evaluated is None else n_evaluated[some]
                scores = self.shortlist.scores(X[some], machines)
                engine.eliminate(core, query.rows, first, last, gap, scores, leaf[some], counts)

            machines.by_runs(query, 0, query.n_rows, eliminate_some)

        # With many classes about half of the way along a structure, see benchmarks/RESULTS.md.
        n_threads = threads_worth(X.shape[0] * machines.work_of_a_walk / 2, n_jobs)
        at_once = self._rows_at_once(machines, X)
        run_short(go, even_slices(X.shape[0], at_once, n_threads), n_threads)
        return leaf

    def _rows_at_once(self, machines: PairValues, X: Any) -> int:
        by_scores = max(1, SCORES_AT_ONCE // self.levels.n_classes)
        return min(by_scores, rows_at_once(machines.query_width(X)))


def within_gap(scores: Scores, gap: float) -> NDArray[np.bool_]:
    """Which classes of each row have a score of at least the highest less the gap."""
    return np.asarray(scores >= scores.max(axis=1, keepdims=True) - np.float32(gap))


def eliminate(
    machines: PairValues,
    levels: Plausibility,
    query: Any,
    scores: NDArray[np.floating[Any]],
    candidates: NDArray[np.bool_],
    n_jobs: int | None = None,
) -> Iterator[Round]:
    """Eliminate the candidates of all rows of a query, round by round."""
    n = len(scores)
    is_in = candidates.copy()
    aside = np.zeros_like(is_in)
    champion = np.where(is_in, scores, -np.inf).argmax(axis=1)
    close_values: list[dict[int, float]] = [{} for _ in range(n)]
    every_row = np.arange(n)
    while True:
        open_to = is_in & ~aside
        open_to[every_row, champion] = False
        if isinstance(levels, OwnClasses):
            untrained = _before_a_machine(levels, champion, scores, open_to)
            rows = np.flatnonzero(untrained.any(axis=1))
            if len(rows):
                was_in = is_in[rows]
                is_in[rows] &= ~untrained[rows]
                open_to &= ~untrained
                yield _by_scores(rows, was_in, is_in[rows], Phase.UNTRAINED)
        rows = np.flatnonzero(open_to.any(axis=1))
        if len(rows) == 0:
            break
        challenger = np.where(open_to[rows], scores[rows], -np.inf).argmax(axis=1)
        i, j = np.minimum(champion[rows], challenger), np.maximum(champion[rows], challenger)
        machine = levels.machine_of(i, j).astype(np.int32)
        values = machines.values(query, rows, machine, n_jobs)
        champion[rows], loser = np.where(values > 0, i, j), np.where(values > 0, j, i)
        was_in = is_in[rows]
        left = was_in & levels.plausible(machine, values)
        is_close = (np.abs(values) < CLOSE_VALUE) & ((left & aside[rows]).sum(axis=1) < MOST_ASIDE)
        left[np.arange(len(rows)), loser] = is_close
        aside[rows[is_close], loser[is_close]] = True
        for t in np.flatnonzero(is_close):
            close_values[rows[t]][int(machine[t])] = values[t]
        is_in[rows] = left
        yield Round(rows, machine, values, was_in, left)
    yield from _final_votes(machines, levels, query, is_in, close_values)


def _before_a_machine(
    levels: OwnClasses,
    champion: NDArray[np.int64],
    scores: NDArray[np.floating[Any]],
    open_to: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Challengers without a machine that come before the first one with a machine."""
    row, other = np.nonzero(open_to)
    met = champion[row]
    has = levels.machine_of(np.minimum(met, other), np.maximum(met, other)) != NO_MACHINE
    with_machine = np.zeros_like(open_to)
    with_machine[row[has], other[has]] = True
    in_order = np.where(with_machine, scores, -np.inf)
    first = in_order.argmax(axis=1)
    score = in_order[np.arange(len(first)), first]
    before = np.zeros_like(open_to)
    of_other = scores[row, other]
    is_before = (of_other > score[row]) | ((of_other == score[row]) & (other < first[row]))
    before[row, other] = is_before & ~has
    return before


def _by_scores(
    rows: NDArray[np.int64], was_in: NDArray[np.bool_], is_in: NDArray[np.bool_], phase: Phase
) -> Round:
    """A round without a machine."""
    no_machine = np.full(len(rows), NO_MACHINE, dtype=np.int32)
    return Round(rows, no_machine, np.zeros(len(rows)), was_in, is_in, phase)


def _final_votes(
    machines: PairValues,
    levels: Plausibility,
    query: Any,
    is_in: NDArray[np.bool_],
    known: list[dict[int, float]],
) -> Iterator[Round]:
    """A vote among those left; of equals, that with the larger sum of values wins."""
    rows = np.flatnonzero(is_in.sum(axis=1) > 1)
    voters = [np.flatnonzero(is_in[row]) for row in rows]
    machine = []
    for left in voters:
        first, second = left[class_pairs(len(left))].T
        machine.append(levels.machine_of(first, second))
    unknown = [
        [m for m in of_row.tolist() if m not in known[row] and m != NO_MACHINE]
        for row, of_row in zip(rows, machine, strict=True)
    ]
    for n_evaluated in range(max(map(len, unknown), default=0)):
        waiting = [t for t, of_row in enumerate(unknown) if len(of_row) > n_evaluated]
        voter = np.array([unknown[t][n_evaluated] for t in waiting], dtype=np.int32)
        values = machines.values(query, rows[waiting], voter)
        for t, m, value in zip(waiting, voter.tolist(), values.tolist(), strict=True):
            known[rows[t]][m] = value
        in_vote = is_in[rows[waiting]]
        yield Round(rows[waiting], voter, values, in_vote, in_vote, Phase.VOTER)
    if len(rows) == 0:
        return
    after = np.zeros((len(rows), is_in.shape[1]), dtype=bool)
    for t, (row, left) in enumerate(zip(rows, voters, strict=True)):
        votes = np.zeros(len(left))
        for (x, y), m in zip(class_pairs(len(left)).tolist(), machine[t].tolist(), strict=True):
            if m == NO_MACHINE:
                continue
            value = known[row][m]
            within_margin = VALUE_IN_VOTES * min(max(value, -1.0), 1.0)
            votes[x if value > 0 else y] += 1
            votes[x] += within_margin
            votes[y] -= within_margin
        after[t, left[votes.argmax()]] = True
    yield _by_scores(rows, is_in[rows], after, Phase.VOTE)


def _finite(scores: Scores) -> Scores:
    """Scores that overflow are the highest or the lowest there are; NaN is the lowest."""
    return np.asarray(np.nan_to_num(scores, nan=float(np.finfo(np.float32).min)))
