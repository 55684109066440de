"""The decision structure in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from dcsvm.inspection.structure import DecisionStructure, Node, Way
from dcsvm.inspection.text import mean_left, some_rows, title, what
from dcsvm.inspection.tracing import decision_structure
from dcsvm.inspection.view import Limits, select

FILL = {"scores": "#fdf0d5", "machine": "#ffffff", "vote": "#ece4f5", "leaf": "#dff0e3"}
MARKED = "#d1495b"


def export_graphviz(
    clf: Any,
    out_file: Any = None,
    *,
    X: Any = None,
    max_depth: int | None = None,
    max_children: int | None = 6,
    max_nodes: int | None = 60,
    highlight: Any = None,
    class_names: Sequence[Any] | None = None,
    max_classes: int = 6,
    rotate: bool = False,
) -> str | None:
    """The decision structure in the DOT language, to be drawn by Graphviz.

    Along a decision structure (`dag_`) a set of classes that is reached by several ways is one
    node, with several edges into it. Edges are labelled with the winner and, below it, the
    classes that are out.

    Parameters
    ----------
    clf : fitted DCSVC, DivideAndConquerClassifier or DAGSVC
        Or a pipeline that ends in one.
    out_file : path or file-like, default=None
        Where to write it; None returns it.
    X : array-like of shape (n_samples, n_features), default=None
        The rows to count; by default those of the training rows that `fit` has kept.
    max_depth : int, default=None
        Decisions from the root that are shown. None for all.
    max_children : int, default=6
        Ways shown of each node. None for all.
    max_nodes : int, default=60
        Nodes shown in all, the most frequent ones. None for all.
    highlight : array-like of shape (n_features,), default=None
        A row whose path is marked and shown in any case.
    class_names : sequence of str, default=None
        What to call the classes, in the order of `classes_`.
    max_classes : int, default=6
        Classes named of each node before they are only counted.
    rotate : bool, default=False
        Draw from left to right.

    Returns
    -------
    dot : str or None
        The text, unless it was written to a file.
    """
    structure = decision_structure(clf, X=X, highlight=highlight, class_names=class_names)
    shown = select(structure, Limits(max_depth, max_children, max_nodes))
    dot = "\n".join(_lines(structure, shown, max_classes, rotate)) + "\n"
    if out_file is None:
        return dot
    if hasattr(out_file, "write"):
        out_file.write(dot)
    else:
        Path(out_file).write_text(dot, encoding="utf-8")
    return None


def _lines(
    structure: DecisionStructure, shown: dict[int, list[Way]], most: int, rotate: bool
) -> Iterator[str]:
    path = structure.highlighted
    on_path = set(pairwise(path))
    yield "digraph dcsvm {"
    yield f"  label={_quoted(title(structure))}; labelloc=t; fontname=helvetica;"
    yield f"  rankdir={'LR' if rotate else 'TB'};"
    yield '  node [shape=box, style="rounded,filled", fontname=helvetica, color="#5c677d"];'
    yield '  edge [fontname=helvetica, fontsize=11, color="#5c677d"];'
    for n, ways in shown.items():
        node = structure.nodes[n]
        yield f"  {n} [{_node_attributes(structure, node, n in path, most)}];"
        for way in ways:
            marked = (n, way.target) in on_path
            yield f"  {n} -> {way.target} [{_way_attributes(structure, way, marked, most)}];"
        left_out = len(node.ways) - len(ways)
        rows = sum(w.rows for w in node.ways) - sum(w.rows for w in ways)
        if left_out:
            label = _quoted(f"… {left_out} other ways\n{some_rows(rows)}")
            yield f'  rest{n} [label={label}, style=filled, fillcolor="#f4f4f4", color="#cccccc"];'
            yield f"  {n} -> rest{n} [style=dashed, arrowhead=none];"
    yield "}"


def _node_attributes(structure: DecisionStructure, node: Node, marked: bool, most: int) -> str:
    lines = [what(structure, node), some_rows(node.rows)]
    if node.kind != "leaf":
        lines.insert(1, f"{mean_left(node)} left: {structure.class_list(node.classes, most)}")
    if node.purity is not None:
        lines.append(f"purity {node.purity}, balance {node.balance}, score {node.score:.2f}")
    mark = f', color="{MARKED}", penwidth=3' if marked else ""
    return f'label={_quoted(chr(10).join(lines))}, fillcolor="{FILL[node.kind]}"{mark}'


def _way_attributes(structure: DecisionStructure, way: Way, marked: bool, most: int) -> str:
    label = structure.way_name(way)
    if way.dropped:
        label += f"\n− {structure.class_list(way.dropped, most)}"
    share = way.rows / max(structure.root.rows, 1e-300)
    width = 4 if marked else 0.5 + 2.5 * share
    mark = f', color="{MARKED}"' if marked else ""
    return f"label={_quoted(label)}, penwidth={width:.3g}{mark}"


def _quoted(text: str) -> str:
    """A string of the DOT language: class names may hold anything."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "")
    return '"' + escaped.replace("\n", "\\n") + '"'
