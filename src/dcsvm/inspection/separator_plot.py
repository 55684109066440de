"""The separators of two-dimensional data, and the tree they make: the paper's first figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.pairs import machine_of
from dcsvm.inspection.drawing import INK, SOFT, pyplot
from dcsvm.inspection.structure import DecisionStructure
from dcsvm.inspection.subject import Subject, look_at, rows_to_count
from dcsvm.inspection.tracing import decision_structure
from dcsvm.inspection.tree_plot import plot_tree

GRID = 200
MARKERS = "osD^vP*X<>"


def plot_separators(
    clf: Any,
    *,
    machine: tuple[Any, Any] | None = None,
    X: Any = None,
    y: Any = None,
    highlight: Any = None,
    class_names: Sequence[Any] | None = None,
    max_nodes: int | None = 15,
    feature_names: Any = None,
    axes: Any = None,
) -> Any:
    """Draw the separators over two-dimensional classes, and beside them the tree they make.

    One machine, the first that is asked, is drawn thick, with the share of each class that it
    has on its positive side; the other machines of the tree are drawn thin.

    Parameters
    ----------
    clf : DCSVC or DivideAndConquerClassifier fitted to two features
        Or a pipeline that ends in one.
    machine : tuple of two classes, default=None
        The machine to draw thick.
    X : array-like of shape (n_samples, 2), default=None
        The rows to show; by default training rows that `fit` has kept.
    y : array-like of shape (n_samples,), default=None
        Their classes.
    highlight : array-like of shape (2,), default=None
        A row to mark in both pictures.
    class_names : sequence of str, default=None
        What to call the classes.
    max_nodes : int, default=15
        Nodes of the tree that are drawn.
    feature_names : sequence of two str, default=None
        What to call the features.
    axes : sequence of two matplotlib Axes, default=None
        Where to draw the separators and the tree.

    Returns
    -------
    axes : array of two matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from dcsvm import DCSVC
    >>> from dcsvm.inspection import plot_separators
    >>> X, y = make_blobs(300, centers=6, random_state=0)
    >>> plot_separators(DCSVC.paper(kernel="linear").fit(X, y)).shape
    (2,)
    """
    subject = look_at(clf)
    if (X is None) != (y is None):
        raise ValueError("Pass both X and y, or neither.")
    _ = subject.table  # or an error
    if X is None:
        # Rows kept by fit are as they come out of a pipeline.
        clf, subject = subject.classifier, Subject(subject.classifier, None)
    observed = rows_to_count(subject, X)
    points = np.asarray(observed.X.toarray() if hasattr(observed.X, "toarray") else observed.X)
    points = points if X is None else np.asarray(X, dtype=np.float64)
    if points.shape[1] != 2:
        raise ValueError(f"The picture takes two features, but there are {points.shape[1]}.")
    codes = observed.codes if y is None else subject.codes(y)
    if axes is None:
        make = pyplot().subplots
        axes = make(1, 2, figsize=(14, 5.4), width_ratios=(1, 1.6), layout="constrained")[1]
    tree = {"X": X, "highlight": highlight, "class_names": class_names}
    plot_tree(clf, ax=axes[1], max_nodes=max_nodes, **tree)
    structure = decision_structure(clf, **tree)
    picture = _Plane(subject, structure, points, np.asarray(codes), observed.weight)
    picture.look(X)
    first = _first_machine(subject, structure, machine, observed)
    picture.draw(axes[0], first, structure.tree(max_children=3, max_nodes=max_nodes))
    if highlight is not None:
        mark = np.asarray(highlight, dtype=np.float64).reshape(-1)
        axes[0].scatter(*mark, marker="*", s=160, color="#d1495b", edgecolors="white", zorder=6)
    if feature_names is None:
        feature_names = getattr(clf, "feature_names_in_", ["feature 0", "feature 1"])
    axes[0].set_xlabel(str(feature_names[0]))
    axes[0].set_ylabel(str(feature_names[1]))
    return np.asarray(axes)


def _first_machine(
    subject: Subject, structure: DecisionStructure, machine: tuple[Any, Any] | None, observed: Any
) -> int:
    if machine is None and structure.root.machine is not None:
        return int(machine_of(*structure.root.machine, len(structure.labels)))
    return subject.machine(machine, observed)


class _Plane:
    """The plane of the two features."""

    def __init__(
        self,
        subject: Subject,
        structure: DecisionStructure,
        points: NDArray[Any],
        codes: NDArray[Any],
        weight: NDArray[Any],
    ) -> None:
        self.subject, self.structure = subject, structure
        self.points, self.codes, self.weight = points, codes, weight
        low, high = points.min(axis=0), points.max(axis=0)
        margin = 0.06 * np.where(high > low, high - low, 1.0)
        self.x, self.y = np.linspace(low - margin, high + margin, GRID).T
        self.machines = subject.classifier.machines_

    def look(self, like: Any) -> None:
        """Lay a grid over the plane, of the same kind as the rows that a user has passed."""
        grid: Any = np.column_stack([side.ravel() for side in np.meshgrid(self.x, self.y)])
        if like is None:  # what fit has kept needs no check, nor names of features
            self.query = self.machines.prepare(grid)
            return
        if hasattr(like, "columns"):
            grid = type(like)(dict(zip(like.columns, grid.T, strict=True)))
        self.query = self.machines.prepare(self.subject.rows(grid))

    def draw(self, ax: Any, first: int, tree: Any) -> None:
        """Classes and separators."""
        self._classes(ax)
        k = len(self.structure.labels)
        pairs = [b.node.machine for b in tree.walk() if b.node.machine is not None]
        for machine in sorted({int(machine_of(i, j, k)) for i, j in pairs} - {first}):
            self._separator(ax, machine, linewidths=0.8, colors=SOFT, linestyles="--")
        field = self._separator(ax, first, linewidths=2.2, colors=INK)
        shades = {"levels": [-np.inf, 0, np.inf], "colors": ["#d1495b", "#2a6f97"], "alpha": 0.07}
        ax.contourf(self.x, self.y, field, **shades)
        self._shares(ax, first)

    def _classes(self, ax: Any) -> None:
        colours = pyplot().get_cmap("tab10" if len(self.structure.labels) <= 10 else "tab20")
        for c in range(len(self.structure.labels)):
            marker = MARKERS[c % len(MARKERS)]
            of_class = self.points[self.codes == c]
            ax.scatter(
                *of_class.T,
                s=12,
                color=colours(c % colours.N),
                marker=marker,
                alpha=0.6,
                linewidths=0,
            )

    def _separator(self, ax: Any, machine: int, **line: Any) -> NDArray[np.float64]:
        n = GRID * GRID
        asked = np.full(n, machine, dtype=np.int32)
        values: NDArray[np.float64] = self.machines.values(self.query, np.arange(n), asked)
        field = values.reshape(GRID, GRID)
        if field.min() < 0 < field.max():
            ax.contour(self.x, self.y, field, levels=[0], **line)
        return field

    def _shares(self, ax: Any, machine: int) -> None:
        names = self.structure.names
        i, j = self.machines.pairs[machine]
        share = self.subject.table.counts[machine].astype(np.float64)
        share = share[:, 0] / share.sum(axis=1)
        for c, name in enumerate(names):
            of_class = self.codes == c
            if not of_class.any():
                continue
            centre = np.average(self.points[of_class], axis=0, weights=self.weight[of_class])
            ax.text(
                *centre,
                f"{name}\n{100 * share[c]:.3g} %",
                ha="center",
                va="center",
                fontsize=8,
                weight="bold",
                color=INK,
                parse_math=False,
                zorder=5,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.2},
            )
        ax.set_title(
            f"{names[i]} vs {names[j]}, and which share of each class it has with {names[i]}",
            fontsize=9,
            parse_math=False,
        )
