"""The scores of all points, in the forms that scikit-learn's searches have."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.user_line import level_of_user
from dcsvm.estimators.search.grid import Setting

Floats = NDArray[np.float64]


@dataclass
class Results:
    """Scores and times of shape (n_folds, n_settings, n_Cs); NaN where a point was given up."""

    settings: list[Setting]
    Cs: Floats
    score: Floats
    fit_time: Floats
    score_time: Floats

    @classmethod
    def empty(cls, n_folds: int, settings: list[Setting], Cs: Floats) -> Results:
        """Before the search."""
        shape = (n_folds, len(settings), len(Cs))
        return cls(settings, Cs, *(np.full(shape, np.nan) for _ in range(3)))

    def beside(self, other: Results) -> Results:
        """The same with further values of C."""
        order = np.argsort(Cs := np.concatenate([self.Cs, other.Cs]))

        def joined(name: str) -> Floats:
            both = np.concatenate([getattr(self, name), getattr(other, name)], axis=2)
            return np.asarray(both[:, :, order])

        return Results(
            self.settings, Cs[order], joined("score"), joined("fit_time"), joined("score_time")
        )

    def points(self) -> list[tuple[int, int]]:
        """Setting and C of every point, in the order of GridSearchCV: kernel, C, γ."""
        kernels = list(dict.fromkeys(id(setting.kernel) for setting in self.settings))
        return [
            (s, c)
            for kernel in kernels
            for c in range(len(self.Cs))
            for s, setting in enumerate(self.settings)
            if id(setting.kernel) == kernel
        ]

    def parameters(self, setting: int, c: int) -> dict[str, Any]:
        """Those of a point, as `DCSVC` takes them."""
        found = {"C": float(self.Cs[c]), **self.settings[setting].parameters}
        if self.has_several_kernels:
            found["kernel"] = self.settings[setting].kernel
        return found

    @property
    def has_several_kernels(self) -> bool:
        """Whether the kernel is searched for."""
        return any(s.kernel is not self.settings[0].kernel for s in self.settings)

    @property
    def mean_score(self) -> Floats:
        """(n_settings, n_Cs): over folds; NaN where a point was given up."""
        return np.asarray(self.score.mean(axis=0))

    def best(self) -> tuple[int, int] | None:
        """Setting and C of the highest mean score, of equals the first; None before there is one.

        As values of C rise, equals have the strongest regularisation.
        """
        mean = self.mean_score
        found = [(-mean[point], number) for number, point in enumerate(self.points())]
        found = [(score, number) for score, number in found if not np.isnan(score)]
        return self.points()[min(found)[1]] if found else None

    def cv_results(self) -> dict[str, Any]:
        """As GridSearchCV has them; what was given up is NaN."""
        points = self.points()
        s, c = np.array(points).T
        params = [self.parameters(*point) for point in points]
        found: dict[str, Any] = {}
        for name, times in (("fit_time", self.fit_time), ("score_time", self.score_time)):
            found |= _mean_and_std(name, times[:, s, c])
        for name in dict.fromkeys(name for of_point in params for name in of_point):
            found[f"param_{name}"] = _column([of_point.get(name) for of_point in params])
        found["params"] = params
        scores = self.score[:, s, c]
        for fold, of_fold in enumerate(scores):
            found[f"split{fold}_test_score"] = of_fold
        found |= _mean_and_std("test_score", scores)
        mean = scores.mean(axis=0)
        least = np.nanmin(mean, initial=0.0) - 1
        found["rank_test_score"] = _ranks(np.where(np.isnan(mean), least, mean))
        return found

    def warn_of_edges(self) -> None:
        """Say so if the best point lies on the edge of the grid; of two values, both are edges."""
        best = self.best()
        assert best is not None
        setting, c = best
        own = self.settings[setting]
        gammas = [s.gamma for s in self.settings if s.kernel is own.kernel]
        at_edge = []
        if len(self.Cs) > 2 and c in (0, len(self.Cs) - 1):
            at_edge.append(f"C={self.Cs[c]:g} (Cs)")
        numbers = [gamma for gamma in gammas if isinstance(gamma, int | float)]
        if len(numbers) > 2 and own.gamma in (min(numbers), max(numbers)):
            at_edge.append(f"gamma={own.gamma:g} (gammas)")
        if at_edge:
            warnings.warn(
                f"The best score is at the edge of the grid: {' and '.join(at_edge)}. Values "
                "beyond it may be better.",
                UserWarning,
                level_of_user(),
            )


def _mean_and_std(name: str, by_fold: Floats) -> dict[str, Floats]:
    return {f"mean_{name}": by_fold.mean(axis=0), f"std_{name}": by_fold.std(axis=0)}


def _column(values: list[Any]) -> Any:
    """A masked array, with a mask where a point does not have the parameter."""
    if all(isinstance(value, float) for value in values):
        return np.ma.MaskedArray(values, mask=False)
    column = np.ma.MaskedArray(np.empty(len(values), dtype=object), mask=True)
    for place, value in enumerate(values):
        if value is not None:
            column[place] = value
    return column


def _ranks(scores: NDArray[np.float64]) -> NDArray[np.int32]:
    """1 for the highest; equal scores share the smallest of their ranks."""
    return np.searchsorted(np.sort(-scores), -scores).astype(np.int32) + np.int32(1)
