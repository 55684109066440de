"""The decision structure as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dcsvm.inspection.graph import Branch
from dcsvm.inspection.structure import (
    DecisionStructure,
    decision_structure,
    one_decimal,
    rows_in_words,
)

MARK = "  ◀"


def export_text(
    clf: Any,
    *,
    X: Any = None,
    max_depth: int | None = 10,
    max_children: int | None = 6,
    max_nodes: int | None = 60,
    highlight: Any = None,
    class_names: Sequence[Any] | None = None,
    max_classes: int = 6,
) -> str:
    """The decision structure as text, the most frequent children first.

    Every line is a node: the class that won the round before, the machine of the next round, the
    rows that pass, the classes left, and purity, balance and score of the machine over them.

    Parameters
    ----------
    clf : fitted DCSVC, DivideAndConquerClassifier or DAGSVC
        Or a pipeline that ends in one.
    X : array-like of shape (n_samples, n_features), default=None
        The rows to count; by default the training rows kept by `fit`.
    max_depth : int, default=10
        The depth of the deepest nodes shown; the root has depth 0. None for no limit.
    max_children : int, default=6
        Children shown of each node. None for all.
    max_nodes : int, default=60
        Nodes shown in all, the most frequent ones. None for all.
    highlight : array-like of shape (n_features,), default=None
        A row whose path is marked, and shown beyond all limits.
    class_names : sequence of str, default=None
        The names of the classes, in the order of `classes_`.
    max_classes : int, default=6
        Classes listed by name at each node.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dcsvm import DCSVC
    >>> from dcsvm.inspection import export_text
    >>> X, y = load_iris(return_X_y=True)
    >>> print(export_text(DCSVC.paper().fit(X, y)))
    DCSVC, 3 classes, θ = 0.001, all training rows counted
    0 vs 1: 150 rows, 3 left: 0, 1, 2 (purity 0, balance 1, score 1.00)
    ├─ 1 → 1 vs 2: 100 rows, 2 left: 1, 2 (purity 2, balance 0, score 0.96)
    │  ├─ 1 → class 1: 50 rows
    │  └─ 2 → class 2: 50 rows
    └─ 0 → class 0: 50 rows
    """
    structure = decision_structure(clf, X=X, highlight=highlight, class_names=class_names)
    root = structure.tree(max_depth, max_children, max_nodes)
    kind = type(clf[-1]).__name__ if hasattr(clf, "steps") else type(clf).__name__
    head = f"{kind}, {structure.title()}"
    return "\n".join([head, *_lines(structure, root, "", "", max_classes)])


def _lines(
    structure: DecisionStructure, branch: Branch, first: str, rest: str, most: int
) -> Iterator[str]:
    """The lines of a branch; `first` stands before its own line, `rest` before those below."""
    answer = "" if branch.edge is None else structure.edge_name(branch.edge)
    arrow = f"{answer} → " if answer else ""
    n_hidden = branch.hidden_children
    hidden = "child" if n_hidden == 1 else "children"
    cut = f" … {n_hidden} {hidden}" if n_hidden and not branch.children else ""
    mark = MARK if branch.is_highlighted else ""
    yield f"{first}{arrow}{_node(structure, branch, most)}{cut}{mark}"
    others = branch.children and branch.hidden_rows
    for t, child in enumerate(branch.children, start=1):
        is_last = t == len(branch.children) and not others
        corner, bar = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        yield from _lines(structure, child, rest + corner, rest + bar, most)
    if others:
        yield f"{rest}└─ … {n_hidden} other {hidden}, {rows_in_words(branch.hidden_rows)}"


def _node(structure: DecisionStructure, branch: Branch, most: int) -> str:
    node = branch.node
    words = f"{structure.node_name(node)}: {rows_in_words(branch.rows)}"
    if node.kind == "leaf":
        return words
    words += f", {one_decimal(node.mean_left)} left"
    if node.kind == "scores":
        return words + " before them"
    words += f": {structure.class_list(node.classes, most)}"
    if node.purity is not None:
        words += f" (purity {node.purity}, balance {node.balance}, score {node.score:.2f})"
    return words
