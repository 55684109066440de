"""A vote that ends as soon as its outcome is known: elimination where a lost decision is not final.

A champion that loses one decision is out in `rounds.py`. That suits machines that rarely err on
their own classes. A small decision tree errs often, and its values say nothing of it: only the
vote corrects it, as the right class can lose some decisions and still have the fewest losses.

So a loss is only counted here, and a class is dropped before the end only where a value is
implausible for it. In every round the class with the fewest losses meets the opponent with the
fewest losses that it has not met; of equals, the one with the higher score. The vote is decided
when every class that has the fewest losses has met all opponents. A class with no loss among s
candidates is found after s − 1 decisions, where the vote evaluates s (s − 1)/2.

At first the opponents are the classes that are left. If several are left when their vote is
decided, those that were dropped are opponents again: they cannot win any more, but to lose to
them counts in the vote of all. So the outcome is that of the vote among the candidates unless its
winner was dropped. Classes with equally few losses are told apart by the sum of their values, as
scikit-learn's OneVsOneClassifier does, and then by score.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.batches import slices
from dcsvm.data.pairs import class_pairs, machine_of
from dcsvm.data.some_pairs import NO_MACHINE
from dcsvm.machines.interface import PairValues
from dcsvm.routing.plausibility import Levels
from dcsvm.routing.route import Phase, Round

# Pairs of candidates of all rows that are held at a time.
PAIRS_AT_ONCE = 2**23


def vote_early(
    machines: PairValues,
    levels: Levels,
    query: Any,
    scores: NDArray[np.floating[Any]],
    candidates: NDArray[np.bool_],
    n_jobs: int | None = None,
) -> Iterator[Round]:
    """All rounds of the rows of a query, until the vote among their candidates is decided."""
    most = int(candidates.sum(axis=1).max(initial=1))
    for block in slices(len(scores), max(1, PAIRS_AT_ONCE // most**2)):
        vote = _Vote(levels, scores[block], candidates[block], most)
        while len(rows := vote.ask()):
            values = machines.values(query, rows + block.start, vote.machine, n_jobs)
            yield _moved(vote.count(values), block.start)
        yield _moved(vote.outcome(), block.start)


class _Vote:
    """Who has met whom. Candidates are numbered by their scores, row by row, the highest first."""

    def __init__(
        self,
        levels: Levels,
        scores: NDArray[np.floating[Any]],
        candidates: NDArray[np.bool_],
        most: int,
    ) -> None:
        self.levels = levels
        order = np.argsort(-np.where(candidates, scores, -np.inf), axis=1, kind="stable")
        self.classes = order[:, :most]
        self.candidates = np.take_along_axis(candidates, self.classes, axis=1)
        self.left = self.candidates.copy()  # those that can still win
        self.opponents = self.candidates.copy()
        n = len(scores)
        self.met = np.zeros((n, most, most), dtype=bool)
        self.met[:, np.arange(most), np.arange(most)] = True
        self.lost = np.zeros((n, most, most), dtype=bool)  # whether the first lost to the second
        self.value = np.zeros((n, most, most), dtype=np.float32)  # of the first against the second
        self.n_lost = np.zeros((n, most), dtype=np.int64)  # these two: of the opponents
        self.n_unmet = self.candidates.sum(axis=1, keepdims=True) - self.candidates
        self.undecided = np.arange(n)
        self.machine = np.empty(0, dtype=np.int32)

    def ask(self) -> NDArray[np.int64]:
        """The rows that are not decided yet; `machine` is what each of them needs next."""
        rows = self.undecided
        rows = rows[self.left[rows].sum(axis=1) > 1]
        among_left = rows[~self._asking(rows).any(axis=1)]
        self.opponents[among_left] = self.candidates[among_left]
        self._recount(among_left)
        asking = self._asking(rows)
        is_asking = asking.any(axis=1)
        self.undecided = rows = rows[is_asking]
        self.champion = asking[is_asking].argmax(axis=1)
        is_open = self.opponents[rows] & ~self.met[rows, self.champion]
        losses = np.where(is_open, self.n_lost[rows], np.iinfo(np.int64).max)
        self.challenger = losses.argmin(axis=1)
        pair = self.classes[rows[:, np.newaxis], np.stack([self.champion, self.challenger], axis=1)]
        i, j = np.sort(pair, axis=1).T
        self.machine = np.asarray(machine_of(i, j, self.levels.n_classes), dtype=np.int32)
        return self.undecided

    def count(self, values: NDArray[np.float64]) -> Round:
        """Count the losers of a round, and drop the classes for which a value is implausible."""
        rows, a, b = self.undecided, self.champion, self.challenger
        is_i = self.classes[rows, a] == class_pairs(self.levels.n_classes)[self.machine, 0]
        self.value[rows, a, b] = np.where(is_i, values, -values)
        self.value[rows, b, a] = -self.value[rows, a, b]
        a_lost = (values > 0) != is_i
        self.met[rows, a, b] = self.met[rows, b, a] = True
        self.lost[rows, a, b], self.lost[rows, b, a] = a_lost, ~a_lost
        self.n_lost[rows, np.where(a_lost, a, b)] += 1
        self.n_unmet[rows, a] -= 1
        self.n_unmet[rows, b] -= 1
        was_in = self._in(rows)
        # As the table holds them, so that a value that was seen is within the range.
        with np.errstate(over="ignore"):
            rounded = values.astype(np.float16).astype(np.float64)
        plausible = self.levels.plausible(self.machine, rounded)
        left = self.left[rows]
        stays = left & np.take_along_axis(plausible, self.classes[rows], axis=1)
        among_left = (self.opponents[rows] == left).all(axis=1)
        fewer = among_left & (stays != left).any(axis=1)
        self.left[rows] = stays
        self.opponents[rows[fewer]] = stays[fewer]
        self._recount(rows[fewer])
        return Round(rows, self.machine, values, was_in, self._in(rows))

    def _asking(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The classes with the fewest losses that have not met all their opponents."""
        return np.asarray(self._has_fewest_losses(rows) & (self.n_unmet[rows] > 0))

    def _recount(self, rows: NDArray[np.int64]) -> None:
        """The opponents of some rows have changed."""
        opponents = self.opponents[rows][:, np.newaxis]
        self.n_lost[rows] = (self.lost[rows] & opponents).sum(axis=2)
        self.n_unmet[rows] = (~self.met[rows] & opponents).sum(axis=2)

    def outcome(self) -> Round:
        """The class with the fewest losses, of the rows with more than one class left."""
        rows = np.flatnonzero(self.left.sum(axis=1) > 1)
        with np.errstate(over="ignore", invalid="ignore"):  # values may be infinite
            total = np.where(self.opponents[rows][:, np.newaxis], self.value[rows], 0).sum(axis=2)
        total = np.where(self._has_fewest_losses(rows), np.nan_to_num(total), -np.inf)
        after = np.zeros((len(rows), self.levels.n_classes), dtype=bool)
        after[np.arange(len(rows)), self.classes[rows, total.argmax(axis=1)]] = True
        no_machine = np.full(len(rows), NO_MACHINE, dtype=np.int32)
        return Round(rows, no_machine, np.zeros(len(rows)), self._in(rows), after, Phase.VOTE)

    def _has_fewest_losses(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        left = self.left[rows]
        n_lost = np.where(left, self.n_lost[rows], np.iinfo(np.int64).max)
        return np.asarray(left & (n_lost == n_lost.min(axis=1, keepdims=True)))

    def _in(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The candidates of some rows, a column for each class."""
        is_in = np.zeros((len(rows), self.levels.n_classes), dtype=bool)
        np.put_along_axis(is_in, self.classes[rows], self.left[rows], axis=1)
        return is_in


def _moved(round_: Round, by: int) -> Round:
    return round_._replace(rows=round_.rows + by)
