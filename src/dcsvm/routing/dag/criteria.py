"""How well a machine divides a candidate set: purity, balance and score, and the choice by them.

For a candidate set S, with χ(x) = 1 if x > θ else 0 and sums over the classes l of S,

    purity   P_ij = Σ (χ(C_ij(l,i)) + χ(C_ij(l,j))) − |S|            lower is better
    balance  B_ij = min(|S| − Σ χ(C_ij(l,j)), |S| − Σ χ(C_ij(l,i)))  higher is better
    score    S_ij = (C_ij(i,i) + C_ij(j,j)) / 2                      higher is better

P counts the classes that stay undecided, B those surely on the smaller side, and S says how
well the machine separates its own two classes.

The gain of a machine is log(|S| / r), where r is the number of candidates that are expected to
be left. The machine's own two classes are judged by the sign. With a candidates on the side of i
and b on that of j, undecided ones on both, each as likely as another to be the right class,
r = (a² + b²) / (a + b).

Candidate sets are rows of 64-bit words, see candidate_sets.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import choose as choose_compiled
from dcsvm._util.batches import slices
from dcsvm.data.pairs import machine_of
from dcsvm.machines.compiled import instruction_set
from dcsvm.routing.candidate_sets import Words, pack
from dcsvm.routing.sides import Sides

CRITERIA = ("purity", "score", "cost")

# Machines that are compared in well under a second.
MACHINES_PER_CALL = 2**22


def purity_and_balance(
    sides: Sides, machine: NDArray[np.integer], candidates: Words
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """P and B of machine[t] over the set candidates[t], for every t."""
    size = np.bitwise_count(candidates).sum(axis=1, dtype=np.int64)
    to_i, to_j = (
        np.bitwise_count(sets[machine] & candidates).sum(axis=1, dtype=np.int64)
        for sets in (sides.to_i, sides.to_j)
    )
    return to_i + to_j - size, size - np.maximum(to_i, to_j)


class Measures(NamedTuple):
    """The machines with both classes in a set, and how well each divides it."""

    machine: NDArray[np.int64]
    purity: NDArray[np.int64]
    balance: NDArray[np.int64]
    score: NDArray[np.float64]


def measures(sides: Sides, classes: Sequence[int] | NDArray[np.integer]) -> Measures:
    """Purity, balance and score over the set of the given classes, in the order of the table."""
    members = np.unique(np.asarray(classes, dtype=np.int64))
    first, second = np.triu_indices(len(members), 1)
    machine = np.asarray(machine_of(members[first], members[second], sides.n_classes))
    candidates = pack(np.isin(np.arange(sides.n_classes), members)[np.newaxis])
    purity, balance = purity_and_balance(sides, machine, candidates)
    return Measures(machine, purity, balance, sides.score[machine])


def choose(sides: Sides, candidates: Words, criterion: str) -> NDArray[np.int32]:
    """The best machine for each set among those with both classes in it; the first of equals.

    "purity": lowest purity, then highest balance, then highest score.
    "score": highest score, then lowest purity, then highest balance.
    "cost": highest gain per cost.
    """
    if criterion not in CRITERIA:
        raise ValueError(f"criterion must be one of {CRITERIA}, got {criterion!r}.")
    machine = np.empty(len(candidates), dtype=np.int32)
    # An interrupt is raised between two calls.
    for some in slices(len(candidates), max(1, MACHINES_PER_CALL // len(sides.score))):
        choose_compiled(
            instruction_set=instruction_set(),
            n_classes=sides.n_classes,
            to_i=sides.to_i,
            to_j=sides.to_j,
            score=sides.score,
            cost=sides.cost,
            criterion=criterion,
            candidates=candidates[some],
            machine=machine[some],
        )
    return machine
