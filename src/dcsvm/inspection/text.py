"""The decision structure as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dcsvm.inspection.structure import DecisionStructure, Node
from dcsvm.inspection.tracing import decision_structure
from dcsvm.inspection.view import Branch

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
    """The decision structure as text, the most frequent ways first.

    Every line is a node: the answer that leads to it, what is asked there, how many rows come
    by, how many classes are left, and purity, balance and score of the machine over them.

    Parameters
    ----------
    clf : fitted DCSVC, DivideAndConquerClassifier or DAGSVC
        Or a pipeline that ends in one.
    X : array-like of shape (n_samples, n_features), default=None
        The rows to count; by default those of the training rows that `fit` has kept.
    max_depth : int, default=10
        Decisions from the root that are shown. None for all.
    max_children : int, default=6
        Ways shown of each node. None for all.
    max_nodes : int, default=60
        Lines in all. None for no limit.
    highlight : array-like of shape (n_features,), default=None
        A row whose path is marked and shown in any case.
    class_names : sequence of str, default=None
        What to call the classes, in the order of `classes_`.
    max_classes : int, default=6
        Classes named of each node before they are only counted.

    Returns
    -------
    text : str

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
    head = f"{kind}, {title(structure)}"
    return "\n".join([head, *_lines(structure, root, "", "", max_classes)])


def title(structure: DecisionStructure) -> str:
    """What the structure is of, in a line."""
    theta = "" if structure.theta is None else f", θ = {structure.theta:g}"
    total = structure.n_training_rows
    rows = f"{structure.n_rows:,} rows counted"
    if total == structure.n_rows:
        rows = "all training rows counted"
    elif total is not None:
        rows = f"training rows counted by {structure.n_rows:,} of {total:,} of them"
    return f"{len(structure.labels)} classes{theta}, {rows}"


def count(rows: float) -> str:
    """A number of rows, which may be an estimate or a sum of weights."""
    if 0 < rows < 0.5:
        return "<1"
    return f"{rows:,.0f}"


def some_rows(rows: float) -> str:
    """So many rows, in words."""
    return "1 row" if count(rows) == "1" else f"{count(rows)} rows"


def what(structure: DecisionStructure, node: Node) -> str:
    """What happens at a node."""
    if node.kind == "machine":
        return structure.machine_name(node)
    if node.kind == "scores":
        return f"scores ({structure.shortlist})"
    return "final vote" if node.kind == "vote" else f"class {structure.names[node.classes[0]]}"


def hidden(branch: Branch) -> str:
    """What is not shown of a branch, in words."""
    ways = "1 other way" if branch.hidden_ways == 1 else f"{branch.hidden_ways} other ways"
    return f"… {ways}, {some_rows(branch.hidden_rows)}"


def mean_left(node: Node) -> str:
    """How many classes are left."""
    return f"{node.mean_left:.1f}".removesuffix(".0")


def _lines(
    structure: DecisionStructure, branch: Branch, first: str, rest: str, most: int
) -> Iterator[str]:
    answer = "" if branch.way is None else structure.way_name(branch.way)
    said = f"{answer} → " if answer else ""
    ways = "1 way on" if branch.hidden_ways == 1 else f"{branch.hidden_ways} ways on"
    cut = f" … {ways}" if branch.hidden_ways and not branch.children else ""
    mark = MARK if branch.is_highlighted else ""
    yield f"{first}{said}{_node(structure, branch, most)}{cut}{mark}"
    sum_up = [hidden(branch)] if branch.hidden_rows and branch.children else []
    n_below = len(branch.children) + len(sum_up)
    for t, child in enumerate(branch.children, start=1):
        corner, bar = ("└─ ", "   ") if t == n_below else ("├─ ", "│  ")
        yield from _lines(structure, child, rest + corner, rest + bar, most)
    yield from (f"{rest}└─ {words}" for words in sum_up)


def _node(structure: DecisionStructure, branch: Branch, most: int) -> str:
    node = branch.node
    words = f"{what(structure, node)}: {some_rows(branch.rows)}"
    if node.kind == "leaf":
        return words
    words += f", {mean_left(node)} left"
    if node.kind == "scores":
        return words + " before them"
    words += f": {structure.class_list(node.classes, most)}"
    if node.purity is not None:
        words += f" (purity {node.purity}, balance {node.balance}, score {node.score:.2f})"
    return words
