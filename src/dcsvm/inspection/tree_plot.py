"""The decision structure as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from dcsvm.inspection.drawing import FAINT, FILL, INK, MARKED, SOFT, axes, pyplot
from dcsvm.inspection.graph import Branch
from dcsvm.inspection.layout import Box, arrange
from dcsvm.inspection.structure import (
    DecisionStructure,
    decision_structure,
    one_decimal,
    rows_in_words,
)

# Lengths are in units of the font size.
LINE = 1.25
EDGE_LINE = 1.1
SMALLER = 0.88  # all but the first line of a box
PAD = 0.6  # inside a box
GAP = 0.8  # between neighbours
BEND = 1.4  # height in which an edge turns aside
MARGIN = 1.0
FONT_SIZE = 8.0
SMALLEST_FONT_SIZE = 1.0
LONGEST_NAME = 18
LONGEST_LIST = 30
POINTS_PER_INCH = 72


def plot_tree(
    clf: Any,
    *,
    X: Any = None,
    max_depth: int | None = None,
    max_children: int | None = 3,
    max_nodes: int | None = 30,
    highlight: Any = None,
    class_names: Sequence[Any] | None = None,
    max_classes: int = 4,
    fontsize: float | None = None,
    ax: Any = None,
) -> list[Any]:
    """Draw the decision structure, the most frequent children first.

    A box is a node: the machine that decides the next round, the classes left, the rows that
    pass, and purity P, balance B and score S of the machine over these classes. An edge is
    labelled with the winner and, below it, the classes dropped; the more rows take it, the wider
    it is.

    Parameters
    ----------
    clf, X, max_depth, max_children, max_nodes, highlight, class_names : as in `export_text`
        What is shown, how much of it, and the names of the classes.
    max_classes : int, default=4
        Classes listed by name at each node and edge.
    fontsize : float, default=None
        The size of the text in points; by default as large as fits `ax`.
    ax : matplotlib Axes, default=None
        Where to draw; by default a new figure, as large as the tree needs.

    Returns
    -------
    artists : list of matplotlib texts
        The texts in the boxes.
    """
    structure = decision_structure(clf, X=X, highlight=highlight, class_names=class_names)
    pyplot()
    root = structure.tree(max_depth, max_children, max_nodes)
    return _TreeDrawing(structure, root, max_classes).draw(ax, fontsize)


class _TreeDrawing:
    """The boxes of a tree with their texts, laid out and drawn."""

    def __init__(self, structure: DecisionStructure, root: Branch, max_classes: int) -> None:
        self.structure = replace(structure, names=[_short(name) for name in structure.names])
        self.max_classes = max_classes
        self.branch: dict[Box, Branch | None] = {}  # None for hidden children
        self.lines: dict[Box, list[str]] = {}
        self.label: dict[Box, list[str]] = {}
        self.root = self._box(root)
        self.label_height = EDGE_LINE * max(map(len, self.label.values()))
        drop = BEND + self.label_height + BEND / 2
        self.width, self.height = arrange(self.root, GAP, drop)

    def _box(self, branch: Branch) -> Box:
        """The box of a branch, with the boxes of its children."""
        lines, label = self._lines(branch), self._edge_label(branch)
        width = max(_text_width(lines[0]), *(SMALLER * _text_width(line) for line in lines[1:]))
        box = Box(width + 2 * PAD, LINE * len(lines) + PAD)
        # The labels above neighbours must not overlap either.
        box.room = max(box.width, *(_text_width(line) for line in label), 0.0)
        self.branch[box], self.lines[box], self.label[box] = branch, lines, label
        box.children = [self._box(child) for child in branch.children]
        if branch.hidden_rows:
            box.children.append(self._rest(branch))
        return box

    def _rest(self, branch: Branch) -> Box:
        lines = [f"… {branch.hidden_children} more", rows_in_words(branch.hidden_rows)]
        rest = Box(SMALLER * max(map(_text_width, lines)), LINE * len(lines))
        self.branch[rest], self.lines[rest], self.label[rest] = None, lines, []
        return rest

    def _lines(self, branch: Branch) -> list[str]:
        node, structure = branch.node, self.structure
        if node.kind == "leaf":
            return [structure.names[node.classes[0]], rows_in_words(branch.rows)]
        lines = [structure.node_name(node), self._classes(node.classes), rows_in_words(branch.rows)]
        if node.kind == "scores":
            lines[1] = f"{len(node.classes)} classes"
        elif not structure.is_dag:
            lines[2] += f", {one_decimal(node.mean_left)} left"
        if node.purity is not None:
            lines.append(f"P {node.purity}   B {node.balance}   S {node.score:.2f}")
        return lines

    def _classes(self, classes: tuple[int, ...]) -> str:
        """As many names as fit in a line."""
        most = self.max_classes
        while most > 1 and len(self.structure.class_list(classes, most)) > LONGEST_LIST:
            most -= 1
        return self.structure.class_list(classes, most)

    def _edge_label(self, branch: Branch) -> list[str]:
        """The winner of the round before, its interval of values, and the classes dropped."""
        edge = branch.edge
        if edge is None or edge.winner is None:
            return []
        lines = self.structure.edge_name(edge).replace(" (", "\n(").split("\n")
        if edge.dropped:
            lines.append(f"− {self._classes(edge.dropped)}")
        return lines

    def draw(self, ax: Any, fontsize: float | None) -> list[Any]:
        """Draw the tree; returns the texts in the boxes."""
        width, height = self.width + 2 * MARGIN, self.height + 2 * MARGIN + LINE
        if ax is None:
            inch = (fontsize or FONT_SIZE) / POINTS_PER_INCH
            ax = axes(None, (max(2.0, width * inch), max(1.0, height * inch)))
            ax.figure.set_layout_engine("none")
            ax.set_position((0, 0, 1, 1))
        ax.set_xlim(-MARGIN, self.width + MARGIN)
        ax.set_ylim(self.height + MARGIN, -MARGIN - LINE)
        ax.set_axis_off()
        room = ax.get_window_extent()
        fits = min(room.width / width, room.height / height) * POINTS_PER_INCH / ax.figure.dpi
        self.size = fontsize or float(np.clip(fits, SMALLEST_FONT_SIZE, 1.4 * FONT_SIZE))
        middle = {"ha": "center", "va": "center", "color": INK, "size": self.size}
        ax.text(self.width / 2, -MARGIN, self.structure.title(), parse_math=False, **middle)
        self._draw_edges(ax, self.root)
        return [text for box in self.branch for text in self._draw_box(ax, box)]

    def _draw_edges(self, ax: Any, box: Box) -> None:
        for child in box.children:
            branch = self.branch[child]
            marked = branch is not None and branch.is_highlighted
            share = 0.0 if branch is None else branch.rows / max(self.structure.root.rows, 1e-300)
            bend = child.y - self.label_height - BEND / 2
            ax.plot(
                [box.x, child.x, child.x],
                [box.y + box.height, bend, child.y],
                color=MARKED if marked else SOFT,
                linewidth=self.size / FONT_SIZE * (3.2 if marked else 0.7 + 3 * min(share, 1.0)),
                linestyle=":" if branch is None else "-",
                solid_capstyle="round",
                solid_joinstyle="round",
                zorder=2 if marked else 1,
            )
            self._draw_edge_label(ax, child, marked)
            self._draw_edges(ax, child)

    def _draw_edge_label(self, ax: Any, child: Box, marked: bool) -> None:
        lines = self.label[child]
        for t, line in enumerate(lines):
            ax.text(
                child.x,
                child.y - BEND / 4 - EDGE_LINE * (len(lines) - t - 0.5),
                line,
                ha="center",
                va="center_baseline",
                size=SMALLER * self.size,
                weight="bold" if t == 0 else "normal",
                color=MARKED if marked else INK,
                zorder=3,
                parse_math=False,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.12 * self.size},
            )

    def _draw_box(self, ax: Any, box: Box) -> list[Any]:
        from matplotlib.patches import FancyBboxPatch

        branch = self.branch[box]
        if branch is not None:
            patch = FancyBboxPatch(
                (box.x - box.width / 2, box.y),
                box.width,
                box.height,
                boxstyle="round,pad=0,rounding_size=0.5",
                facecolor=FILL[branch.node.kind],
                edgecolor=MARKED if branch.is_highlighted else SOFT,
                linewidth=self.size / FONT_SIZE * (2.4 if branch.is_highlighted else 0.8),
                zorder=4,
            )
            ax.add_patch(patch)
        top = box.y if branch is None else box.y + PAD / 2
        return [
            ax.text(
                box.x,
                top + LINE * (t + 0.5),
                line,
                ha="center",
                va="center_baseline",
                size=self.size * (SMALLER if t or branch is None else 1.0),
                weight="normal" if t or branch is None else "bold",
                color=FAINT if t or branch is None else INK,
                zorder=5,
                parse_math=False,
            )
            for t, line in enumerate(self.lines[box])
        ]


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


@lru_cache(maxsize=4096)
def _text_width(text: str) -> float:
    """The width of a line in bold, in units of its font size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    # A dollar sign would begin a formula; an S is about as wide.
    plain = text.strip().replace("$", "S")
    if not plain:
        return 0.0
    bold = FontProperties(weight="bold")
    return float(TextPath((0, 0), plain, size=1, prop=bold).get_extents().width)
