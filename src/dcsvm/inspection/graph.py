"""The graph of rows' paths, and the part of it that is shown.

With many classes the whole graph is too large to read. The most frequent edges are shown first,
wherever they are, until the limits are met; for each node the children left out are counted. The
path of a highlighted row is always shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Edge:
    """From a node to one of its children."""

    target: int  # the child
    winner: int | None  # the class that won the round; None after scores
    dropped: tuple[int, ...]  # in the round; empty where the classes differ from row to row
    # The rows that took this edge, as indices into the counted rows, and their total weight.
    members: NDArray[np.int64] = field(repr=False)
    rows: float
    # The interval of the machine's values for this edge; None where the sign decides.
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, eq=False)
class Node:
    """A state that rows pass on the way to their class.

    `kind` is "scores", "machine" or "vote": how the next round is decided, by the scores of a
    shortlist, by a machine, or by a vote of the classes left; or "leaf", the predicted class.
    """

    id: int  # its index in `DecisionStructure.nodes`
    kind: str
    machine: tuple[int, int] | None  # its classes i and j
    # The classes left. Where they differ from row to row, those left for any row, the most
    # frequent first.
    classes: tuple[int, ...]
    mean_left: float  # the average number of classes left
    rows: float  # the total weight of the rows that pass
    # How well the machine divides `classes`.
    purity: int | None
    balance: int | None
    score: float | None
    edges: tuple[Edge, ...]  # to the children, the most frequent first


@dataclass(frozen=True)
class Limits:
    """How much is shown: None for no limit, or a whole number from 0 on."""

    max_depth: int | None = None
    max_children: int | None = None
    max_nodes: int | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
                raise ValueError(f"{name} must be None or a whole number from 0 on, got {value!r}.")

    def children_at(self, depth: int) -> int | None:
        """How many children a node of this depth may have."""
        return self.max_children if self.max_depth is None or depth < self.max_depth else 0

    def allow_another(self, n_nodes: int) -> bool:
        """Whether a node may be added to `n_nodes`."""
        return self.max_nodes is None or n_nodes < self.max_nodes


@dataclass(eq=False)
class Branch:
    """A node as reached by one path from the root, in a tree.

    `rows` is the weight of the rows that came by this path; `hidden_children` and `hidden_rows`
    count the children left out.
    """

    node: Node
    edge: Edge | None  # from the parent
    rows: float
    depth: int
    is_highlighted: bool
    children: list[Branch] = field(default_factory=list)
    hidden_children: int = 0
    hidden_rows: float = 0.0

    def walk(self) -> Iterator[Branch]:
        """The branch and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


def unfold(
    nodes: Sequence[Node], weight: NDArray[np.float64], highlighted: Sequence[int], limits: Limits
) -> Branch:
    """The graph as a tree from its root; a node that two paths reach is there twice."""
    queue: list[tuple[float, int, Any]] = []  # by rows; of equals the one added first
    order = count()

    def branch(
        node: Node, edge: Edge | None, members: NDArray[np.int64], depth: int, marked: bool
    ) -> Branch:
        """A node, with its child on the highlighted path; other children are queued."""
        made = Branch(node, edge, float(weight[members].sum()), depth, marked)
        # In a DAG some of a node's rows come by other paths.
        found = []
        for e in node.edges:
            of_edge = np.intersect1d(e.members, members, assume_unique=True)
            found.append((float(weight[of_edge].sum()), e, of_edge))
        found.sort(key=lambda item: -item[0])
        following = highlighted[depth + 1] if marked and node.edges else None
        most = limits.children_at(depth)
        for t, (rows, e, of_edge) in enumerate(found):
            if e.target == following:
                made.children.append(branch(nodes[e.target], e, of_edge, depth + 1, True))
            elif most is None or t < most:
                heappush(queue, (-rows, next(order), (made, e, of_edge)))
        return made

    root = branch(nodes[0], None, np.arange(len(weight)), 0, bool(highlighted))
    n_nodes = max(1, len(highlighted))
    while queue and limits.allow_another(n_nodes):
        parent, edge, members = heappop(queue)[2]
        child = branch(nodes[edge.target], edge, members, parent.depth + 1, False)
        parent.children.append(child)
        n_nodes += 1
    for shown in root.walk():
        shown.children.sort(key=lambda child: -child.rows)
        shown.hidden_children = len(shown.node.edges) - len(shown.children)
        if shown.hidden_children:
            shown.hidden_rows = max(0.0, shown.rows - sum(child.rows for child in shown.children))
    return root


def select(
    nodes: Sequence[Node], highlighted: Sequence[int], limits: Limits
) -> dict[int, list[Edge]]:
    """The nodes that are shown, each once, with the edges that are shown of each."""
    queue: list[tuple[float, int, Any]] = []  # by rows; of equals the one added first
    order = count()
    shown: dict[int, list[Edge]] = {}
    on_path = set(pairwise(highlighted))

    def show(n: int, depth: int) -> None:
        """Show a node; edges off the highlighted path are queued."""
        shown[n] = []
        most = limits.children_at(depth)
        for t, edge in enumerate(nodes[n].edges):
            if (n, edge.target) in on_path:
                shown[n].append(edge)
            elif most is None or t < most:
                heappush(queue, (-edge.rows, next(order), (n, edge, depth)))

    for depth, n in enumerate(highlighted or (0,)):
        show(n, depth)
    while queue:
        n, edge, depth = heappop(queue)[2]
        if edge.target not in shown:
            if not limits.allow_another(len(shown)):
                continue
            show(edge.target, depth + 1)
        shown[n].append(edge)
    return {n: [edge for edge in nodes[n].edges if edge in edges] for n, edges in shown.items()}
