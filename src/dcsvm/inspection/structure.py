"""`DecisionStructure`: the ways that rows take through a classifier, counted.

Along a decision structure (`dag_`) a node is a set of classes that may still be right, and
equal sets are one node. Where a shortlist guides the rows there is no such structure; what they
have in common is then told by a tree: first the scores, then the machine asked, then the
winner and the machine asked next, until a class is left. Text, pictures and the report all
are views of this.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.inspection.subject import plain
from dcsvm.inspection.view import Branch, Limits, select, unfold


@dataclass(frozen=True, eq=False)
class Way:
    """From a node to the next.

    Attributes
    ----------
    target : int
        The node it leads to.
    winner : int or None
        The class that the machine, or the vote, decided for.
    dropped : tuple of int
        The classes that are out after it. Empty where that differs from row to row.
    low, high : float or None
        Between which values of the machine it is taken, where the sign alone does not tell.
    members : array of int
        The rows that took it, as places among those observed.
    rows : float
        Their weight.
    """

    target: int
    winner: int | None
    dropped: tuple[int, ...]
    members: NDArray[np.int64] = field(repr=False)
    rows: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, eq=False)
class Node:
    """A place that rows pass.

    Attributes
    ----------
    id : int
        Its place in `DecisionStructure.nodes`.
    kind : {"scores", "machine", "vote", "leaf"}
        What happens here: cheap scores cut classes off, a machine is asked, those left
        vote, or the answer is known.
    machine : tuple of (int, int) or None
        The classes i and j of the machine asked.
    classes : tuple of int
        The classes left. Where that differs from row to row: those left for any, most
        frequent first.
    mean_left : float
        How many classes are left on average.
    rows : float
        The weight of the rows that come by.
    purity, balance : int or None
        Of the machine over `classes`.
    score : float or None
        Of the machine.
    ways : tuple of Way
        Where rows go from here, the most frequent way first.
    """

    id: int
    kind: str
    machine: tuple[int, int] | None
    classes: tuple[int, ...]
    mean_left: float
    rows: float
    purity: int | None
    balance: int | None
    score: float | None
    ways: tuple[Way, ...]


@dataclass(frozen=True, eq=False, repr=False)
class DecisionStructure:
    """All nodes that the observed rows pass; the first one is the root.

    Attributes
    ----------
    nodes : tuple of Node
    labels : list
        The classes.
    names : list of str
        What they are called in text and pictures.
    theta : float or None
    is_dag : bool
        Whether it is a decision structure whose nodes are sets of classes; else a tree.
    shortlist : str or None
        What gives the scores, and `gap`, how far a class may be behind the best.
    n_rows : int
        Rows observed, without the highlighted one.
    n_training_rows : int or None
        What they are drawn from; None where they were passed by the user.
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
        """Where all rows begin."""
        return self.nodes[0]

    def path(self, row: int) -> list[int]:
        """The nodes that an observed row passes, from the root to its leaf."""
        return self.path_nodes[self.path_start[row] : self.path_start[row + 1]].tolist()  # type: ignore[no-any-return]

    def machine_name(self, node: Node) -> str:
        """The machine of a node, in words."""
        if node.machine is None:
            return ""
        i, j = node.machine
        return f"{self.names[i]} vs {self.names[j]}"

    def way_name(self, way: Way) -> str:
        """The answer that leads on, in words."""
        if way.winner is None:
            return ""
        name = self.names[way.winner]
        if way.low is None or way.high is None:
            return name
        if np.isneginf(way.low) or np.isposinf(way.high):
            bound = f"≤ {way.high:.3g}" if np.isneginf(way.low) else f"> {way.low:.3g}"
        else:
            bound = f"{way.low:.3g} to {way.high:.3g}"
        return f"{name} ({bound})"

    def class_list(self, classes: tuple[int, ...], most: int = 6) -> str:
        """Names of classes, the first ones and how many there are."""
        named = ", ".join(self.names[c] for c in classes[:most])
        return named if len(classes) <= most else f"{named}, … ({len(classes)})"

    def tree(
        self,
        max_depth: int | None = None,
        max_children: int | None = None,
        max_nodes: int | None = None,
    ) -> Branch:
        """The root with what is below it, the most frequent ways first."""
        return unfold(self, Limits(max_depth, max_children, max_nodes))

    def to_dict(
        self,
        max_depth: int | None = None,
        max_children: int | None = None,
        max_nodes: int | None = None,
    ) -> dict[str, Any]:
        """The structure as plain data, ready for JSON.

        Nodes deeper than `max_depth`, all but the `max_children` most frequent ways of each
        node, and all but the `max_nodes` most frequent nodes are left out, except on the path
        of the highlighted row; a node says how many ways and rows of it are not shown.
        """
        shown = select(self, Limits(max_depth, max_children, max_nodes))
        return {
            "classes": [plain(label) for label in self.labels],
            "theta": self.theta,
            "is_dag": self.is_dag,
            "shortlist": self.shortlist,
            "gap": None if self.gap is None or np.isinf(self.gap) else self.gap,
            "rows_observed": self.n_rows,
            "training_rows": self.n_training_rows,
            "highlighted": list(self.highlighted),
            "nodes": [self._plain_node(self.nodes[n], ways) for n, ways in shown.items()],
        }

    def _plain_node(self, node: Node, ways: list[Way]) -> dict[str, Any]:
        def named(classes: tuple[int, ...]) -> list[Any]:
            return [plain(self.labels[c]) for c in classes]

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
                    "id": way.target,
                    "label": self.way_name(way),
                    "winner": None if way.winner is None else plain(self.labels[way.winner]),
                    "dropped": named(way.dropped),
                    "rows": way.rows,
                }
                for way in ways
            ],
            "hidden_ways": len(node.ways) - len(ways),
            "hidden_rows": sum(w.rows for w in node.ways) - sum(w.rows for w in ways),
        }

    def __repr__(self) -> str:
        what = "sets of classes" if self.is_dag else "places on the ways"
        return f"DecisionStructure({len(self.nodes)} {what} of {self.n_rows} rows)"
