"""Accuracy and cost against θ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcsvm.data.labels import label_vector
from dcsvm.estimators.prediction import RethresholdMixin
from dcsvm.inspection.drawing import BLUE, GREEN, INK, MARKED, axes
from dcsvm.inspection.fitted import find_classifier
from dcsvm.inspection.voting import vote_of_all

# The values of θ at which a classifier is compared with itself.
THETAS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)


@dataclass(kw_only=True, eq=False, repr=False)
class ThresholdDisplay:
    """Accuracy and cost of prediction against the threshold θ.

    The upper panel shows the accuracy, and as a dashed line that of a vote of all machines. The
    lower panel shows the cost per row, in per cent of the cost of the vote: decisions (machines
    evaluated), their support vectors, and kernel evaluations.

    Create it with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    thetas : array of shape (n_thetas,)
    accuracy, decisions : arrays of shape (n_thetas,)
        The accuracy, and the machines evaluated per row.
    support_vectors, kernel_evaluations : arrays of shape (n_thetas,), default=None
        Per row, where known.
    vote : dict, default=None
        The same numbers for the vote, where known: "accuracy", "decisions", "support_vectors",
        "kernel_evaluations".
    theta : float, default=None
        The θ of the classifier, marked by a dotted line.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Of the accuracy.
    cost_ax_ : matplotlib Axes
        Of the cost.
    figure_ : matplotlib Figure
    """

    thetas: ArrayLike
    accuracy: ArrayLike
    decisions: ArrayLike
    support_vectors: ArrayLike | None = None
    kernel_evaluations: ArrayLike | None = None
    vote: dict[str, float] | None = None
    theta: float | None = None

    @classmethod
    def from_estimator(
        cls,
        clf: Any,
        X: Any,
        y: Any,
        *,
        thetas: Sequence[float] = THETAS,
        sample_weight: Any = None,
        ax: Any = None,
    ) -> Self:
        """Evaluate a classifier at several θ. Nothing is trained.

        Parameters
        ----------
        clf : fitted DCSVC or DivideAndConquerClassifier
            Or a pipeline that ends in one.
        X : array-like of shape (n_samples, n_features)
            Rows, preferably not used for training.
        y : array-like of shape (n_samples,)
            Their classes.
        thetas : sequence of float
            Fractions in [0, 0.5); by default from 0.0001 to 0.2.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        ax : matplotlib Axes, default=None
            Where to draw; divided into two panels.
        """
        fitted = find_classifier(clf)
        model = fitted.classifier
        if not isinstance(model, RethresholdMixin):
            raise TypeError(f"{type(model).__name__} has no θ.")
        values = np.unique(np.asarray(thetas, dtype=np.float64))
        if len(values) == 0:
            raise ValueError("thetas must have at least one value.")
        rows = fitted.transformed(X)
        accuracy, costs = [], []
        for theta in values.tolist():
            other = model.rethreshold(theta=theta)  # type: ignore[attr-defined]
            accuracy.append(other.score(rows, y, sample_weight))
            costs.append(_mean_cost(other, rows, sample_weight))
        voting = vote_of_all(model)
        right = voting.predict(rows) == label_vector(y)
        vote = {
            "accuracy": float(np.average(right, weights=sample_weight)),
            **_mean_cost(voting, rows, sample_weight),
        }
        by_name: Any = {name: [cost[name] for cost in costs] for name in costs[0]}
        made = cls(thetas=values, accuracy=accuracy, vote=vote, theta=fitted.theta, **by_name)
        return made.plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Sequence[Any],
        *,
        thetas: ArrayLike,
        decisions: ArrayLike,
        support_vectors: ArrayLike | None = None,
        kernel_evaluations: ArrayLike | None = None,
        vote: dict[str, float] | None = None,
        theta: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Show given predictions.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            The classes of the rows.
        y_pred : sequence of array-likes of shape (n_samples,)
            The predictions at each θ.
        thetas : array-like of shape (n_thetas,)
            The values of θ.
        decisions, support_vectors, kernel_evaluations : array-like, default=None
            The cost at each θ: averages of shape (n_thetas,), or the cost of each row, of shape
            (n_thetas, n_samples).
        vote : dict, default=None
            The same averages for the vote, and its "accuracy".
        theta : float, default=None
            The θ of the classifier.
        ax : matplotlib Axes, default=None
            Where to draw; divided into two panels.
        """
        truth = label_vector(y_true)
        accuracy = [float(np.mean(label_vector(predicted) == truth)) for predicted in y_pred]
        made = cls(
            thetas=thetas,
            accuracy=accuracy,
            decisions=_per_theta(decisions),
            support_vectors=_per_theta(support_vectors),
            kernel_evaluations=_per_theta(kernel_evaluations),
            vote=vote,
            theta=theta,
        )
        return made.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw both panels; `ax` is divided between them."""
        thetas = np.asarray(self.thetas, dtype=np.float64)
        order = np.argsort(thetas)
        ax = axes(ax, (5.6, 4.6))
        # Not make_axes_locatable, which ignores constrained layouts.
        self.cost_ax_ = ax.inset_axes((0, 0, 1, 0.46))
        self.ax_ = top = ax.inset_axes((0, 0.54, 1, 0.46), sharex=self.cost_ax_)
        ax.set_axis_off()
        self.figure_ = ax.figure
        self._draw_accuracy(top, thetas[order], np.asarray(self.accuracy)[order])
        self._draw_cost(self.cost_ax_, thetas[order], order)
        for panel in (top, self.cost_ax_):
            if (thetas > 0).all():
                panel.set_xscale("log")
            else:
                panel.set_xscale("symlog", linthresh=float(thetas[thetas > 0].min(initial=1e-4)))
            panel.grid(alpha=0.25)
            panel.spines[["top", "right"]].set_visible(False)
            if self.theta is not None:
                panel.axvline(self.theta, color=INK, linewidth=0.8, linestyle=":")
        top.tick_params(labelbottom=False)
        return self

    def _draw_accuracy(self, ax: Any, thetas: NDArray[Any], accuracy: NDArray[Any]) -> None:
        ax.plot(thetas, 100 * accuracy, "o-", color=BLUE, markersize=4, label="at θ")
        vote = (self.vote or {}).get("accuracy")
        if vote is not None:
            ax.axhline(
                100 * vote,
                color=MARKED,
                linestyle="--",
                linewidth=1.2,
                label="vote of all machines",
            )
        ax.set_ylabel("accuracy %")
        ax.legend(frameon=False, fontsize=8, loc="lower left")

    def _draw_cost(self, ax: Any, thetas: NDArray[Any], order: NDArray[Any]) -> None:
        vote = self.vote or {}
        lines = (
            ("decisions", self.decisions, BLUE, "o-"),
            ("support vectors", self.support_vectors, GREEN, "^-"),
            ("kernel evaluations", self.kernel_evaluations, MARKED, "s-"),
        )
        relative = all(vote.get(n.replace(" ", "_")) for n, cost, *_ in lines if cost is not None)
        for name, cost, colour, style in lines:
            if cost is None:
                continue
            shown = np.asarray(cost, dtype=np.float64)[order]
            of_vote = vote.get(name.replace(" ", "_"))
            label = name if not of_vote else f"{name} (vote: {of_vote:,.0f})"
            shown = 100 * shown / of_vote if relative and of_vote else shown
            ax.plot(thetas, shown, style, color=colour, markersize=4, label=label)
        ax.set_ylim(bottom=0)
        ax.set_ylabel("% of the vote" if relative else "per row")
        ax.set_xlabel("θ")
        ax.legend(frameon=False, fontsize=8, loc="best")


def _per_theta(cost: Any) -> Any:
    if cost is None:
        return None
    cost = np.asarray(cost, dtype=np.float64)
    return cost if cost.ndim == 1 else cost.mean(axis=1)


def _mean_cost(estimator: Any, rows: Any, sample_weight: Any) -> dict[str, float]:
    cost = estimator.decision_cost(rows)
    return {name: float(np.average(c, weights=sample_weight)) for name, c in cost.items()}
