"""What of a structure is shown: the ways that most rows take, within limits.

With many classes nobody could read it all. The most frequent ways are taken first, wherever
they are, until the limits are met; what is left out is summed up where it would be. The path of
a highlighted row is there in any case.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dcsvm.inspection.structure import DecisionStructure, Node, Way


class Limits(NamedTuple):
    """How much is shown; None for no limit."""

    max_depth: int | None = None
    max_children: int | None = None
    max_nodes: int | None = None

    def check(self) -> None:
        """Refuse what is no limit."""
        for name, value in self._asdict().items():
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
                raise ValueError(f"{name} must be None or a whole number from 0 on, got {value!r}.")

    def allow_below(self, depth: int) -> bool:
        """Whether a node of this depth may have children."""
        return self.max_depth is None or depth < self.max_depth

    def allow_more_than(self, n_nodes: int) -> bool:
        """Whether another node may follow."""
        return self.max_nodes is None or n_nodes < self.max_nodes


@dataclass(eq=False)
class Branch:
    """A node as it is reached from the root by one path, for drawing a tree.

    `rows` counts those that came by this path; `hidden_ways` and `hidden_rows` what is left out.
    """

    node: Node
    way: Way | None
    rows: float
    depth: int
    is_highlighted: bool
    children: list[Branch] = field(default_factory=list)
    hidden_ways: int = 0
    hidden_rows: float = 0.0

    def walk(self) -> Iterator[Branch]:
        """Itself and all below."""
        yield self
        for child in self.children:
            yield from child.walk()


def unfold(structure: DecisionStructure, limits: Limits) -> Branch:
    """The root and what is below it as a tree; a node that two paths reach is there twice."""
    limits.check()
    unfolding = _Unfolding(structure, limits)
    everyone = np.arange(len(structure.weight))
    root = unfolding.branch(structure.root, None, everyone, 0, bool(structure.highlighted))
    unfolding.run()
    _sum_up(root)
    return root


class _Unfolding:
    """Takes the most frequent way first."""

    def __init__(self, structure: DecisionStructure, limits: Limits) -> None:
        self.structure = structure
        self.limits = limits
        self.n_shown = 0
        self.waiting: list[tuple[float, int, Any]] = []  # by rows, the first of equals first
        self.turn = count()

    def branch(
        self, node: Node, way: Way | None, members: NDArray[np.int64], depth: int, marked: bool
    ) -> Branch:
        """Show a node, and let its children wait."""
        self.n_shown += 1
        branch = Branch(node, way, float(self.structure.weight[members].sum()), depth, marked)
        # In a DAG some of a node's rows come by other paths.
        found = [(w, np.intersect1d(w.members, members, assume_unique=True)) for w in node.ways]
        found.sort(key=lambda item: -float(self.structure.weight[item[1]].sum()))
        path = self.structure.highlighted
        following = path[depth + 1] if marked and node.ways else None
        most = self.limits.max_children if self.limits.allow_below(depth) else 0
        for place, (w, those) in enumerate(found):
            if w.target == following:
                child = self.branch(self.structure.nodes[w.target], w, those, depth + 1, True)
                branch.children.append(child)
            elif most is None or place < most:
                rows = float(self.structure.weight[those].sum())
                heappush(self.waiting, (-rows, next(self.turn), (branch, w, those)))
        return branch

    def run(self) -> None:
        """Show who waits, as long as there is room."""
        while self.waiting and self.limits.allow_more_than(self.n_shown):
            parent, way, those = heappop(self.waiting)[2]
            node = self.structure.nodes[way.target]
            parent.children.append(self.branch(node, way, those, parent.depth + 1, False))


def _sum_up(branch: Branch) -> None:
    """Order the children, and count what is not shown."""
    branch.children.sort(key=lambda child: -child.rows)
    branch.hidden_ways = len(branch.node.ways) - len(branch.children)
    if branch.hidden_ways:
        branch.hidden_rows = max(0.0, branch.rows - sum(child.rows for child in branch.children))
    for child in branch.children:
        _sum_up(child)


def select(structure: DecisionStructure, limits: Limits) -> dict[int, list[Way]]:
    """The nodes that are shown, each once, with the ways that are shown of each."""
    limits.check()
    selection = _Selection(structure, limits)
    for depth, node in enumerate(structure.highlighted or (0,)):
        selection.show(node, depth)
    selection.run()
    for n, ways in selection.shown.items():
        order = {id(way): place for place, way in enumerate(structure.nodes[n].ways)}
        ways.sort(key=lambda way: order[id(way)])
    return selection.shown


class _Selection:
    """Takes the most frequent way first; equal nodes are one."""

    def __init__(self, structure: DecisionStructure, limits: Limits) -> None:
        self.structure = structure
        self.limits = limits
        self.shown: dict[int, list[Way]] = {}
        self.waiting: list[tuple[float, int, Any]] = []
        self.turn = count()
        path = structure.highlighted
        self.on_path = set(pairwise(path))

    def show(self, n: int, depth: int) -> None:
        """Show a node, and let its ways wait."""
        self.shown[n] = []
        most = self.limits.max_children if self.limits.allow_below(depth) else 0
        for place, way in enumerate(self.structure.nodes[n].ways):
            if (n, way.target) in self.on_path:
                self.shown[n].append(way)
            elif most is None or place < most:
                heappush(self.waiting, (-way.rows, next(self.turn), (n, way, depth)))

    def run(self) -> None:
        """Show the ways that wait, as long as there is room for what they lead to."""
        while self.waiting:
            n, way, depth = heappop(self.waiting)[2]
            if way.target not in self.shown:
                if not self.limits.allow_more_than(len(self.shown)):
                    continue
                self.show(way.target, depth + 1)
            self.shown[n].append(way)
