"""The decision structure in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from dcsvm.inspection.drawing import FILL, MARKED
from dcsvm.inspection.graph import Edge, Node
from dcsvm.inspection.structure import (
    DecisionStructure,
    decision_structure,
    one_decimal,
    rows_in_words,
)


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

    Along a decision structure (`dag_`) a set of classes that several paths reach is one node.
    Edges are labelled with the winner and, below it, the classes dropped.

    Parameters
    ----------
    clf, X, max_depth, max_children, max_nodes, highlight, class_names : as in `export_text`
        What is shown, how much of it, and the names of the classes.
    out_file : path or file-like, default=None
        Where to write the text; None returns it.
    max_classes : int, default=6
        Classes listed by name at each node and edge.
    rotate : bool, default=False
        Draw from left to right.

    Returns
    -------
    dot : str or None
        The text, unless it was written to a file.
    """
    structure = decision_structure(clf, X=X, highlight=highlight, class_names=class_names)
    shown = structure.shown(max_depth, max_children, max_nodes)
    dot = "\n".join(_lines(structure, shown, max_classes, rotate)) + "\n"
    if out_file is None:
        return dot
    if hasattr(out_file, "write"):
        out_file.write(dot)
    else:
        Path(out_file).write_text(dot, encoding="utf-8")
    return None


def _lines(
    structure: DecisionStructure, shown: dict[int, list[Edge]], most: int, rotate: bool
) -> Iterator[str]:
    path = structure.highlighted
    on_path = set(pairwise(path))
    yield "digraph dcsvm {"
    yield f"  label={_quoted(structure.title())}; labelloc=t; fontname=helvetica;"
    yield f"  rankdir={'LR' if rotate else 'TB'};"
    yield '  node [shape=box, style="rounded,filled", fontname=helvetica, color="#5c677d"];'
    yield '  edge [fontname=helvetica, fontsize=11, color="#5c677d"];'
    for n, edges in shown.items():
        node = structure.nodes[n]
        yield f"  {n} [{_node_attributes(structure, node, n in path, most)}];"
        for edge in edges:
            marked = (n, edge.target) in on_path
            yield f"  {n} -> {edge.target} [{_edge_attributes(structure, edge, marked, most)}];"
        n_hidden = len(node.edges) - len(edges)
        if n_hidden:
            rows = sum(e.rows for e in node.edges) - sum(e.rows for e in edges)
            children = "child" if n_hidden == 1 else "children"
            label = _quoted(f"… {n_hidden} other {children}\n{rows_in_words(rows)}")
            yield f'  rest{n} [label={label}, style=filled, fillcolor="#f4f4f4", color="#cccccc"];'
            yield f"  {n} -> rest{n} [style=dashed, arrowhead=none];"
    yield "}"


def _node_attributes(structure: DecisionStructure, node: Node, marked: bool, most: int) -> str:
    lines = [structure.node_name(node), rows_in_words(node.rows)]
    if node.kind != "leaf":
        classes = structure.class_list(node.classes, most)
        lines.insert(1, f"{one_decimal(node.mean_left)} left: {classes}")
    if node.purity is not None:
        lines.append(f"purity {node.purity}, balance {node.balance}, score {node.score:.2f}")
    mark = f', color="{MARKED}", penwidth=3' if marked else ""
    label = _quoted("\n".join(lines))
    return f'label={label}, fillcolor="{FILL[node.kind]}"{mark}'


def _edge_attributes(structure: DecisionStructure, edge: Edge, marked: bool, most: int) -> str:
    label = structure.edge_name(edge)
    if edge.dropped:
        label += f"\n− {structure.class_list(edge.dropped, most)}"
    share = edge.rows / max(structure.root.rows, 1e-300)
    width = 4 if marked else 0.5 + 2.5 * share
    mark = f', color="{MARKED}"' if marked else ""
    return f"label={_quoted(label)}, penwidth={width:.3g}{mark}"


def _quoted(text: str) -> str:
    """A string of the DOT language; class names may contain any characters."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "")
    return '"' + escaped.replace("\n", "\\n") + '"'
