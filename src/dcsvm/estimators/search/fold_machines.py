"""The machines of all folds for all values of C, for one kernel.

Where all folds have the same kernel, they share its values: they are variants of one problem, each
solved from the solution of the same fold for the value of C before. Features standardised within
machines or before them, and gamma="scale", make the kernel that of the training rows of a fold.
Its values then serve all values of C of this fold alone, so that nothing of its test rows can leak
into them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.rows import TrainingRows
from dcsvm.estimators.search.folds import Fold, Rows
from dcsvm.estimators.search.grid import Setting
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.training.problems import TrainingParameters
from dcsvm.training.variants import Variants, train_variants

# Class weights for the training rows of a fold, from the weight of each class among them.
ClassWeights = Callable[[NDArray[np.float64]], NDArray[np.float64]]


class FoldMachines(NamedTuple):
    """The machines of a fold for one value of C."""

    machines: PairwiseMachines
    # (n_test_rows, n_classes): the values of the machines of the class of each test row, as
    # `VariantMachines` has them.
    values: NDArray[np.float64]


class FoldProblem(NamedTuple):
    """Rows sorted by class, and the folds among them."""

    rows: TrainingRows  # each of weight one
    order: NDArray[np.int64]  # their numbers as they were given
    place: NDArray[np.int64]  # the inverse of it
    weight: NDArray[np.float64]
    folds: list[Fold]
    class_weights: ClassWeights

    def trained(self, fold: Fold) -> NDArray[np.float64]:
        """The weight of every row in the training set of a fold, without that of its class."""
        times = fold.times_trained(len(self.weight))
        return np.asarray((self.weight * times)[self.order])

    def factor(self, fold: Fold) -> NDArray[np.float64]:
        """The factor of C for every row in a fold: zero for those that it leaves out."""
        trained = self.trained(fold)
        of_class = np.add.reduceat(trained, self.rows.class_start[:-1])
        of_row = np.repeat(self.class_weights(of_class), np.diff(self.rows.class_start))
        return np.asarray(trained * of_row)

    def is_test(self, fold: Fold) -> NDArray[np.bool_]:
        """Which rows a fold is judged by."""
        is_test = np.zeros(self.rows.n_rows, dtype=bool)
        is_test[self.place[fold.test]] = True
        return is_test

    def in_order_of_test(self, fold: Fold, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values of the test rows in the order of the fold, from those in the order of `rows`."""
        number = np.cumsum(self.is_test(fold)) - 1
        return np.asarray(values[number[self.place[fold.test]]])


def fold_problem(
    rows: Rows, folds: list[Fold], is_precomputed: bool, class_weights: ClassWeights
) -> FoldProblem:
    """Sort the rows by class. Equal ones are not merged: they may be in different folds."""
    order = np.argsort(rows.codes, kind="stable")
    class_start = np.searchsorted(rows.codes[order], np.arange(len(rows.classes) + 1))
    ones = np.ones(rows.n_rows)
    if is_precomputed:
        sorted_rows = TrainingRows(rows.checked, ones, class_start, order)
    else:
        sorted_rows = TrainingRows(rows.checked[order], ones, class_start)
    place = np.argsort(order)
    return FoldProblem(sorted_rows, order, place, rows.weight_or_one, folds, class_weights)


def shares_kernel(setting: Setting, scaling: str | None) -> bool:
    """Whether all folds have the same kernel."""
    return scaling is None and setting.gamma != "scale"


def train_folds(
    problem: FoldProblem,
    setting: Setting,
    Cs: Sequence[float],
    which: Sequence[int],
    parameters: TrainingParameters,
) -> list[list[FoldMachines]]:
    """The machines of some folds for all of these values of C, rising: a list for each fold."""
    gamma = 1.0 if setting.gamma is None else setting.gamma
    parameters = replace(parameters, C=1.0, kernel=setting.kernel, gamma=gamma)
    folds = [problem.folds[f] for f in which]
    if shares_kernel(setting, parameters.scaling):
        return _train_together(problem, problem.rows, folds, Cs, parameters)
    found = []
    for fold in folds:
        # Rows of weight zero count for neither the scaling nor γ.
        rows = replace(problem.rows, weight=problem.trained(fold))
        found += _train_together(problem, rows, [fold], Cs, parameters)
    return found


def _train_together(
    problem: FoldProblem,
    rows: TrainingRows,
    folds: list[Fold],
    Cs: Sequence[float],
    parameters: TrainingParameters,
) -> list[list[FoldMachines]]:
    n = len(folds)
    factors = np.array([problem.factor(fold) for fold in folds])
    # The weights in `rows` count already.
    factors = np.divide(factors, rows.weight, out=np.zeros_like(factors), where=rows.weight > 0)
    asked = np.array([problem.is_test(fold) for fold in folds])
    variants = Variants(
        factor=np.concatenate([C * factors for C in Cs]),
        start=np.maximum(np.arange(n * len(Cs)) - n, -1),
        asked=np.tile(asked, (len(Cs), 1)),
    )
    found = train_variants(rows, np.ones(rows.n_classes), parameters, variants)
    trained = [FoldMachines(*of_variant) for of_variant in zip(*found, strict=True)]
    return [
        [one._replace(values=problem.in_order_of_test(fold, one.values)) for one in trained[f::n]]
        for f, fold in enumerate(folds)
    ]
