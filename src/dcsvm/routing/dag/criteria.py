"""How well a machine divides a candidate set: purity, balance and score.

For a candidate set S, with χ(x) = 1 if x > θ else 0 and sums over the classes l of S,

    purity   P_ij = Σ (χ(C_ij(l,i)) + χ(C_ij(l,j))) − |S|          lower is better
    balance  B_ij = min(|S| − Σ χ(C_ij(l,j)), |S| − Σ χ(C_ij(l,i)))  higher is better
    score    S_ij = (C_ij(i,i) + C_ij(j,j)) / 2                     higher is better

P counts the classes that stay undecided, B those surely on the smaller side, and S tells
how well the machine knows its own two classes. All functions are pure, look only at the
machines with both classes in S, and give one value for each, in the order of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.pairs import machine_of
from dcsvm.routing.candidate_sets import WORD_BITS, Words, candidate_set, to_words
from dcsvm.routing.sides import Sides

Classes = Sequence[int] | NDArray[np.integer]

CRITERIA = ("purity", "score", "cost")


def machines_within(candidates: Classes, n_classes: int) -> NDArray[np.int64]:
    """The machines whose two classes are both candidates."""
    classes = np.sort(np.asarray(candidates, dtype=np.int64))
    first, second = _pairs_of(len(classes))
    return np.asarray(machine_of(classes[first], classes[second], n_classes))


def purity(sides: Sides, candidates: Classes) -> NDArray[np.int64]:
    """P_ij: how many candidates stay undecided."""
    to_i, to_j = _candidates_per_side(sides, candidates)
    return to_i + to_j - len(candidates)


def balance(sides: Sides, candidates: Classes) -> NDArray[np.int64]:
    """B_ij: how many candidates are surely on the side that has fewer of them."""
    to_i, to_j = _candidates_per_side(sides, candidates)
    return np.asarray(len(candidates) - np.maximum(to_i, to_j))


def score(sides: Sides, candidates: Classes) -> NDArray[np.float64]:
    """S_ij: how well the machine tells its own two classes apart."""
    return sides.score[machines_within(candidates, sides.n_classes)]


def division(
    sides: Sides, machine: NDArray[np.integer], candidates: Words
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """P and B of machine[t] over the set candidates[t], for every t."""
    size = np.bitwise_count(candidates).sum(axis=1, dtype=np.int64)
    to_i, to_j = (
        np.bitwise_count(sets[machine] & candidates).sum(axis=1, dtype=np.int64)
        for sets in (sides.to_i, sides.to_j)
    )
    return to_i + to_j - size, size - np.maximum(to_i, to_j)


def gain(sides: Sides, candidates: Classes) -> NDArray[np.float64]:
    """The logarithm of |S| over the number of candidates that are expected to be left.

    i and j are judged by the sign. With a candidates on the side of i and b on that of j, those
    undecided on both, and all as likely to be right, (a² + b²) / (a + b) are left.
    """
    machines = machines_within(candidates, sides.n_classes)
    classes = np.sort(np.asarray(candidates, dtype=np.int64))
    own = classes[np.array(_pairs_of(len(classes)))]
    a, b = (
        _members(sets[machines], candidates) - sum(_has(sets[machines], c) for c in own) + 1.0
        for sets in (sides.to_i, sides.to_j)
    )
    return np.asarray(np.log(len(classes) * (a + b) / (a**2 + b**2)))


def _members(sets: Words, candidates: Classes) -> NDArray[np.int64]:
    mask = to_words(candidate_set(candidates), sets.shape[1])
    return np.asarray(np.bitwise_count(sets & mask).sum(axis=1, dtype=np.int64))


def _has(sets: Words, classes: NDArray[np.int64]) -> NDArray[np.int64]:
    word = sets[np.arange(len(sets)), classes // WORD_BITS]
    return np.asarray(
        word >> (classes % WORD_BITS).astype(np.uint64) & np.uint64(1), dtype=np.int64
    )


def choose(sides: Sides, candidates: Classes, criterion: str = "purity") -> int:
    """The machine for a node: the best by `criterion`, the first of equals.

    "purity": lowest purity, then highest balance, then highest score.
    "score": highest score, then lowest purity, then highest balance.
    "cost": highest `gain` per cost.
    """
    machines = machines_within(candidates, sides.n_classes)
    if criterion == "cost":
        return int(machines[np.argmax(gain(sides, candidates) / sides.cost[machines])])
    to_i, to_j = _candidates_per_side(sides, candidates, machines)
    own = sides.score[machines]
    # Purity first, balance second, in one number: balance is at most |S| / 2.
    division = (to_i + to_j) * (len(candidates) + 1) + np.maximum(to_i, to_j)
    if criterion == "purity":
        best = np.flatnonzero(division == division.min())
        return int(machines[best[np.argmax(own[best])]])
    if criterion == "score":
        best = np.flatnonzero(own == own.max())
        return int(machines[best[np.argmin(division[best])]])
    raise ValueError(f"criterion must be one of {CRITERIA}, got {criterion!r}.")


@lru_cache(maxsize=32)
def _pairs_of(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.triu_indices(n, 1)


def _candidates_per_side(
    sides: Sides, candidates: Classes, machines: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Σ χ(C_ij(l,i)) and Σ χ(C_ij(l,j)) over the candidates l."""
    if machines is None:
        machines = machines_within(candidates, sides.n_classes)
    return _members(sides.to_i[machines], candidates), _members(sides.to_j[machines], candidates)
