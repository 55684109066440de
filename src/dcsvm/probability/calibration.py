"""`Calibration`: how the values at a row become probabilities of all classes.

1. The sigmoids of the machines give probabilities within pairs (pair_sigmoids.py).
2. These are coupled among the classes that are compared (coupling.py); the logarithms of what comes
   out are multiplied by a number, the sharpness.
3. All classes share a small part of the probability, the spread, by how frequent they are. It is
   what the classes have that are not compared.
4. The class predicted gets at least as much as any other: where others have more, these and it
   share what they have equally, which is the smallest change of the probabilities that does it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from dcsvm.data.some_pairs import NO_MACHINE
from dcsvm.probability.contests import Codes, Contests
from dcsvm.probability.coupling import couple
from dcsvm.probability.pair_sigmoids import PairSigmoids

Floats = NDArray[np.float64]

# The log odds for the class with the higher score, of two that have no machine.
WITHOUT_MACHINE = 7.0
# What the class predicted takes of the probability of classes that would have as much.
TAKEN = 1e-6


class LeftOutRows(NamedTuple):
    """Rows that the machines had not been trained on, and what was made of them."""

    codes: Codes  # their classes
    probability: Floats  # of their own classes, by sigmoids of other rows left out
    weight: Floats


@dataclass(eq=False, frozen=True)
class Calibration:
    """What is fitted to rows that the machines were not trained on."""

    sigmoids: PairSigmoids
    sharpness: float
    spread: float
    frequency: Floats  # of every class; they add up to one
    left_out: LeftOutRows

    def probabilities(self, found: Contests) -> Floats:
        """The probabilities of all classes, shape (n, n_classes)."""
        compared = np.log(couple(self.logits(found)))
        return self.of_all(found.classes, sharpened(compared, self.sharpness))

    def logits(self, found: Contests) -> Floats:
        """The log odds of the first class of every pair of places."""
        logits = self.sigmoids.logits(found.machine, found.values)
        logits = np.where(found.first_is_lower, logits, -logits)
        return np.where(found.machine == NO_MACHINE, WITHOUT_MACHINE, logits)

    def of_all(self, classes: Codes, compared: Floats) -> Floats:
        """The probabilities of all classes from those of the classes compared alone."""
        n = len(classes)
        shared = np.broadcast_to(self.spread * self.frequency, (n, len(self.frequency))).copy()
        rows = np.arange(n)[:, np.newaxis]
        shared[rows, classes] += (1 - self.spread) * compared
        return with_most_for(shared, classes[:, 0])


def sharpened(log_probability: Floats, sharpness: float) -> Floats:
    """Probabilities whose logarithms are multiplied by a number, and which add up to one."""
    return np.asarray(softmax(sharpness * log_probability, axis=1))


def with_most_for(probability: Floats, winner: Codes) -> Floats:
    """The nearest probabilities by which no class has more than the winner of its row.

    These are equal for the winner and those that had more, and by a millionth in favour of the
    winner.
    """
    n, _k = probability.shape
    own = probability[np.arange(n), winner]
    others = probability.copy()
    others[np.arange(n), winner] = -np.inf
    for row in np.flatnonzero(others.max(axis=1) >= own * (1 - TAKEN)):
        probability[row] = _with_most_for(probability[row], int(winner[row]))
    return probability


def _with_most_for(probability: Floats, winner: int) -> Floats:
    order = np.argsort(-probability, kind="stable")
    order = order[order != winner]
    total, count = float(probability[winner]), 1
    while count <= len(order) and probability[order[count - 1]] * count > total:
        total += float(probability[order[count - 1]])
        count += 1
    equal = order[: count - 1]
    changed = probability.copy()
    changed[equal] = changed[winner] = total / count
    high = np.flatnonzero(changed > changed[winner] * (1 - TAKEN))
    high = high[high != winner]
    taken = changed[high] * TAKEN
    changed[high] -= taken
    changed[winner] += taken.sum()
    return changed
