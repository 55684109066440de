"""Machines trained without some of the rows, which they are then judged by.

A fold leaves out at most every fifth row of a class. There are as many folds as it takes to leave
out `enough_rows`, but at most five, which leave out every row once. The only row of a class stays
in. All folds and the whole share kernel values, and the machines of a fold are trained from
the solution of the whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.rows import TrainingRows
from dcsvm.data.some_pairs import SomePairs
from dcsvm.machines.of_estimators import EstimatorMachines
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.training.problems import TrainingParameters
from dcsvm.training.variants import Variants, train_variants

PARTS = 5
# Sigmoids of more classes need more rows.
ENOUGH_OF_CLASS, ENOUGH_OF_FEW, ENOUGH_ROWS = 100, 900, 1500


class Fold(NamedTuple):
    """Machines, and the rows that they were not trained on."""

    machines: PairwiseMachines | EstimatorMachines
    rows: NDArray[np.int64]


class LeftOut(NamedTuple):
    """The rows of a fit, and its folds."""

    rows: TrainingRows
    folds: list[Fold]


def train_leaving_out(
    rows: TrainingRows,
    class_weight: NDArray[np.float64],
    parameters: TrainingParameters,
    some_pairs: SomePairs | None,
) -> tuple[PairwiseMachines, LeftOut]:
    """The machines of all rows, and those of the folds."""
    fold = fold_of_rows(rows)
    n_folds = int(fold.max(initial=-1)) + 1
    factor = np.ones((1 + n_folds, rows.n_rows))
    for f in range(n_folds):
        factor[1 + f, fold == f] = 0.0
    start = np.array([-1] + [0] * n_folds)
    nothing_asked = np.zeros(factor.shape, dtype=bool)
    variants = Variants(factor, start, nothing_asked)
    trained = train_variants(rows, class_weight, parameters, variants, some_pairs).machines
    folds = [Fold(machines, np.flatnonzero(fold == f)) for f, machines in enumerate(trained[1:])]
    return trained[0], LeftOut(rows, folds)


def fold_of_rows(rows: TrainingRows) -> NDArray[np.int64]:
    """The fold that leaves out each row, or −1."""
    enough = enough_rows(rows.n_classes)
    n_folds = int(np.clip(-(-enough * PARTS // max(rows.n_rows, 1)), 1, PARTS))
    sizes = np.diff(rows.class_start)
    place = np.arange(rows.n_rows) - np.repeat(rows.class_start[:-1], sizes)
    # Classes of few rows would all begin with the first fold.
    turn = np.repeat(np.cumsum(sizes) - sizes, sizes)
    fold = (place + turn) % PARTS
    fold[(fold >= n_folds) | np.repeat(sizes < 2, sizes)] = -1
    return np.asarray(fold)


def enough_rows(n_classes: int) -> int:
    """As many rows left out as make probabilities about as good as more would."""
    return int(np.clip(ENOUGH_OF_CLASS * n_classes, ENOUGH_OF_FEW, ENOUGH_ROWS))


def weights_left_out(left_out: LeftOut) -> NDArray[np.float64]:
    """Weights of the rows that folds leave out, those of a class as much as all its rows'."""
    rows = left_out.rows
    numbers = np.concatenate([fold.rows for fold in left_out.folds])
    codes, weight = rows.codes(numbers), rows.weight[numbers]
    total = np.add.reduceat(rows.weight, rows.class_start[:-1])
    drawn = np.bincount(codes, weights=weight, minlength=rows.n_classes)
    factor = np.divide(total, drawn, out=np.ones_like(total), where=drawn > 0)
    # Together they weigh what they weigh.
    in_shares = factor[codes] * weight
    return np.asarray(in_shares * (weight.sum() / max(in_shares.sum(), np.finfo(float).tiny)))
