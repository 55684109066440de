"""Rules that divide candidate sets: which machine to evaluate, and which classes its value leaves.

All work on many sets at a time, rows of 64-bit words as in candidate_sets.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import HIGHEST_LEVEL
from dcsvm.data.pairs import class_pairs, machine_of
from dcsvm.routing.candidate_sets import WORD_BITS, Words, pack, unpack
from dcsvm.routing.dag.criteria import choose
from dcsvm.routing.plausibility import Levels
from dcsvm.routing.sides import Sides

# Cuts of a node that looks at values: each makes for another child.
MOST_CUTS = 7


class Cuts(NamedTuple):
    """Where the values of some nodes' machines are cut, increasing within a node."""

    n_cuts: NDArray[np.int64]  # of each node
    cuts: NDArray[np.float64]  # one node after the other


class Splitter(Protocol):
    """A rule. Its result for a set depends on that set alone."""

    n_classes: int

    def choose(self, candidates: Words) -> NDArray[np.int32]:
        """The machine to evaluate for each set, all of two or more candidates."""

    def cuts(self, machine: NDArray[np.int32], candidates: Words) -> Cuts:
        """Where to cut the values of these machines."""

    def children(
        self, machine: NDArray[np.int32], candidates: Words, interval: NDArray[np.int64]
    ) -> Words:
        """The candidates left by a value above exactly `interval` cuts: fewer, but at least one."""


class _CutAtZero:
    """What rules share that look at signs alone."""

    def cuts(self, machine: NDArray[np.int32], candidates: Words) -> Cuts:
        """Zero."""
        return Cuts(np.ones(len(machine), dtype=np.int64), np.zeros(len(machine)))


class SignSplitter(_CutAtZero):
    """The paper's rule: the sign of the value decides.

    A positive value of svm_ij leaves list_i = {i} ∪ {l ≠ i, j : C_ij(l, i) > θ}, any other
    value list_j. The loser of i and j is out, however often svm_ij errs on it, so that
    every decision removes a class.
    """

    def __init__(self, sides: Sides, criterion: str) -> None:
        self.n_classes = sides.n_classes
        self.sides = sides
        self.criterion = criterion
        self._pairs = class_pairs(sides.n_classes)

    def choose(self, candidates: Words) -> NDArray[np.int32]:
        """The best machine by the criterion."""
        return choose(self.sides, candidates, self.criterion)

    def children(
        self, machine: NDArray[np.int32], candidates: Words, interval: NDArray[np.int64]
    ) -> Words:
        """list_i for a positive value, list_j for another."""
        to_i = interval > 0
        i, j = self._pairs[machine].T
        winner, loser = np.where(to_i, i, j), np.where(to_i, j, i)
        side = np.where(to_i[:, np.newaxis], self.sides.to_i[machine], self.sides.to_j[machine])
        words = candidates.shape[1]
        return (candidates & side & ~_only(loser, words)) | _only(winner, words)


class MarginSplitter(SignSplitter):
    """The value decides: classes for which it is implausible are dropped, as is the loser.

    Machines are chosen by the signs alone. The values of a node's machine are cut where the set
    of plausible classes changes, at `MOST_CUTS` places at most: between two cuts a class stays if
    it is plausible anywhere there.
    """

    def __init__(self, levels: Levels, sides: Sides, criterion: str) -> None:
        super().__init__(sides, criterion)
        self.levels = levels

    def cuts(self, machine: NDArray[np.int32], candidates: Words) -> Cuts:
        """Zero, and some of the ends of plausible ranges."""
        found = [self._cuts(m, words).at for m, words in zip(machine, candidates, strict=True)]
        n_cuts = np.array([len(values) for values in found], dtype=np.int64)
        return Cuts(n_cuts, np.concatenate([np.empty(0), *found]))

    def children(
        self, machine: NDArray[np.int32], candidates: Words, interval: NDArray[np.int64]
    ) -> Words:
        """Those plausible in the interval, without the loser."""
        left = np.empty((len(machine), self.n_classes), dtype=bool)
        for t, (m, words) in enumerate(zip(machine, candidates, strict=True)):
            (i, j), cuts, c = self._pairs[m], self._cuts(m, words), interval[t]
            lowest = cuts.above[c - 1] if c > 0 else 0
            highest = cuts.below[c] if c < len(cuts.at) else HIGHEST_LEVEL
            k = self.n_classes
            overlaps = (self.levels.low[m, :k] <= highest) & (self.levels.high[m, :k] >= lowest)
            left[t] = unpack(words[np.newaxis], k)[0] & overlaps
            is_i = c > 0 and cuts.at[c - 1] >= 0
            left[t, [i, j]] = is_i, not is_i
        return pack(left)

    def _cuts(self, m: int, words: Words) -> _LevelCuts:
        is_in = unpack(words[np.newaxis], self.n_classes)[0]
        is_in[self._pairs[m]] = False
        low, high = self.levels.low[m, : self.n_classes], self.levels.high[m, : self.n_classes]
        ends = np.unique(np.concatenate([low[is_in], high[is_in].astype(np.int64) + 1]))
        ends = ends[(ends > 0) & (ends <= HIGHEST_LEVEL)]
        if len(ends) >= MOST_CUTS:
            ends = ends[np.linspace(0, len(ends) - 1, MOST_CUTS - 1).round().astype(np.int64)]
        origin, scale = self.levels.origin[m], self.levels.scale[m]
        at = np.concatenate([[0.0], origin + (ends - 1) / scale])
        zero = int(np.clip(np.ceil(-origin * scale), 0, HIGHEST_LEVEL))
        order = np.argsort(at, kind="stable")
        above = np.concatenate([[zero], ends])[order]
        below = np.concatenate([[zero], ends - 1])[order]
        return _LevelCuts(at[order], above, below)


class _LevelCuts(NamedTuple):
    at: NDArray[np.float64]
    above: NDArray[np.int64]  # the lowest level of values above a cut
    below: NDArray[np.int64]  # the highest level of those not above it


class PlattSplitter(_CutAtZero):
    """DAGSVM (Platt, Cristianini and Shawe-Taylor, 2000): first against last, the loser goes."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    def choose(self, candidates: Words) -> NDArray[np.int32]:
        """The machine of the first and the last candidate."""
        first, last = self._ends(candidates)
        return np.asarray(machine_of(first, last, self.n_classes), dtype=np.int32)

    def children(
        self, machine: NDArray[np.int32], candidates: Words, interval: NDArray[np.int64]
    ) -> Words:
        """All but the loser."""
        first, last = self._ends(candidates)
        return candidates & ~_only(np.where(interval > 0, last, first), candidates.shape[1])

    def _ends(self, candidates: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        is_in = unpack(candidates, self.n_classes)
        return is_in.argmax(axis=1), self.n_classes - 1 - is_in[:, ::-1].argmax(axis=1)


def _only(classes: NDArray[Any], n_words: int) -> Words:
    """Sets of one class each."""
    words = np.zeros((len(classes), n_words), dtype=np.uint64)
    bits = np.uint64(1) << (classes % WORD_BITS).astype(np.uint64)
    words[np.arange(len(classes)), classes // WORD_BITS] = bits
    return words
