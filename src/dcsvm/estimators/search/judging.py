"""What the machines of a point make of the test rows of each fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from dcsvm.data.rows import TrainingRows
from dcsvm.estimators.base import TrainingData
from dcsvm.estimators.progress import Progress
from dcsvm.estimators.search.fold_classifier import voted_codes
from dcsvm.estimators.search.fold_machines import FoldMachines, FoldProblem, train_folds
from dcsvm.estimators.search.folds import Fold, Rows, test_part
from dcsvm.estimators.search.grid import Setting
from dcsvm.estimators.search.scoring import Judged
from dcsvm.estimators.stages import StagesHere
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.training.problems import TrainingParameters

Floats = NDArray[np.float64]
# An unfitted classifier by the parameters of a point.
Make = Callable[[dict[str, Any]], Any]


class Judge(Protocol):
    """Judges the points of a kernel, and makes classifiers of them."""

    folds: list[Fold]
    settings: list[Setting]

    def judge(self, s: int, Cs: Floats, folds: Sequence[int]) -> list[list[Judged]]:
        """What the points of setting `s` make of the test rows: a list for each fold."""

    def classifiers(self, s: int, C: float) -> list[Any]:
        """The fitted classifier of a point in each fold."""


class JudgeByVariants:
    """By the machines of all pairs of classes, trained with shared kernel values."""

    def __init__(
        self,
        rows: Rows,
        problem: FoldProblem,
        settings: list[Setting],
        parameters: TrainingParameters,
        make: Make,
        owner: Any,
    ) -> None:
        self.owner = owner
        self.rows = rows
        self.problem = problem
        self.folds = problem.folds
        self.settings = settings
        self.parameters = parameters
        self.make = make

    def judge(self, s: int, Cs: Floats, folds: Sequence[int]) -> list[list[Judged]]:
        """Train the machines, and let them vote."""
        found = train_folds(self.problem, self.settings[s], Cs.tolist(), folds, self.parameters)
        judged = []
        for f, of_fold in zip(folds, found, strict=True):
            test = test_part(self.rows, self.folds[f], self.settings[s].kernel == "precomputed")
            points = zip(Cs.tolist(), of_fold, strict=True)
            judged.append(
                [self._judged(self.folds[f], test, of_point, s, C) for C, of_point in points]
            )
        return judged

    def classifiers(self, s: int, C: float) -> list[Any]:
        """Train the machines of the point once more: those of a search are not kept."""
        every = range(len(self.folds))
        found = train_folds(self.problem, self.settings[s], [C], every, self.parameters)
        return [
            self._classifier(fold, machines, s, C)
            for fold, (machines,) in zip(self.folds, found, strict=True)
        ]

    def _judged(
        self, fold: Fold, test: tuple[Any, Any], found: FoldMachines, s: int, C: float
    ) -> Judged:
        codes, problem = self.rows.codes[fold.test], self.problem
        voted = voted_codes(
            found, codes, problem.rows, problem.place[fold.test], self.parameters.n_jobs
        )
        values = None
        if len(self.rows.classes) == 2:
            values = found.values[np.arange(len(codes)), 1 - codes]
        return judged_rows(
            self.rows, fold, test, voted, values, lambda: self._classifier(fold, found, s, C)
        )

    def _classifier(self, fold: Fold, found: FoldMachines, s: int, C: float) -> Any:
        """A `DCSVC` of these machines, or where they do not suffice, fitted to the rows."""
        trained = self.problem.trained(fold)
        counts = trained > 0
        start = np.searchsorted(np.flatnonzero(counts), self.problem.rows.class_start)
        classifier = self.make({**self._parameters(s), "C": C})
        # One of a kernel matrix takes other columns, and one without a class has other classes.
        if self.problem.rows.place is not None or (np.diff(start) == 0).any():
            return fitted_to(classifier, self.rows, fold)
        rows = TrainingRows(self.problem.rows.X[counts], trained[counts], start)
        return with_machines(classifier, self.owner, rows, self.rows.classes, found.machines)

    def _parameters(self, s: int) -> dict[str, Any]:
        return {"kernel": self.settings[s].kernel, **self.settings[s].parameters}


class JudgeByFits:
    """By classifiers fitted one after the other, where not all pairs of classes get a machine."""

    def __init__(self, rows: Rows, folds: list[Fold], settings: list[Setting], make: Make) -> None:
        self.rows = rows
        self.folds = folds
        self.settings = settings
        self.make = make

    def judge(self, s: int, Cs: Floats, folds: Sequence[int]) -> list[list[Judged]]:
        """Fit and predict."""
        return [[self._judged(self.folds[f], s, C) for C in Cs.tolist()] for f in folds]

    def classifiers(self, s: int, C: float) -> list[Any]:
        """Fit again: the classifiers of a search are not kept."""
        return [self._fitted(fold, s, C) for fold in self.folds]

    def _fitted(self, fold: Fold, s: int, C: float) -> Any:
        setting = self.settings[s]
        classifier = self.make({"C": C, "kernel": setting.kernel, **setting.parameters})
        return fitted_to(classifier, self.rows, fold)

    def _judged(self, fold: Fold, s: int, C: float) -> Judged:
        classifier = self._fitted(fold, s, C)
        test = test_part(self.rows, fold, False)
        voted = np.searchsorted(self.rows.classes, classifier.predict(test[0]))
        return judged_rows(self.rows, fold, test, voted, None, lambda: classifier)


def judged_rows(
    rows: Rows,
    fold: Fold,
    test: tuple[Any, Any],
    voted: NDArray[np.int64],
    values: Floats | None,
    make: Callable[[], Any],
) -> Judged:
    """The test rows of a fold, their features and labels given, and the classes predicted."""
    weight = None if rows.weight is None else rows.weight[fold.test]
    return Judged(rows.codes[fold.test], voted, weight, *test, values, make)


def fitted_to(classifier: Any, rows: Rows, fold: Fold) -> Any:
    """The classifier fitted to the training rows of a fold."""
    X = _safe_indexing(rows.X, fold.train)
    if classifier.kernel == "precomputed":
        X = np.asarray(rows.checked)[np.ix_(fold.train, fold.train)]
    weight = None if rows.weight is None else rows.weight[fold.train]
    return classifier.fit(X, _safe_indexing(rows.y, fold.train), sample_weight=weight)


def with_machines(
    classifier: Any,
    owner: Any,
    rows: TrainingRows,
    classes: NDArray[Any],
    machines: PairwiseMachines,
) -> Any:
    """The classifier, fitted with machines that were trained on these rows of its `owner`'s."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(owner, name):
            setattr(classifier, name, getattr(owner, name))
    progress = Progress(classifier, None, None, classes)
    classifier._fit_rows(TrainingData(rows, classes, progress, TrainedAlready(machines)))
    return classifier


class TrainedAlready(StagesHere):
    """The stages of a fit whose machines are known."""

    def __init__(self, machines: PairwiseMachines) -> None:
        self.machines = machines

    def train(self, *of_problem: Any) -> PairwiseMachines:
        """These machines."""
        return self.machines
