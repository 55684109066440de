"""The separators of two-dimensional data beside the tree of the same machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.inspection.drawing import BLUE, INK, MARKED, SOFT, pyplot
from dcsvm.inspection.fitted import CountedRows, FittedClassifier, find_classifier
from dcsvm.inspection.graph import Branch
from dcsvm.inspection.structure import DecisionStructure, decision_structure
from dcsvm.inspection.tree_plot import plot_tree

GRID = 200  # points along each axis
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
    """Draw the separators of two-dimensional classes, and beside them the tree of the machines.

    The separator of one machine, by default the root's, is drawn thick, with the share of each
    class on its positive side; those of the other machines in the tree are drawn thin.

    Parameters
    ----------
    clf : DCSVC or DivideAndConquerClassifier fitted to two features
        Or a pipeline that ends in one.
    machine : tuple of two classes, default=None
        The machine to draw thick; by default that of the root, or if the root has none the
        machine evaluated for most rows.
    X : array-like of shape (n_samples, 2), default=None
        The rows to show; by default the training rows kept by `fit`.
    y : array-like of shape (n_samples,), default=None
        Their classes.
    highlight : array-like of shape (2,), default=None
        A row to mark in both pictures.
    class_names : sequence of str, default=None
        The names of the classes.
    max_nodes : int, default=15
        Nodes of the tree that are drawn.
    feature_names : sequence of two str, default=None
        The names of the features.
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
    fitted = find_classifier(clf)
    _ = fitted.table  # raises an error if there is none
    rows = fitted.labelled_rows(X, y)
    if X is None:
        # The rows kept by fit are preprocessed already.
        clf, fitted = fitted.classifier, FittedClassifier(fitted.classifier)
    points = rows.X if X is None else np.asarray(X, dtype=np.float64)
    points = np.asarray(points.toarray() if hasattr(points, "toarray") else points)
    if points.shape[1] != 2:
        raise ValueError(f"The picture takes two features, but there are {points.shape[1]}.")
    if axes is None:
        make = pyplot().subplots
        axes = make(1, 2, figsize=(14, 5.4), width_ratios=(1, 1.6), layout="constrained")[1]
    tree = {"X": X, "highlight": highlight, "class_names": class_names}
    plot_tree(clf, ax=axes[1], max_nodes=max_nodes, **tree)
    structure = decision_structure(clf, **tree)
    if machine is None and structure.root.machine is not None:
        i, j = structure.root.machine
        machine = (structure.labels[i], structure.labels[j])
    thick = fitted.machine_index(machine, rows)
    plane = _Plane(fitted, structure, points, rows, X)
    plane.draw(axes[0], thick, structure.tree(max_children=3, max_nodes=max_nodes))
    if highlight is not None:
        point = np.asarray(highlight, dtype=np.float64).reshape(-1)
        axes[0].scatter(*point, marker="*", s=160, color=MARKED, edgecolors="white", zorder=6)
    if feature_names is None:
        feature_names = getattr(clf, "feature_names_in_", ["feature 0", "feature 1"])
    axes[0].set_xlabel(str(feature_names[0]))
    axes[0].set_ylabel(str(feature_names[1]))
    return np.asarray(axes)


class _Plane:
    """The plane of the two features, with a grid of points for the separators."""

    def __init__(
        self,
        fitted: FittedClassifier,
        structure: DecisionStructure,
        points: NDArray[Any],
        rows: CountedRows,
        X: Any,
    ) -> None:
        self.fitted, self.structure, self.points = fitted, structure, points
        self.codes, self.weight = np.asarray(rows.codes), rows.weight
        low, high = points.min(axis=0), points.max(axis=0)
        margin = 0.06 * np.where(high > low, high - low, 1.0)
        self.x, self.y = np.linspace(low - margin, high + margin, GRID).T
        self.machines = fitted.classifier.machines_
        grid: Any = np.column_stack([axis.ravel() for axis in np.meshgrid(self.x, self.y)])
        if hasattr(X, "columns"):
            grid = type(X)(dict(zip(X.columns, grid.T, strict=True)))
        # The rows kept by fit, and a grid over them, are validated already.
        self.query = self.machines.prepare(grid if X is None else fitted.validated_rows(grid))

    def draw(self, ax: Any, thick: int, tree: Branch) -> None:
        """Draw the rows of all classes, and the separators of the machines in the tree."""
        self._classes(ax)
        pairs = [b.node.machine for b in tree.walk() if b.node.machine is not None]
        for machine in sorted({int(self.machines.machine_of(i, j)) for i, j in pairs} - {thick}):
            self._separator(ax, machine, linewidths=0.8, colors=SOFT, linestyles="--")
        field = self._separator(ax, thick, linewidths=2.2, colors=INK)
        shades = {"levels": [-np.inf, 0, np.inf], "colors": [MARKED, BLUE], "alpha": 0.07}
        ax.contourf(self.x, self.y, field, **shades)
        self._shares(ax, thick)

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
        same = np.full(n, machine, dtype=np.int32)
        values: NDArray[np.float64] = self.machines.values(self.query, np.arange(n), same)
        field = values.reshape(GRID, GRID)
        if field.min() < 0 < field.max():
            ax.contour(self.x, self.y, field, levels=[0], **line)
        return field

    def _shares(self, ax: Any, machine: int) -> None:
        names = self.structure.names
        i, j = self.machines.pairs[machine]
        share = self.fitted.table.counts[machine].astype(np.float64)
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
            f"{names[i]} vs {names[j]}, and the share of each class on the side of {names[i]}",
            fontsize=9,
            parse_math=False,
        )
