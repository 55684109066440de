"""How often classes are right, against their probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length, check_scalar
from sklearn.utils.validation import _check_sample_weight

from dcsvm.data.labels import label_vector
from dcsvm.inspection.drawing import BLUE, INK, SOFT, axes
from dcsvm.inspection.fitted import class_index
from dcsvm.inspection.probability_figures import reliability


@dataclass(kw_only=True, eq=False, repr=False)
class ReliabilityDisplay:
    """How often classes are right, against the probability that they have.

    Probabilities that can be trusted are on the diagonal: of the rows whose class has a probability
    of 80 %, four in five are right. Bars show the share of the rows in each bin.

    It is like scikit-learn's `CalibrationDisplay`, but for any number of classes. Create it with
    `from_estimator`.

    Parameters
    ----------
    mean_probability, share_right, share_of_rows : arrays of shape (n_bins_with_rows,)
        Of each bin that has rows: the mean probability, how often it was right, and the share of
        all rows.
    error : float
        The expected calibration error: how far both are apart on average over the rows.
    name : str, default=None
        The name in the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    """

    mean_probability: ArrayLike
    share_right: ArrayLike
    share_of_rows: ArrayLike
    error: float
    name: str | None = None

    @classmethod
    def from_estimator(
        cls,
        clf: Any,
        X: Any,
        y: Any,
        *,
        label: Any = None,
        n_bins: int = 10,
        strategy: Literal["uniform", "quantile"] = "uniform",
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Compare the probabilities of a classifier with the classes of rows.

        Parameters
        ----------
        clf : fitted classifier with `predict_proba`
            Of dcsvm or another library, or a pipeline that ends in one.
        X : array-like of shape (n_samples, n_features)
            Rows that were not used for training.
        y : array-like of shape (n_samples,)
            Their classes.
        label : class, default=None
            The class whose probabilities are compared; None takes in each row the class with the
            highest.
        n_bins : int, default=10
            The number of bins.
        strategy : {"uniform", "quantile"}, default="uniform"
            Whether bins are equally wide, or have equally many rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        name : str, default=None
            The name in the legend; by default that of the class of `clf`.
        ax : matplotlib Axes, default=None
            Where to draw: the `ax_` of another display compares both.
        """
        check_scalar(n_bins, "n_bins", Integral, min_val=1)
        if strategy not in ("uniform", "quantile"):
            raise ValueError(f"strategy must be 'uniform' or 'quantile', not {strategy!r}.")
        check_consistent_length(X, y)
        probability = np.asarray(clf.predict_proba(X), dtype=np.float64)
        truth = label_vector(y)
        if label is None:
            said = probability.max(axis=1)
            right = clf.classes_[probability.argmax(axis=1)] == truth
        else:
            said = probability[:, class_index(clf.classes_.tolist(), label)]
            right = truth == label
        weight = _check_sample_weight(sample_weight, probability, dtype=np.float64)
        found = reliability(said, right, weight, int(n_bins), strategy)
        name = type(clf).__name__ if name is None else name
        return cls(**found._asdict(), error=found.error, name=name).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw the diagram."""
        self.ax_ = ax = axes(ax, (4.6, 4.4))
        self.figure_ = ax.figure
        said, right = np.asarray(self.mean_probability), np.asarray(self.share_right)
        ax.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle=":")
        ax.bar(said, self.share_of_rows, width=0.03, color=SOFT, alpha=0.35, zorder=1)
        colour = BLUE if len(ax.lines) == 1 else None
        label = f"{self.name or 'probabilities'}: error {100 * self.error:.2g} %"
        ax.plot(said, right, "o-", color=colour, markersize=4, label=label)
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        ax.set_xlabel("mean probability")
        ax.set_ylabel("share of rows that are right")
        ax.grid(alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, fontsize=8, loc="upper left")
        return self
