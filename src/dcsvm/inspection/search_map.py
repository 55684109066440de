"""The scores of a search over C and γ as plain data: for pictures, reports and model files."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dcsvm.estimators.dcsvc_cv import DCSVCCV
from dcsvm.inspection.fitted import find_classifier


class SearchMap(NamedTuple):
    """Mean scores of all points; a point that was given up has the mean of the folds it was in."""

    Cs: list[float]
    settings: list[str]  # in words, the kernel with its γ, as the points have them
    scores: list[list[float | None]]  # (n_settings, n_Cs); None: in no fold
    n_folds: list[list[int]]  # in which each has a score
    best: tuple[int, int]  # setting and C

    @classmethod
    def of(cls, model: Any) -> Self:
        """Of a fitted `DCSVCCV`, or of a pipeline that ends in one."""
        clf = last_step(model)
        if not isinstance(clf, DCSVCCV):
            raise TypeError(f"{type(clf).__name__} has no scores of a search: fit a DCSVCCV.")
        check_is_fitted(clf, "scores_")
        known = ~np.isnan(clf.scores_)
        with warnings.catch_warnings(action="ignore"):
            mean = np.nanmean(clf.scores_, axis=0)
        best = clf.settings_.index((clf.kernel_, clf.gamma_)), clf.Cs_.tolist().index(clf.C_)
        names = len({kernel for kernel, _ in clf.settings_}) > 1
        return cls(
            clf.Cs_.tolist(),
            [in_words(kernel, gamma, names) for kernel, gamma in clf.settings_],
            [[None if np.isnan(score) else score for score in of] for of in mean.tolist()],
            known.sum(axis=0).tolist(),
            best,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """What `_asdict` gave, after it was written as JSON."""
        s, c = data["best"]
        return cls(**{**data, "best": (s, c)})


def last_step(model: Any) -> Any:
    """The classifier in which a pipeline ends; it need not have been fitted to all rows."""
    if hasattr(model, "steps"):
        return model[-1]
    return model if isinstance(model, DCSVCCV) else find_classifier(model).classifier


def in_words(kernel: Any, gamma: float | str | None, names_kernel: bool) -> str:
    """A kernel with its γ."""
    name = kernel if isinstance(kernel, str) else getattr(kernel, "__name__", repr(kernel))
    if gamma is None:
        return name
    value = gamma if isinstance(gamma, str) else f"{gamma:.4g}"
    return f"{name}, γ = {value}" if names_kernel else f"γ = {value}"
