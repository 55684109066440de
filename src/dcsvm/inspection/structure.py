"""`DecisionStructure`: the paths that rows take through a classifier, counted.

Along a decision structure (`dag_`) a node is the set of classes left, and equal sets are one
node. With a shortlist there is no such structure; the paths then form a tree: first the scores,
then machine after machine by the winner of the last, until one class is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.estimators.access import route_of
from dcsvm.inspection.fitted import find_classifier, json_label, one_row
from dcsvm.inspection.graph import Branch, Edge, Limits, Node, select, unfold
from dcsvm.inspection.tracing import DagTrace, TreeTrace
from dcsvm.routing.dag.route import DagRoute


@dataclass(frozen=True, eq=False, repr=False)
class DecisionStructure:
    """All nodes that the counted rows pass; the first one is the root.

    Attributes
    ----------
    nodes : tuple of Node
    labels : list
        The classes.
    names : list of str
        Their names in text and pictures.
    theta : float or None
    is_dag : bool
        Whether nodes are sets of classes, each there once; else it is a tree.
    shortlist : str or None
        The name of the shortlist.
    gap : float or None
        How far the score of a class may be behind the best.
    n_rows : int
        Rows counted, without the highlighted one.
    n_training_rows : int or None
        The training rows they are drawn from; None if they were passed by the user.
    path_start, path_nodes : arrays of int
        Row r passes the nodes path_nodes[path_start[r] : path_start[r + 1]].
    weight : array of shape (n_rows,)
        Of each row.
    highlighted : tuple of int
        The nodes that the highlighted row passes.
    """

    nodes: tuple[Node, ...]
    labels: list[Any]
    names: list[str]
    theta: float | None
    is_dag: bool
    shortlist: str | None
    gap: float | None
    n_rows: int
    n_training_rows: int | None
    path_start: NDArray[np.int64]
    path_nodes: NDArray[np.int64]
    weight: NDArray[np.float64]
    highlighted: tuple[int, ...]

    @property
    def root(self) -> Node:
        """The node of all classes."""
        return self.nodes[0]

    def path(self, row: int) -> list[int]:
        """The nodes that a counted row passes, from the root to its leaf."""
        return self.path_nodes[self.path_start[row] : self.path_start[row + 1]].tolist()  # type: ignore[no-any-return]

    def title(self) -> str:
        """The number of classes, θ and the rows counted, in a line."""
        theta = "" if self.theta is None else f", θ = {self.theta:g}"
        total = self.n_training_rows
        rows = f"{self.n_rows:,} rows counted"
        if total == self.n_rows:
            rows = "all training rows counted"
        elif total is not None:
            rows = f"{total:,} training rows, estimated from {self.n_rows:,}"
        return f"{len(self.labels)} classes{theta}, {rows}"

    def node_name(self, node: Node) -> str:
        """What decides the next round, or the class of a leaf."""
        if node.machine is not None:
            i, j = node.machine
            return f"{self.names[i]} vs {self.names[j]}"
        if node.kind == "scores":
            return "all machines" if self.shortlist is None else f"scores ({self.shortlist})"
        return "final vote" if node.kind == "vote" else f"class {self.names[node.classes[0]]}"

    def edge_name(self, edge: Edge) -> str:
        """The winner, with the interval of values where the sign alone does not decide."""
        if edge.winner is None:
            return ""
        name = self.names[edge.winner]
        if edge.low is None or edge.high is None:
            return name
        if np.isneginf(edge.low) or np.isposinf(edge.high):
            bound = f"≤ {edge.high:.3g}" if np.isneginf(edge.low) else f"> {edge.low:.3g}"
        else:
            bound = f"{edge.low:.3g} to {edge.high:.3g}"
        return f"{name} ({bound})"

    def class_list(self, classes: tuple[int, ...], most: int = 6) -> str:
        """The names of classes; of more than `most`, the first ones and how many there are."""
        named = ", ".join(self.names[c] for c in classes[:most])
        return named if len(classes) <= most else f"{named}, … ({len(classes)})"

    def tree(
        self,
        max_depth: int | None = None,
        max_children: int | None = None,
        max_nodes: int | None = None,
    ) -> Branch:
        """The structure as a tree, the most frequent children first."""
        limits = Limits(max_depth, max_children, max_nodes)
        return unfold(self.nodes, self.weight, self.highlighted, limits)

    def shown(
        self,
        max_depth: int | None = None,
        max_children: int | None = None,
        max_nodes: int | None = None,
    ) -> dict[int, list[Edge]]:
        """The nodes within limits, each once, and the edges between them.

        Nodes deeper than `max_depth`, all but the `max_children` most frequent children of each
        node, and all but the `max_nodes` most frequent nodes are left out, except on the path
        of the highlighted row.
        """
        return select(self.nodes, self.highlighted, Limits(max_depth, max_children, max_nodes))

    def to_dict(
        self,
        max_depth: int | None = None,
        max_children: int | None = None,
        max_nodes: int | None = None,
    ) -> dict[str, Any]:
        """The structure as plain data, ready for JSON, within the limits of `shown`.

        A node's "hidden_children" and "hidden_rows" count what is left out.
        """
        shown = self.shown(max_depth, max_children, max_nodes)
        return {
            "classes": [json_label(label) for label in self.labels],
            "theta": self.theta,
            "is_dag": self.is_dag,
            "shortlist": self.shortlist,
            "gap": None if self.gap is None or np.isinf(self.gap) else self.gap,
            "rows_counted": self.n_rows,
            "training_rows": self.n_training_rows,
            "highlighted": list(self.highlighted),
            "nodes": [self._plain_node(self.nodes[n], edges) for n, edges in shown.items()],
        }

    def _plain_node(self, node: Node, edges: list[Edge]) -> dict[str, Any]:
        def named(classes: tuple[int, ...]) -> list[Any]:
            return [json_label(self.labels[c]) for c in classes]

        return {
            "id": node.id,
            "kind": node.kind,
            "machine": None if node.machine is None else named(node.machine),
            "classes": named(node.classes),
            "mean_left": node.mean_left,
            "rows": node.rows,
            "purity": node.purity,
            "balance": node.balance,
            "score": node.score,
            "children": [
                {
                    "id": edge.target,
                    "label": self.edge_name(edge),
                    "winner": None if edge.winner is None else named((edge.winner,))[0],
                    "dropped": named(edge.dropped),
                    "rows": edge.rows,
                }
                for edge in edges
            ],
            "hidden_children": len(node.edges) - len(edges),
            "hidden_rows": sum(e.rows for e in node.edges) - sum(e.rows for e in edges),
        }

    def __repr__(self) -> str:
        kind = "sets of classes" if self.is_dag else "nodes of a tree"
        return f"DecisionStructure({len(self.nodes)} {kind}, {self.n_rows} rows)"


def decision_structure(
    clf: Any, *, X: Any = None, highlight: Any = None, class_names: Sequence[Any] | None = None
) -> DecisionStructure:
    """The paths that rows take through a classifier, counted.

    Parameters
    ----------
    clf : fitted DCSVC, DivideAndConquerClassifier or DAGSVC
        Or a pipeline that ends in one.
    X : array-like of shape (n_samples, n_features), default=None
        The rows to count. By default the training rows kept by `fit`: all if they are few, else
        up to 1,024, weighted so that they stand for all.
    highlight : array-like of shape (n_features,), default=None
        A row whose path is to be marked. It is not counted.
    class_names : sequence of str, default=None
        The names of the classes in text and pictures, in the order of `classes_`.

    Returns
    -------
    structure : DecisionStructure
        Read-only; `to_dict()` gives it as plain data.
    """
    fitted = find_classifier(clf)
    names = fitted.names(class_names)
    counted = fitted.counted_rows(X)
    n_rows = counted.X.shape[0]
    if highlight is not None:
        both = (counted.X, fitted.validated_rows(one_row(highlight)))
        stacked = (
            sparse.vstack(both).tocsr() if any(map(sparse.issparse, both)) else np.vstack(both)
        )
        counted = counted._replace(X=stacked, weight=np.append(counted.weight, 0.0))
    is_dag = isinstance(route_of(fitted.classifier), DagRoute)
    trace = DagTrace(fitted, counted) if is_dag else TreeTrace(fitted, counted)
    trace.follow()
    path_start, path_nodes = trace.paths()
    shortlist = getattr(fitted.classifier, "shortlist_", None)
    return DecisionStructure(
        nodes=trace.nodes(),
        labels=fitted.labels,
        names=names,
        theta=fitted.theta,
        is_dag=is_dag,
        shortlist=None if shortlist is None else shortlist.name,
        gap=None if shortlist is None else float(shortlist.gap),
        n_rows=n_rows,
        n_training_rows=counted.n_training_rows,
        path_start=path_start,
        path_nodes=path_nodes,
        weight=counted.weight,
        highlighted=() if highlight is None else tuple(path_nodes[path_start[n_rows] :].tolist()),
    )


def rows_in_words(rows: float) -> str:
    """A number of rows in words; it may be an estimate or a sum of weights."""
    count = "<1" if 0 < rows < 0.5 else f"{rows:,.0f}"
    return "1 row" if count == "1" else f"{count} rows"


def one_decimal(number: float) -> str:
    """A number with one decimal at most."""
    return f"{number:.1f}".removesuffix(".0")
