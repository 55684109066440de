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

`eliminate` shows every round; where only the outcome is wanted, the compiled engine does the
same (core/predict/elimination.hpp).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import CLOSE_VALUE, MOST_ASIDE, VALUE_IN_VOTES
from dcsvm._core import Levels as CompiledLevels
from dcsvm._util.batches import rows_at_once, slices
from dcsvm._util.threads import even_slices, run_short, threads_worth
from dcsvm.data.pairs import class_pairs, machine_of
from dcsvm.machines.interface import PairValues
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.plausibility import Levels
from dcsvm.routing.route import NO_MACHINE, Phase, Round

Scores = NDArray[np.float32]


class Shortlist(Protocol):
    """What scores the classes of a row."""

    gap: float  # candidates have a score of at least the highest less this
    cost: float  # as in Route

    def scores(self, X: Any, machines: Any) -> Scores:
        """A score for every class (padded to panels) of every row of X."""

    def compiled(self, machines: Any) -> Any | None:
        """The same for the engine of these machines, or None where it is not compiled."""


@dataclass(eq=False, repr=False)
class Elimination:
    """A rule by which values drop candidates, and the shortlist with which rows begin."""

    levels: Levels
    shortlist: Shortlist

    @property
    def cost(self) -> float:
        """The cost of the scores of a row, in kernel evaluations of the same cost."""
        return self.shortlist.cost

    @cached_property
    def core(self) -> CompiledLevels:
        """The levels, as the compiled engine takes them."""
        return self.levels.core()

    def __getstate__(self) -> dict[str, Any]:
        return {"levels": self.levels, "shortlist": self.shortlist}

    def of_vector(self, machines: PairValues) -> Callable[[NDArray[Any]], int] | None:
        """As in Route."""
        compiled = self.shortlist.compiled(machines)
        if compiled is None or not isinstance(machines, PairwiseMachines):
            return None
        return partial(machines.engine.eliminate_one, self.core, compiled, self.shortlist.gap)

    def rounds(self, machines: PairValues, X: Any, n_jobs: int | None) -> Iterator[Round]:
        """All rounds about the rows of X, those of a row in order."""
        for block in slices(X.shape[0], rows_at_once(machines.query_width(X))):
            scores = self.shortlist.scores(X[block], machines)[:, : self.levels.n_classes]
            scores = _finite(scores)
            candidates = within_gap(scores, self.shortlist.gap)
            rows = np.arange(block.start, block.stop)
            no_machine = np.full(len(scores), NO_MACHINE, dtype=np.int32)
            no_values, all_classes = np.zeros(len(scores)), np.ones_like(candidates)
            yield Round(rows, no_machine, no_values, all_classes, candidates, Phase.SCORES)
            query = machines.prepare(X[block])
            for round_ in eliminate(machines, self.levels, query, scores, candidates, n_jobs):
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
        engine, core, gap = machines.engine, self.core, self.shortlist.gap

        def go(part: slice) -> None:
            scores = self.shortlist.scores(X[part], machines)
            query = machines.prepare(X[part])
            counts = None if n_evaluated is None else n_evaluated[part]
            engine.eliminate(core, query.rows, 0, query.n_rows, gap, scores, leaf[part], counts)

        # With many classes about half of the way along a structure, see benchmarks/RESULTS.md.
        n_threads = threads_worth(X.shape[0] * machines.work_of_a_walk / 2, n_jobs)
        at_once = rows_at_once(machines.query_width(X))
        run_short(go, even_slices(X.shape[0], at_once, n_threads), n_threads)
        return leaf


def within_gap(scores: Scores, gap: float) -> NDArray[np.bool_]:
    """Which classes of each row have a score of at least the highest less the gap."""
    return np.asarray(scores >= scores.max(axis=1, keepdims=True) - np.float32(gap))


def eliminate(
    machines: PairValues,
    levels: Levels,
    query: Any,
    scores: NDArray[np.floating[Any]],
    candidates: NDArray[np.bool_],
    n_jobs: int | None = None,
) -> Iterator[Round]:
    """Eliminate the candidates of all rows of a query, round by round."""
    k = levels.n_classes
    pairs = class_pairs(k)
    n = len(scores)
    is_in = candidates.copy()
    aside = np.zeros_like(is_in)
    champion = np.where(is_in, scores, -np.inf).argmax(axis=1)
    close_values: list[dict[int, float]] = [{} for _ in range(n)]
    every_row = np.arange(n)
    while True:
        open_to = is_in & ~aside
        open_to[every_row, champion] = False
        rows = np.flatnonzero(open_to.any(axis=1))
        if len(rows) == 0:
            break
        challenger = np.where(open_to[rows], scores[rows], -np.inf).argmax(axis=1)
        machine = _machine(champion[rows], challenger, k)
        values = machines.values(query, rows, machine, n_jobs)
        i, j = pairs[machine].T
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
    yield from _final_votes(machines, query, is_in, close_values)


def _final_votes(
    machines: PairValues,
    query: Any,
    is_in: NDArray[np.bool_],
    known: list[dict[int, float]],
) -> Iterator[Round]:
    """A vote among those left; of equals, that with the larger sum of values wins."""
    k = is_in.shape[1]
    rows = np.flatnonzero(is_in.sum(axis=1) > 1)
    voters = [np.flatnonzero(is_in[row]) for row in rows]
    machine = []
    for left in voters:
        first, second = left[class_pairs(len(left))].T
        machine.append(_machine(first, second, k))
    unknown = [
        [m for m in of_row.tolist() if m not in known[row]]
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
    after = np.zeros((len(rows), k), dtype=bool)
    for t, (row, left) in enumerate(zip(rows, voters, strict=True)):
        votes = np.zeros(len(left))
        for (x, y), m in zip(class_pairs(len(left)).tolist(), machine[t].tolist(), strict=True):
            value = known[row][m]
            within_margin = VALUE_IN_VOTES * min(max(value, -1.0), 1.0)
            votes[x if value > 0 else y] += 1
            votes[x] += within_margin
            votes[y] -= within_margin
        after[t, left[votes.argmax()]] = True
    no_machine = np.full(len(rows), NO_MACHINE, dtype=np.int32)
    yield Round(rows, no_machine, np.zeros(len(rows)), is_in[rows], after, Phase.VOTE)


def _finite(scores: Scores) -> Scores:
    """Scores that overflow are the highest or the lowest there are; NaN is the lowest."""
    return np.asarray(np.nan_to_num(scores, nan=float(np.finfo(np.float32).min)))


def _machine(a: NDArray[np.integer], b: NDArray[np.integer], k: int) -> NDArray[np.int32]:
    return np.asarray(machine_of(np.minimum(a, b), np.maximum(a, b), k), dtype=np.int32)
