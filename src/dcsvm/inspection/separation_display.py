"""The decision values of one machine at the rows of all classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcsvm.data.labels import encode_labels
from dcsvm.inspection.drawing import BLUE, INK, MARKED, SOFT, axes
from dcsvm.inspection.fitted import class_index, find_classifier
from dcsvm.routing.plausibility import plausible_range

NEUTRAL = "#b08900"
MOST_CLASSES = 60


@dataclass(kw_only=True, eq=False, repr=False)
class SeparationDisplay:
    """The decision values of one machine A vs B, class by class.

    Dots are rows. The thick bar of a class spans the values of its training rows. The thin line
    spans the values that are plausible for it at θ; any other value drops the class. Blue classes
    are on the side of A, red ones on that of B, and yellow ones are undecided: on either side is
    a share above θ of their rows.

    Create it with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    values : array of shape (n_rows,)
        The machine's values at some rows.
    codes : array of int of shape (n_rows,)
        The classes of the rows, as indices into `names`.
    names : sequence of str
        The names of all classes.
    machine : tuple of (int, int)
        The two classes of the machine.
    theta : float
        A class is on a side if a share above θ of its rows is.
    positive : array of shape (n_classes,), default=None
        The share of each class with positive values; by default counted from `values`.
    low, high : arrays of shape (n_classes,), default=None
        The range of the training values of each class; by default that of `values`.
    plausible : tuple of two arrays of shape (n_classes,), default=None
        The range of values that are plausible for each class.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    """

    values: ArrayLike
    codes: ArrayLike
    names: Sequence[str]
    machine: tuple[int, int]
    theta: float = 0.0
    positive: ArrayLike | None = None
    low: ArrayLike | None = None
    high: ArrayLike | None = None
    plausible: tuple[ArrayLike, ArrayLike] | None = None

    @classmethod
    def from_estimator(
        cls,
        clf: Any,
        machine: tuple[Any, Any] | None = None,
        *,
        X: Any = None,
        y: Any = None,
        class_names: Sequence[Any] | None = None,
        max_classes: int | None = MOST_CLASSES,
        ax: Any = None,
    ) -> Self:
        """Show a machine of a fitted classifier.

        Parameters
        ----------
        clf : fitted DCSVC or DivideAndConquerClassifier
            Or a pipeline that ends in one.
        machine : tuple of two classes, default=None
            The two classes of the machine; by default the machine evaluated for most rows.
        X, y : array-likes, default=None
            The rows shown as dots, and their classes; by default the training rows kept by
            `fit`.
        class_names : sequence of str, default=None
            The names of the classes.
        max_classes : int, default=60
            The number of classes shown, those nearest to zero. None for all.
        ax : matplotlib Axes, default=None
            Where to draw.
        """
        fitted = find_classifier(clf)
        model = fitted.classifier
        table = fitted.table
        if table.values is None:
            raise TypeError("The table of this classifier has no statistics of decision values.")
        rows = fitted.labelled_rows(X, y)
        m = fitted.machine_index(machine, rows)
        n = len(rows.weight)
        query = model.machines_.prepare(rows.X)
        values = model.machines_.values(query, np.arange(n), np.full(n, m, dtype=np.int32))
        theta = 0.0 if fitted.theta is None else fitted.theta
        plausible = None
        if getattr(model, "routing", "sign") == "margin":
            low, high = plausible_range(table.values, theta, slice(m, m + 1))
            plausible = (low[0], high[0])
        made = cls(
            values=values,
            codes=np.asarray(rows.codes),
            names=fitted.names(class_names),
            machine=tuple(model.machines_.pairs[m].tolist()),
            theta=theta,
            positive=table.counts[m, :, 0] / table.counts[m].sum(axis=1),
            low=table.values.low[m].astype(np.float64),
            high=table.values.high[m].astype(np.float64),
            plausible=plausible,
        )
        return made.plot(ax=ax, max_classes=max_classes)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        values: ArrayLike,
        machine: tuple[Any, Any],
        *,
        theta: float = 0.0,
        max_classes: int | None = MOST_CLASSES,
        ax: Any = None,
    ) -> Self:
        """Show decision values of a machine, positive for the first of its two classes.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            The classes of the rows.
        values : array-like of shape (n_samples,)
            The values.
        machine : tuple of two classes
            The two classes that it tells apart.
        theta : float, default=0.0
            A class is on a side if a share above θ of its rows is.
        max_classes : int, default=60
            The number of classes shown, those nearest to zero. None for all.
        ax : matplotlib Axes, default=None
            Where to draw.
        """
        classes, codes = encode_labels(y_true, cls.__name__)
        values = np.asarray(values, dtype=np.float64)
        if values.shape != codes.shape:
            raise ValueError(f"values has shape {values.shape}, but there are {len(codes)} labels.")
        labels = classes.tolist()
        i, j = (class_index(labels, c) for c in machine)
        made = cls(
            values=values,
            codes=codes,
            names=[str(label) for label in labels],
            machine=(i, j),
            theta=theta,
        )
        return made.plot(ax=ax, max_classes=max_classes)

    def plot(self, *, ax: Any = None, max_classes: int | None = MOST_CLASSES) -> Self:
        """Draw the classes; of more than `max_classes` those nearest to zero."""
        values, codes = np.asarray(self.values, dtype=np.float64), np.asarray(self.codes)
        k = len(self.names)
        positive, low, high = self._summary(values, codes, k)
        middle = (low + high) / 2
        shown = np.argsort(np.abs(middle), kind="stable")[:max_classes]
        shown = np.union1d(shown, self.machine)
        shown = shown[np.argsort(middle[shown], kind="stable")]
        self.ax_ = ax = axes(ax, (6.4, 1.3 + 0.24 * len(shown)))
        self.figure_ = ax.figure
        self._draw_zero(ax)
        jitter = np.random.default_rng(0)
        for place, c in enumerate(shown.tolist()):
            colour = self._colour(float(positive[c]))
            if self.plausible is not None and c not in self.machine:
                ends = [float(np.asarray(end)[c]) for end in self.plausible]
                ax.plot(ends, [place] * 2, color=colour, linewidth=0.9, zorder=2)
            ax.plot([low[c], high[c]], [place] * 2, color=colour, linewidth=5, alpha=0.35, zorder=2)
            of_class = values[codes == c]
            height = place + jitter.uniform(-0.22, 0.22, len(of_class))
            ax.scatter(of_class, height, s=4, color=colour, linewidths=0, zorder=3)
        self._name_classes(ax, shown, positive)
        return self

    def _summary(
        self, values: NDArray[Any], codes: NDArray[Any], k: int
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The share of positive values, the lowest and the highest value of each class."""

        def per_class(known: ArrayLike | None, count: Any) -> NDArray[Any]:
            if known is not None:
                return np.asarray(known, dtype=np.float64)
            return np.array([count(values[codes == c]) for c in range(k)], dtype=np.float64)

        return (
            per_class(self.positive, lambda v: (v > 0).mean()),
            per_class(self.low, np.min),
            per_class(self.high, np.max),
        )

    def _colour(self, positive: float) -> str:
        if positive > self.theta and 1 - positive > self.theta:
            return NEUTRAL
        return BLUE if positive > 0.5 else MARKED

    def _draw_zero(self, ax: Any) -> None:
        ax.axvline(0, color=INK, linewidth=1.2, zorder=1)
        for margin in (-1, 1):
            ax.axvline(margin, color=SOFT, linewidth=0.8, linestyle="--", zorder=1)
        i, j = (self.names[c] for c in self.machine)
        ax.set_xlabel(f"decision value of {i} vs {j}:  ← {j}    {i} →", parse_math=False)

    def _name_classes(self, ax: Any, shown: NDArray[Any], positive: NDArray[Any]) -> None:
        places = range(len(shown))
        ax.set_yticks(places, [self.names[c] for c in shown], parse_math=False, fontsize=8)
        for tick, c in zip(ax.get_yticklabels(), shown.tolist(), strict=True):
            tick.set_fontweight("bold" if c in self.machine else "normal")
        ax.set_ylim(-0.7, len(shown) - 0.3)
        right = ax.secondary_yaxis("right")
        right.set_yticks(places, [f"{100 * positive[c]:.3g} %" for c in shown], fontsize=7)
        right.tick_params(length=0)
        right.set_ylabel(
            f"share on the side of {self.names[self.machine[0]]}", fontsize=8, parse_math=False
        )
        rest = len(self.names) - len(shown)
        ax.set_ylabel("class" if not rest else f"class ({rest} further from zero not shown)")
        ax.spines[["top", "right"]].set_visible(False)
        right.spines["right"].set_visible(False)
