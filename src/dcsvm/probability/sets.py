"""Sets of classes that hold the right one with a chance that is asked for.

The sets are conformal. Of rows that the machines were not trained on it is known how probable their
own class was found. If a new row is like these, its own class is among the least probable share α
of them with a chance of at most α. So the set of a row has all classes c with

    w{rows left out : probability of own class ≤ probability of c} + 1 > α (w{rows left out} + 1),

where w{…} is the weight of rows, their number without weights. That holds for any number of rows
and whatever the probabilities are worth; good ones make small sets.

V. Vovk, A. Gammerman and G. Shafer, "Algorithmic Learning in a Random World", Springer, 2005.
M. Sadinle, J. Lei and L. Wasserman, "Least Ambiguous Set-Valued Classifiers with Bounded Error
Levels", JASA 114, 2019.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dcsvm.probability.calibration import LeftOutRows
from dcsvm.probability.contests import Codes

Floats = NDArray[np.float64]

# Sums of weights are compared with what is asked to this precision.
ROUNDING = 1e-9


def threshold(probability: Floats, weight: Floats, confidence: float) -> float:
    """The probability from which on a class is in the set; zero where all classes are."""
    order = np.argsort(probability, kind="stable")
    below = np.cumsum(weight[order]) + 1
    needed = (1 - confidence) * (weight.sum() + 1)
    if needed < 1 - ROUNDING or len(order) == 0:
        return 0.0
    # A class as probable as row `order[place]` has as much weight below it.
    place = int(np.searchsorted(below, needed + ROUNDING, side="right"))
    return float(probability[order[min(place, len(order) - 1)]])


def thresholds(
    left_out: LeftOutRows, n_classes: int, confidence: float, class_conditional: bool
) -> Floats:
    """The same for every class; by the rows of each class alone where these are enough."""
    codes, probability, weight = left_out
    of_all = threshold(probability, weight, confidence)
    found = np.full(n_classes, of_all)
    if class_conditional:
        order = np.argsort(codes, kind="stable")
        parts = np.split(order, np.searchsorted(codes[order], np.arange(1, n_classes)))
        for c, part in enumerate(parts):
            if (1 - confidence) * (weight[part].sum() + 1) >= 1 - ROUNDING:
                found[c] = threshold(probability[part], weight[part], confidence)
    return found


def sets_of(probability: Floats, least: Floats, allow_empty: bool) -> NDArray[np.bool_]:
    """Which classes are in the set of each row."""
    is_in = probability >= least
    if not allow_empty:
        is_in[np.arange(len(is_in)), probability.argmax(axis=1)] = True
    return np.asarray(is_in)


def most_probable(probability: Floats, n: int) -> Codes:
    """The n most probable classes of each row in order, the lower class of equals first."""
    return np.argsort(-probability, axis=1, kind="stable")[:, :n]
