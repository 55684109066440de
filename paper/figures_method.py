"""Figures 1 to 3: the method by example."""

from __future__ import annotations

import numpy as np

from dcsvm import DCSVC
from dcsvm.datasets import load
from dcsvm.datasets.artificial import CLASSES
from paper.drawing import COLOURS, INK, MARKERS, new_figure

SHOWN_PER_CLASS = 120


def first(_=None):
    """Six classes, and the line of the machine of classes 1 and 2."""
    data = load("artificial1")
    X, y = data.data, data.target
    clf = DCSVC.paper(kernel="linear").fit(X, y)
    figure, ax = new_figure(4.2)
    for c, (colour, marker) in enumerate(zip(COLOURS, MARKERS, strict=False), start=1):
        if c in CLASSES:
            shown = X[y == c][:SHOWN_PER_CLASS]
            ax.plot(*shown.T, marker, color=colour, markersize=3.2, alpha=0.75, mew=0)
            _name_class(ax, c, CLASSES[c][0], colour)
    _line_of_first_machine(ax, clf, X)
    to_1 = 100 * clf.table_.likelihoods[0]
    shares = "   ".join(f"{c}: {share:.1f}" for c, share in zip(CLASSES, to_1, strict=True))
    ax.set(xlabel="x₁", ylabel="x₂", aspect="equal")
    figure.supxlabel(f"rows on the side of class 1 (%):   {shares}", fontsize=9)
    return figure


def _name_class(ax, c, place, colour):
    ax.annotate(
        str(c), place, ha="center", va="center", fontsize=13, fontweight="bold", color="white",
        bbox={"boxstyle": "circle,pad=0.25", "facecolor": colour, "edgecolor": "white", "lw": 1.2},
        zorder=5,
    )  # fmt: skip


def _line_of_first_machine(ax, clf, X):
    """The line on which the value of svm_12 is zero."""
    machines = clf.machines_
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    across, up = np.meshgrid(np.linspace(low[0], high[0], 201), np.linspace(low[1], high[1], 201))
    grid = np.column_stack([across.ravel(), up.ravel()])
    nowhere = np.zeros(len(grid), dtype=np.int32)
    values = machines.values(machines.prepare(grid), np.arange(len(grid)), nowhere)
    ax.contour(across, up, values.reshape(across.shape), [0.0], colors=INK, linewidths=1.8)
    ax.text(0.08, high[1], "svm₁₂", va="top", fontsize=10)
    for text, side in (("← 1", "right"), ("2 →", "left")):
        ax.text(0.15 if side == "left" else -0.15, low[1], text, ha=side, va="bottom", fontsize=10)


def second(example):
    """The All-Predictions table of glass."""
    table = example.clf.table_
    to_i = 100 * table.likelihoods
    figure, ax = new_figure(4.4)
    ax.imshow(to_i, cmap="PuOr", vmin=0, vmax=100, aspect="auto", alpha=0.4)
    for m, row in enumerate(to_i):
        for c, share in enumerate(row):
            ax.text(c, m, f"{share:.1f}, {100 - share:.1f}", ha="center", va="center", fontsize=8)
    names = [f"svm {example.name(i)},{example.name(j)}" for i, j in table.pairs]
    ax.set_yticks(range(len(names)), names)
    ax.set_xticks(range(table.n_classes), [f"class {name}" for name in table.classes])
    ax.xaxis.tick_top()
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return figure


def third(example):
    """The tree of glass, and the same with the path of a row."""
    tree = example.tree()
    height = 0.5 * tree.depth + 0.6
    figure, (above, below) = new_figure(2 * height + 0.5, 2, 1)
    _draw_tree(above, tree, example, frozenset())
    above.set_title("a  the decision tree at θ = 0")
    _draw_tree(below, tree, example, example.path_nodes())
    below.set_title(f"b  the path of a test row of class {example.row_label}")
    return figure


def _draw_tree(ax, tree, example, path):
    for node in tree.walk():
        on_path = node.place in path
        for child, sign in zip(node.children, ("+", "−"), strict=False):
            both = on_path and child.place in path
            style = {"color": COLOURS[5] if both else "#777777", "lw": 2.6 if both else 1.0}
            ax.plot([node.x, child.x], [-node.depth, -child.depth], **style, zorder=1)
            middle = 0.42 * node.x + 0.58 * child.x, -(0.42 * node.depth + 0.58 * child.depth)
            ax.text(*middle, sign, fontsize=8, ha="center", va="center", zorder=2,
                    bbox={"boxstyle": "circle,pad=0.05", "fc": "white", "ec": "none"})  # fmt: skip
        _draw_node(ax, node, example, on_path)
    ax.set_axis_off()
    ax.set_ylim(-tree.depth - 0.45, 0.45)
    ax.margins(x=0.04)


def _draw_node(ax, node, example, on_path):
    leaf = not node.children
    fill = "#FFF1E0" if on_path else ("#E8F1F8" if leaf else "white")
    edge = COLOURS[5] if on_path else "#555555"
    text = node.text
    ax.text(
        node.x, -node.depth, text, ha="center", va="center", fontsize=9 if leaf else 7.5, zorder=3,
        fontweight="bold" if leaf else "normal", linespacing=1.05,
        bbox={"boxstyle": "round,pad=0.25", "fc": fill, "ec": edge, "lw": 1.8 if on_path else 0.9},
    )  # fmt: skip
