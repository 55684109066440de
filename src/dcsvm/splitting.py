"""Rules that divide a candidate set: which machine to ask, and who is left after its answer."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from dcsvm.candidates import from_words, members
from dcsvm.pairs import class_pairs, machine_of
from dcsvm.separators import Sides, choose


class Split(NamedTuple):
    """What becomes of a candidate set for each interval of a decision value.

    `cuts` increase; children[t] are the candidates left by a value above exactly t of them.
    """

    cuts: tuple[float, ...]
    children: tuple[int, ...]


class Splitter(Protocol):
    """A rule. Both methods depend on their arguments alone; sets are bits of an integer."""

    n_classes: int

    def choose(self, candidates: int) -> int:
        """The machine to ask about two or more candidates."""

    def divide(self, machine: int, candidates: int) -> Split:
        """Who is left after that machine's answer: proper subsets, none empty."""


class SignSplitter:
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

    def choose(self, candidates: int) -> int:
        """Apply the criterion."""
        return choose(self.sides, members(candidates), self.criterion)

    def divide(self, machine: int, candidates: int) -> Split:
        """Split at zero."""
        i, j = (1 << int(c) for c in self._pairs[machine])
        others = candidates & ~(i | j)
        list_i = i | others & from_words(self.sides.to_i[machine])
        list_j = j | others & from_words(self.sides.to_j[machine])
        return Split((0.0,), (list_j, list_i))


class PlattSplitter:
    """DAGSVM (Platt, Cristianini and Shawe-Taylor, 2000): first against last, the loser goes."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    def choose(self, candidates: int) -> int:
        """The machine of the first and the last candidate."""
        i, j = self._ends(candidates)
        return int(machine_of(i, j, self.n_classes))

    def divide(self, machine: int, candidates: int) -> Split:
        """Drop the loser alone."""
        i, j = self._ends(candidates)
        return Split((0.0,), (candidates & ~(1 << i), candidates & ~(1 << j)))

    @staticmethod
    def _ends(candidates: int) -> tuple[int, int]:
        return (candidates & -candidates).bit_length() - 1, candidates.bit_length() - 1
