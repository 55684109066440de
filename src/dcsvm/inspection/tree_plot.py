"""The decision structure as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from dcsvm.inspection.drawing import FAINT, INK, MARKED, SOFT, axes, pyplot
from dcsvm.inspection.layout import Box, place
from dcsvm.inspection.structure import DecisionStructure
from dcsvm.inspection.text import mean_left, some_rows, title, what
from dcsvm.inspection.tracing import decision_structure
from dcsvm.inspection.view import Branch

FILL = {"scores": "#fdf0d5", "machine": "#f7f9fc", "vote": "#ece4f5", "leaf": "#dff0e3"}

# Lengths are in units of the font size.
LINE = 1.25
ANSWER_LINE = 1.1
SMALLER = 0.88  # all but the first line of a box
PAD = 0.6
GAP = 0.8
BEND = 1.4  # room for an edge to go aside
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
    """Draw the decision structure, the most frequent ways first.

    A box is a node: the machine asked, the classes left, the rows that come by, and purity P,
    balance B and score S of the machine over these classes. An edge is an answer: the winner
    and, below it, who is out; it is the wider the more rows go there. With `highlight` the path
    of one row is marked, also where it is off the ways that are shown else.

    Parameters
    ----------
    clf : fitted DCSVC, DivideAndConquerClassifier or DAGSVC
        Or a pipeline that ends in one.
    X : array-like of shape (n_samples, n_features), default=None
        The rows to count; by default those of the training rows that `fit` has kept.
    max_depth : int, default=None
        Decisions from the root that are shown. None for all.
    max_children : int, default=3
        Ways shown of each node. None for all.
    max_nodes : int, default=30
        Nodes shown in all, the most frequent ones. None for all.
    highlight : array-like of shape (n_features,), default=None
        A row whose path is marked.
    class_names : sequence of str, default=None
        What to call the classes, in the order of `classes_`.
    max_classes : int, default=4
        Classes named of each node before they are only counted.
    fontsize : float, default=None
        By default such that the text fits its boxes.
    ax : matplotlib Axes, default=None
        Where to draw; by default in a new figure, as large as it takes.

    Returns
    -------
    artists : list of matplotlib texts
        Those in the boxes.
    """
    structure = decision_structure(clf, X=X, highlight=highlight, class_names=class_names)
    pyplot()
    root = structure.tree(max_depth, max_children, max_nodes)
    return _TreeDrawing(structure, root, max_classes).draw(ax, fontsize)


class _TreeDrawing:
    """Boxes and edges."""

    def __init__(self, structure: DecisionStructure, root: Branch, max_classes: int) -> None:
        self.structure = replace(structure, names=[_short(name) for name in structure.names])
        self.max_classes = max_classes
        self.branch: dict[Box, Branch | None] = {}  # None for what sums up the hidden ways
        self.lines: dict[Box, list[str]] = {}
        self.answer: dict[Box, list[str]] = {}
        self.root = self._box(root)
        self.answer_height = ANSWER_LINE * max(map(len, self.answer.values()))
        drop = BEND + self.answer_height + BEND / 2
        self.width, self.height = place(self.root, GAP, drop)

    def _box(self, branch: Branch) -> Box:
        """The box of a branch with all below it."""
        lines, answer = self._lines(branch), self._answer(branch)
        width = max(_text_width(lines[0]), *(SMALLER * _text_width(line) for line in lines[1:]))
        box = Box(width + 2 * PAD, LINE * len(lines) + PAD)
        # The answers to neighbours must not meet either.
        box.room = max(box.width, *(_text_width(line) for line in answer), 0.0)
        self.branch[box], self.lines[box], self.answer[box] = branch, lines, answer
        box.children = [self._box(child) for child in branch.children]
        if branch.hidden_rows:
            box.children.append(self._rest(branch))
        return box

    def _rest(self, branch: Branch) -> Box:
        ways = "1 way" if branch.hidden_ways == 1 else f"{branch.hidden_ways} ways"
        lines = [f"… {ways}", some_rows(branch.hidden_rows)]
        rest = Box(SMALLER * max(map(_text_width, lines)), LINE * len(lines))
        rest.room = rest.width
        self.branch[rest], self.lines[rest], self.answer[rest] = None, lines, []
        return rest

    def _lines(self, branch: Branch) -> list[str]:
        node, structure = branch.node, self.structure
        if node.kind == "leaf":
            return [structure.names[node.classes[0]], some_rows(branch.rows)]
        lines = [what(structure, node), self._classes(node.classes), some_rows(branch.rows)]
        if node.kind == "scores":
            lines[1] = f"{len(node.classes)} classes"
        elif not structure.is_dag:
            lines[2] += f", {mean_left(node)} left"
        if node.purity is not None:
            lines.append(f"P {node.purity}   B {node.balance}   S {node.score:.2f}")
        return lines

    def _classes(self, classes: tuple[int, ...]) -> str:
        """As many names as fit in a line."""
        most = self.max_classes
        while most > 1 and len(self.structure.class_list(classes, most)) > LONGEST_LIST:
            most -= 1
        return self.structure.class_list(classes, most)

    def _answer(self, branch: Branch) -> list[str]:
        """What stands at the edge to a branch: the winner, for which values, and who is out."""
        if branch.way is None or branch.way.winner is None:
            return []
        lines = self.structure.way_name(branch.way).replace(" (", "\n(").split("\n")
        if branch.way.dropped:
            lines.append(f"− {self._classes(branch.way.dropped)}")
        return lines

    def draw(self, ax: Any, fontsize: float | None) -> list[Any]:
        """Draw all of it."""
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
        ax.text(self.width / 2, -MARGIN, title(self.structure), parse_math=False, **middle)
        self._draw_edges(ax, self.root)
        return [text for box in self.branch for text in self._draw_box(ax, box)]

    def _draw_edges(self, ax: Any, box: Box) -> None:
        for child in box.children:
            branch = self.branch[child]
            marked = branch is not None and branch.is_highlighted
            share = 0.0 if branch is None else branch.rows / max(self.structure.root.rows, 1e-300)
            bend = child.y - self.answer_height - BEND / 2
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
            self._draw_answer(ax, child, marked)
            self._draw_edges(ax, child)

    def _draw_answer(self, ax: Any, child: Box, marked: bool) -> None:
        lines = self.answer[child]
        for t, line in enumerate(lines):
            ax.text(
                child.x,
                child.y - BEND / 4 - ANSWER_LINE * (len(lines) - t - 0.5),
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

    # Signs that would begin a formula are about as wide as this one.
    plain = text.strip().replace("$", "S")
    if not plain:
        return 0.0
    bold = FontProperties(weight="bold")
    return float(TextPath((0, 0), plain, size=1, prop=bold).get_extents().width)
