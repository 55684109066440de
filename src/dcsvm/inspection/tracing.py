"""From the rounds of rows to the nodes and edges that they pass.

Along a decision structure (`dag_`) a node is a set of classes, and equal sets are one node
(`DagTrace`). With a shortlist there is no such structure, but a tree, in which rows are in the same
node as long as they have the same machines and winners (`TreeTrace`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.some_pairs import NO_MACHINE
from dcsvm.estimators.access import route_of
from dcsvm.inspection.fitted import CountedRows, FittedClassifier
from dcsvm.inspection.graph import Edge, Node
from dcsvm.machines.query import group_by
from dcsvm.routing.candidate_sets import pack, unpack
from dcsvm.routing.dag.criteria import purity_and_balance
from dcsvm.routing.dag.splitting import MarginSplitter
from dcsvm.routing.route import Phase, Round
from dcsvm.routing.sides import sides

NO_WINNER = -1
NO_NODE = -1

Indices = NDArray[np.int64]
Quality = tuple[int | None, int | None, float | None]  # purity, balance and score


class Trace(ABC):
    """Numbers the nodes as rows come to them, and records every move from node to node."""

    def __init__(self, fitted: FittedClassifier, counted: CountedRows) -> None:
        self.clf = fitted.classifier
        self.theta = fitted.theta
        self.rounds = fitted.rounds(counted.X)
        self.weight = counted.weight
        self.k = len(self.clf.classes_)
        self.pairs = self.clf.machines_.pairs
        n = len(self.weight)
        self.number: dict[Any, int] = {}
        self.kind: list[str] = []
        self.machine: list[int] = []
        self.node = np.zeros(n, dtype=np.int64)  # where each row is
        # Rows, the node left and the node entered, one array for each round.
        self.moves = [(np.arange(n), np.full(n, NO_NODE), self.node.copy())]

    def follow(self) -> None:
        """Record all rounds of all rows."""
        for round_ in self.rounds:
            self.take(round_)
        self.finish()
        self.rows, self.source, self.target = map(np.concatenate, zip(*self.moves, strict=True))

    @abstractmethod
    def take(self, round_: Round) -> None:
        """Move the rows of a round to their next nodes."""

    def finish(self) -> None:  # noqa: B027
        """Called after the last round."""

    def number_of(self, key: Any, machine: int, kind: str) -> int:
        """The node with this key; a new one if there is none yet."""
        n = self.number.setdefault(key, len(self.kind))
        if n == len(self.kind):
            self.kind.append(kind)
            self.machine.append(machine)
        return n

    def move(self, rows: NDArray[np.int64], target: NDArray[np.int64]) -> None:
        """Record that rows go on to nodes."""
        self.moves.append((rows, self.node[rows], target))
        self.node[rows] = target

    def paths(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the nodes of each row begin, and the nodes of all rows in order."""
        start = np.concatenate([[0], np.cumsum(np.bincount(self.rows, minlength=len(self.node)))])
        return start, self.target[np.argsort(self.rows, kind="stable")]

    def node_rows(self) -> NDArray[np.float64]:
        """The total weight of the rows at each node."""
        weight = self.weight[self.rows]
        return np.bincount(self.target, weight, len(self.kind)).astype(np.float64)

    def nodes(self) -> tuple[Node, ...]:
        """All nodes, the root first."""
        edges = self.edges()  # first: it may add nodes
        classes, mean_left = self.classes()
        quality = self._quality(classes)
        rows = self.node_rows()
        return tuple(
            Node(
                n,
                kind,
                None if m == NO_MACHINE else tuple(self.pairs[m].tolist()),
                classes[n],
                float(mean_left[n]),
                float(rows[n]),
                *quality[n],
                tuple(edges[n]),
            )
            for n, (kind, m) in enumerate(zip(self.kind, self.machine, strict=True))
        )

    def edges(self) -> list[list[Edge]]:
        """The edges from each node, the most frequent first."""
        n_nodes = len(self.kind)
        edges: list[list[Edge]] = [[] for _ in self.kind]
        for key, moves in group_by(self.source * n_nodes + self.target):
            if key < 0:  # into the root
                continue
            source, target = divmod(key, n_nodes)
            members = np.sort(self.rows[moves])
            rows = float(self.weight[members].sum())
            edges[source].append(self.edge(source, target, moves, members, rows))
        for of_node in edges:
            of_node.sort(key=lambda edge: (-edge.rows, edge.target))
        return edges

    @abstractmethod
    def edge(self, source: int, target: int, moves: Indices, members: Indices, rows: float) -> Edge:
        """The edge between two nodes; `moves` are the indices of the moves along it."""

    @abstractmethod
    def classes(self) -> tuple[list[tuple[int, ...]], NDArray[np.float64]]:
        """The classes left at each node, and their average number."""

    def _quality(self, classes: list[tuple[int, ...]]) -> list[Quality]:
        """Purity, balance and score of each node's machine, if there are a table and θ."""
        quality: list[Quality] = [(None,) * 3] * len(classes)
        table = getattr(self.clf, "table_", None)
        machine = np.array(self.machine)
        deciding = np.flatnonzero(machine != NO_MACHINE)
        if table is None or self.theta is None or len(deciding) == 0:
            return quality
        is_in = np.zeros((len(deciding), self.k), dtype=bool)
        for t, n in enumerate(deciding):
            is_in[t, list(classes[n])] = True
        at_theta = sides(table, self.theta)
        purity, balance = purity_and_balance(at_theta, machine[deciding], pack(is_in))
        score = at_theta.score[machine[deciding]]
        for n, p, b, s in zip(deciding, purity, balance, score, strict=True):
            quality[n] = (int(p), int(b), float(s))
        return quality


class DagTrace(Trace):
    """Along a decision structure: a node is a set of classes."""

    def __init__(self, fitted: FittedClassifier, counted: CountedRows) -> None:
        super().__init__(fitted, counted)
        self.splitter = route_of(self.clf).grower.splitter
        self.words: list[NDArray[np.uint64]] = []  # the set of each node
        self.values = [np.zeros(len(self.weight))]  # of each move
        self._nodes_of(pack(np.ones((1, self.k), dtype=bool)))

    def take(self, round_: Round) -> None:
        """The next node is the set of candidates left."""
        self.values.append(round_.values)
        self.move(round_.rows, self._nodes_of(pack(round_.is_in)))

    def _nodes_of(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The node of each set of classes."""
        distinct, which = np.unique(words, axis=0, return_inverse=True)
        several = np.bitwise_count(distinct).sum(axis=1) > 1
        machine = np.full(len(distinct), NO_MACHINE, dtype=np.int32)
        if several.any():
            machine[several] = self.splitter.choose(distinct[several])
        ids = []
        for candidates, m in zip(distinct, machine.tolist(), strict=True):
            kind = "leaf" if m == NO_MACHINE else "machine"
            ids.append(self.number_of(candidates.tobytes(), m, kind))
            if ids[-1] == len(self.words):
                self.words.append(candidates)
        return np.array(ids)[which.reshape(-1)]

    def classes(self) -> tuple[list[tuple[int, ...]], NDArray[np.float64]]:
        """The set of each node, and its size."""
        is_in = unpack(np.array(self.words), self.k)
        return [tuple(np.flatnonzero(row).tolist()) for row in is_in], is_in.sum(axis=1) * 1.0

    def edges(self) -> list[list[Edge]]:
        """Where the sign decides, a node has two children, even if no row goes to one of them."""
        deciding = np.array([n for n, m in enumerate(self.machine) if m != NO_MACHINE])
        machine = np.array(self.machine, dtype=np.int32)[deciding]
        words = np.array(self.words)[deciding]
        self.value = np.concatenate(self.values)
        self.cuts: dict[int, NDArray[np.float64]] = {}
        if isinstance(self.splitter, MarginSplitter):
            n_cuts, cuts = self.splitter.cuts(machine, words)
            by_node = np.split(cuts, np.cumsum(n_cuts)[:-1])
            self.cuts = dict(zip(deciding.tolist(), by_node, strict=True))
            return super().edges()
        children = [
            self._nodes_of(self.splitter.children(machine, words, np.full(len(deciding), side)))
            for side in (0, 1)
        ]
        edges = super().edges()
        no_rows = np.empty(0, dtype=np.int64)
        for targets in children:
            for source, target in zip(deciding.tolist(), targets.tolist(), strict=True):
                if target not in [edge.target for edge in edges[source]]:
                    edges[source].append(self.edge(source, target, no_rows, no_rows, 0.0))
        return edges

    def edge(self, source: int, target: int, moves: Indices, members: Indices, rows: float) -> Edge:
        """The classes dropped are those in the first set and not in the second."""
        before, after = unpack(np.array([self.words[source], self.words[target]]), self.k)
        i, j = self.pairs[self.machine[source]].tolist()
        dropped = tuple(np.flatnonzero(before & ~after).tolist())
        edge = Edge(target, i if after[i] else j, dropped, members, rows)
        if source not in self.cuts:
            return edge
        cuts = self.cuts[source]
        ends = np.concatenate([[-np.inf], cuts, [np.inf]])
        interval = np.searchsorted(cuts, self.value[moves])
        low, high = float(ends[interval.min()]), float(ends[interval.max() + 1])
        if (low, high) in ((-np.inf, 0.0), (0.0, np.inf)):  # all values of one sign
            return edge
        return replace(edge, low=low, high=high)


class TreeTrace(Trace):
    """With a shortlist: a node is the machines and winners so far, and the next machine."""

    def __init__(self, fitted: FittedClassifier, counted: CountedRows) -> None:
        super().__init__(fitted, counted)
        n = len(self.weight)
        self.winner = np.full(n, NO_WINNER)
        self.outcome = np.zeros(n, dtype=np.int64)
        self.winner_before: list[int] = [NO_WINNER]  # each node
        self.number_of((), NO_MACHINE, "scores")
        # The weight of each class at each node, and whether it was left for any row.
        self.left = [np.full(self.k, float(self.weight.sum()))]
        self.ever_left = [np.ones(self.k, dtype=bool)]

    def take(self, round_: Round) -> None:
        """The next node depends on the last winner and on what decides this round."""
        rows, left = round_.rows, round_.is_in.argmax(axis=1)
        self.outcome[rows] = left
        if round_.phase is Phase.MACHINE:
            self._enter(rows, round_.was_in, round_.machine.astype(np.int64), "machine")
            i, j = self.pairs[round_.machine].T
            self.winner[rows] = np.where(round_.values > 0, i, j)
        elif round_.phase is Phase.VOTE:
            self._enter(rows, round_.was_in, np.full(len(rows), NO_MACHINE), "vote")
            self.winner[rows] = left

    def finish(self) -> None:
        """The leaf is the class; it differs by the node and the winner before it."""
        only = np.eye(self.k, dtype=bool)[self.outcome]
        self._enter(np.arange(len(self.node)), only, self.outcome, "leaf")

    def _enter(
        self, rows: Indices, was_in: NDArray[np.bool_], following: Indices, kind: str
    ) -> None:
        """Move rows to nodes of a kind; `following` is the machine, or the class of a leaf."""
        keys = np.column_stack([self.node[rows], self.winner[rows], following])
        distinct, which = np.unique(keys, axis=0, return_inverse=True)
        which = which.reshape(-1)
        ids = []
        for before, winner, m in distinct.tolist():
            machine = m if kind == "machine" else NO_MACHINE
            ids.append(self.number_of((before, winner, kind, m), machine, kind))
            if ids[-1] == len(self.left):
                self.winner_before.append(winner)
                self.left.append(np.zeros(self.k))
                self.ever_left.append(np.zeros(self.k, dtype=bool))
        for t, at in group_by(which):
            self.left[ids[t]] += self.weight[rows[at]] @ was_in[at]
            self.ever_left[ids[t]] |= was_in[at].any(axis=0)
        self.move(rows, np.array(ids)[which])

    def classes(self) -> tuple[list[tuple[int, ...]], NDArray[np.float64]]:
        """Those left for any row, the most frequent first."""
        left, ever = np.array(self.left), np.array(self.ever_left)
        order = np.argsort(-left, axis=1, kind="stable")
        classes = [tuple(o[e[o]].tolist()) for o, e in zip(order, ever, strict=True)]
        # A node that only the highlighted row has passed has no weight.
        rows = self.node_rows()
        mean = np.where(rows > 0, left.sum(axis=1) / np.where(rows > 0, rows, 1), ever.sum(axis=1))
        return classes, mean

    def edge(self, source: int, target: int, moves: Indices, members: Indices, rows: float) -> Edge:
        """The classes dropped differ from row to row."""
        winner = self.winner_before[target]
        return Edge(target, None if winner == NO_WINNER else winner, (), members, rows)
