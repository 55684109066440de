"""How often sets of classes hold the right one, against their size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import _check_sample_weight

from dcsvm.estimators.probabilities import codes_of_known
from dcsvm.inspection.drawing import BLUE, MARKED, axes
from dcsvm.inspection.fitted import last_of_pipeline
from dcsvm.inspection.probability_figures import CONFIDENCES, coverage


@dataclass(kw_only=True, eq=False, repr=False)
class CoverageDisplay:
    """How often the sets of `predict_set` hold the right class, against their mean size.

    Each confidence is a dot, with a dash at the coverage that was asked for. Good probabilities
    have small sets.

    Create it with `from_estimator`.

    Parameters
    ----------
    confidences : array of shape (n_confidences,)
        The chances asked for.
    coverage, mean_size : arrays of shape (n_confidences,)
        The share of the rows whose set has the right class, and the mean number of classes in a
        set.
    name : str, default=None
        The name in the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    """

    confidences: ArrayLike
    coverage: ArrayLike
    mean_size: ArrayLike
    name: str | None = None

    @classmethod
    def from_estimator(
        cls,
        clf: Any,
        X: Any,
        y: Any,
        *,
        confidences: Sequence[float] = CONFIDENCES,
        class_conditional: bool = False,
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Count the sets of a classifier for rows with known classes.

        Parameters
        ----------
        clf : fitted classifier of dcsvm with probabilities
            Or a pipeline or search that ends in one.
        X : array-like of shape (n_samples, n_features)
            Rows that were not used for training.
        y : array-like of shape (n_samples,)
            Their classes.
        confidences : sequence of float
            Chances in (0, 1); by default from 0.5 to 0.99.
        class_conditional : bool, default=False
            As in `predict_set`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        name : str, default=None
            The name in the legend; by default that of the class of the classifier.
        ax : matplotlib Axes, default=None
            Where to draw: the `ax_` of another display compares both.
        """
        check_consistent_length(X, y)
        chances = np.unique(np.asarray(confidences, dtype=np.float64))
        if len(chances) == 0:
            raise ValueError("confidences must have at least one value.")
        model, before = last_of_pipeline(clf)
        X = X if before is None else before.transform(X)
        codes = codes_of_known(model.classes_, y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        found = coverage(model, X, codes, weight, chances.tolist(), class_conditional)
        name = type(model).__name__ if name is None else name
        return cls(confidences=chances, **found._asdict(), name=name).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw the coverage against the size."""
        self.ax_ = ax = axes(ax, (5.2, 4.0))
        self.figure_ = ax.figure
        sizes = np.asarray(self.mean_size, dtype=np.float64)
        asked, found = 100 * np.asarray(self.confidences), 100 * np.asarray(self.coverage)
        is_first = not ax.lines
        colour = BLUE if is_first else None
        ax.plot(sizes, found, "o-", color=colour, markersize=4, label=self.name or "sets")
        label = "asked for" if is_first else None
        ax.plot(sizes, asked, "_", color=MARKED, markersize=12, label=label)
        ax.set_xlabel("classes in a set, on average")
        ax.set_ylabel("sets that have the right class, %")
        ax.grid(alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, fontsize=8, loc="lower right")
        return self
