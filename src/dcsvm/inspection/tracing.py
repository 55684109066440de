"""From the rounds of rows to the structure they have passed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.estimators.access import route_of
from dcsvm.inspection.structure import DecisionStructure, Node, Way
from dcsvm.inspection.subject import Observed, Subject, look_at, one_row, rows_to_count
from dcsvm.machines.query import group_by
from dcsvm.routing.candidate_sets import pack, unpack
from dcsvm.routing.dag.criteria import division
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.dag.splitting import MarginSplitter
from dcsvm.routing.route import NO_MACHINE, Phase, Round
from dcsvm.routing.sides import sides

NOBODY_WON = -1


def decision_structure(
    clf: Any,
    *,
    X: Any = None,
    highlight: Any = None,
    class_names: Sequence[Any] | None = None,
) -> DecisionStructure:
    """The ways that rows take through a classifier, counted.

    Parameters
    ----------
    clf : fitted DCSVC, DivideAndConquerClassifier or DAGSVC
        Or a pipeline that ends in one.
    X : array-like of shape (n_samples, n_features), default=None
        The rows to count. By default those of the training rows that `fit` has kept: all if
        they are few, else up to 1,024, each counting for as many as it stands for.
    highlight : array-like of shape (n_features,), default=None
        A row whose path is to be marked. It is not counted.
    class_names : sequence of str, default=None
        What to call the classes in text and pictures, in the order of `classes_`.

    Returns
    -------
    structure : DecisionStructure
        Read-only; `to_dict()` gives it as plain data.
    """
    subject = look_at(clf)
    names = subject.names(class_names)
    observed = rows_to_count(subject, X)
    n_rows = observed.X.shape[0]
    if highlight is not None:
        marked = subject.rows(one_row(highlight))
        stack = sparse.vstack if sparse.issparse(observed.X) or sparse.issparse(marked) else None
        both = (observed.X, marked)
        rows = np.vstack(both) if stack is None else stack(both).tocsr()
        observed = observed._replace(X=rows, weight=np.append(observed.weight, 0.0))
    is_dag = isinstance(route_of(subject.classifier), DagRoute)
    trace = _SetTrace(subject, observed) if is_dag else _PathTrace(subject, observed)
    trace.follow()
    path_start, path_nodes = trace.paths()
    shortlist = getattr(subject.classifier, "shortlist_", None)
    return DecisionStructure(
        nodes=trace.nodes(),
        labels=subject.labels,
        names=names,
        theta=subject.theta,
        is_dag=is_dag,
        shortlist=None if shortlist is None else shortlist.name,
        gap=None if shortlist is None else float(shortlist.gap),
        n_rows=n_rows,
        n_training_rows=observed.n_training_rows,
        path_start=path_start,
        path_nodes=path_nodes,
        weight=observed.weight,
        highlighted=() if highlight is None else tuple(path_nodes[path_start[n_rows] :].tolist()),
    )


class _Trace:
    """Numbers the places that rows pass, and remembers who passed which."""

    def __init__(self, subject: Subject, observed: Observed) -> None:
        self.clf = subject.classifier
        self.theta = subject.theta
        self.X, self.weight = observed.X, observed.weight
        self.k = len(self.clf.classes_)
        self.pairs = self.clf.machines_.pairs
        n = len(self.weight)
        self.number: dict[Any, int] = {}
        self.kind: list[str] = []
        self.machine: list[int] = []
        self.at = np.zeros(n, dtype=np.int64)
        self.rows: list[NDArray[np.int64]] = [np.arange(n)]
        self.source: list[NDArray[np.int64]] = [np.full(n, -1)]
        self.target: list[NDArray[np.int64]] = [self.at.copy()]

    def follow(self) -> None:
        """Go along with all rows."""
        for round_ in route_of(self.clf).rounds(self.clf.machines_, self.X, self.clf.n_jobs):
            self.take(round_)
        self.arrive()

    def take(self, round_: Round) -> None:
        """Go along with one round."""
        raise NotImplementedError

    def arrive(self) -> None:
        """All rows have their class."""

    def numbered(self, key: Any, kind: str, machine: int) -> int:
        """The node of a key, a new one if it is not known."""
        known = self.number.setdefault(key, len(self.kind))
        if known == len(self.kind):
            self.kind.append(kind)
            self.machine.append(machine)
        return known

    def move(self, rows: NDArray[np.int64], target: NDArray[np.int64]) -> None:
        """Rows go on to nodes."""
        self.rows.append(rows)
        self.source.append(self.at[rows])
        self.target.append(target)
        self.at[rows] = target

    def paths(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The nodes of every row in order: where each row's begin, and all of them."""
        rows, target = np.concatenate(self.rows), np.concatenate(self.target)
        start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(self.at)))])
        return start, target[np.argsort(rows, kind="stable")]

    def ways(self) -> list[list[Way]]:
        """The ways from each node, the most frequent first."""
        rows, source, target = map(np.concatenate, (self.rows, self.source, self.target))
        ways: list[list[Way]] = [[] for _ in self.kind]
        for key, at in group_by(source * len(self.kind) + target):
            if key < 0:  # into the root
                continue
            here, there = divmod(key, len(self.kind))
            members = np.sort(rows[at])
            weight = float(self.weight[members].sum())
            ways[here].append(self.way(here, there, at, members, weight))
        for of_node in ways:
            of_node.sort(key=lambda way: (-way.rows, way.target))
        return ways

    def way(
        self, here: int, there: int, at: NDArray[Any], members: NDArray[Any], weight: float
    ) -> Way:
        """The way between two nodes; `at` are the moves along it."""
        raise NotImplementedError

    def classes(self) -> tuple[list[tuple[int, ...]], NDArray[np.float64]]:
        """The classes left at each node, and how many on average."""
        raise NotImplementedError

    def nodes(self) -> tuple[Node, ...]:
        """All nodes."""
        classes, mean_left = self.classes()
        ways = self.ways()
        rows = np.zeros(len(self.kind))
        np.add.at(rows, np.concatenate(self.target), self.weight[np.concatenate(self.rows)])
        purity, balance, score = self._quality(classes)
        pairs = self.pairs
        return tuple(
            Node(
                n,
                kind,
                None if m == NO_MACHINE else tuple(pairs[m].tolist()),
                classes[n],
                float(mean_left[n]),
                float(rows[n]),
                purity[n],
                balance[n],
                score[n],
                tuple(ways[n]),
            )
            for n, (kind, m) in enumerate(zip(self.kind, self.machine, strict=True))
        )

    def _quality(
        self, classes: list[tuple[int, ...]]
    ) -> tuple[list[int | None], list[int | None], list[float | None]]:
        """Purity, balance and score, where a machine is asked and its table is known."""
        n = len(classes)
        purity: list[int | None] = [None] * n
        balance: list[int | None] = [None] * n
        score: list[float | None] = [None] * n
        machine = np.array(self.machine)
        asking = np.flatnonzero(machine != NO_MACHINE)
        table = getattr(self.clf, "table_", None)
        if table is None or self.theta is None or len(asking) == 0:
            return purity, balance, score
        is_in = np.zeros((len(asking), self.k), dtype=bool)
        for t, node in enumerate(asking):
            is_in[t, list(classes[node])] = True
        at_theta = sides(table, self.theta)
        found = division(at_theta, machine[asking], pack(is_in))
        own = at_theta.score[machine[asking]]
        for node, p, b, s in zip(asking, *found, own, strict=True):
            purity[node], balance[node], score[node] = int(p), int(b), float(s)
        return purity, balance, score


class _SetTrace(_Trace):
    """Along a decision structure: a node is a set of classes."""

    def __init__(self, subject: Subject, observed: Observed) -> None:
        super().__init__(subject, observed)
        self.splitter = route_of(self.clf).grower.splitter
        self.words: list[NDArray[np.uint64]] = []
        self.values = [np.zeros(len(self.weight))]
        self._nodes_of(pack(np.ones((1, self.k), dtype=bool)))

    def take(self, round_: Round) -> None:
        """The candidates left are the next node."""
        self.values.append(round_.values)
        self.move(round_.rows, self._nodes_of(pack(round_.is_in)))

    def _nodes_of(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        distinct, place = np.unique(words, axis=0, return_inverse=True)
        size = np.bitwise_count(distinct).sum(axis=1)
        machine = np.full(len(distinct), NO_MACHINE, dtype=np.int32)
        if (size > 1).any():
            machine[size > 1] = self.splitter.choose(distinct[size > 1])
        ids = []
        for t, m in enumerate(machine.tolist()):
            ids.append(
                self.numbered(distinct[t].tobytes(), "leaf" if m == NO_MACHINE else "machine", m)
            )
            if ids[-1] == len(self.words):
                self.words.append(distinct[t])
        return np.array(ids)[place.reshape(-1)]

    def classes(self) -> tuple[list[tuple[int, ...]], NDArray[np.float64]]:
        """The sets."""
        is_in = unpack(np.array(self.words), self.k)
        return [tuple(np.flatnonzero(row).tolist()) for row in is_in], is_in.sum(axis=1) * 1.0

    def nodes(self) -> tuple[Node, ...]:
        """All nodes, and next to them those that no row has passed."""
        self.cuts = self._cuts()
        self.unvisited = [] if self.cuts else self._unvisited()
        self.value = np.concatenate(self.values)
        return super().nodes()

    def _cuts(self) -> dict[int, NDArray[np.float64]]:
        """Where the values of nodes are cut, if not at zero alone."""
        if not isinstance(self.splitter, MarginSplitter):
            return {}
        asking = [n for n, m in enumerate(self.machine) if m != NO_MACHINE]
        machine = np.array([self.machine[n] for n in asking], dtype=np.int32)
        n_cuts, cuts = self.splitter.cuts(machine, np.array([self.words[n] for n in asking]))
        return dict(zip(asking, np.split(cuts, np.cumsum(n_cuts)[:-1]), strict=True))

    def _unvisited(self) -> list[tuple[int, int]]:
        """Where the sign decides, a node has two children, though no row may go to one of them."""
        asking = np.array([n for n, m in enumerate(self.machine) if m != NO_MACHINE])
        machine = np.array(self.machine, dtype=np.int32)[asking]
        words = np.array(self.words)[asking]
        source, target = np.concatenate(self.source), np.concatenate(self.target)
        known = set(zip(source.tolist(), target.tolist(), strict=True))
        found = []
        for interval in (0, 1):
            children = self.splitter.children(machine, words, np.full(len(asking), interval))
            ways = zip(asking.tolist(), self._nodes_of(children).tolist(), strict=True)
            found += [way for way in ways if way not in known]
        return found

    def ways(self) -> list[list[Way]]:
        """With those that no row takes."""
        ways = super().ways()
        for here, there in self.unvisited:
            nobody = np.empty(0, dtype=np.int64)
            ways[here].append(self.way(here, there, nobody, nobody, 0.0))
        return ways

    def way(
        self, here: int, there: int, at: NDArray[Any], members: NDArray[Any], weight: float
    ) -> Way:
        """Who is dropped follows from the two sets."""
        before, after = unpack(np.array([self.words[here], self.words[there]]), self.k)
        i, j = self.pairs[self.machine[here]].tolist()
        winner = i if after[i] else j
        dropped = tuple(np.flatnonzero(before & ~after).tolist())
        if here not in self.cuts:
            return Way(there, winner, dropped, members, weight)
        cuts = self.cuts[here]
        ends = np.concatenate([[-np.inf], cuts, [np.inf]])
        interval = np.searchsorted(cuts, self.value[at])
        low, high = float(ends[interval.min()]), float(ends[interval.max() + 1])
        if (low, high) in ((-np.inf, 0.0), (0.0, np.inf)):
            return Way(there, winner, dropped, members, weight)
        return Way(there, winner, dropped, members, weight, low, high)


class _PathTrace(_Trace):
    """Where a shortlist shortlists: a node is a way of having come here, and a machine to ask."""

    def __init__(self, subject: Subject, observed: Observed) -> None:
        super().__init__(subject, observed)
        n = len(self.weight)
        self.winner = np.full(n, NOBODY_WON)
        self.outcome = np.zeros(n, dtype=np.int64)
        self.came_by: list[int] = [NOBODY_WON]  # the winner before each node
        self.numbered((), "scores", NO_MACHINE)
        self.left = [np.full(self.k, float(self.weight.sum()))]
        self.ever = [np.ones(self.k, dtype=bool)]

    def take(self, round_: Round) -> None:
        """Rows part by who won last and which machine is asked."""
        self.outcome[round_.rows] = round_.is_in.argmax(axis=1)
        if round_.phase is Phase.MACHINE:
            self._go(round_, round_.machine.astype(np.int64), "machine")
            pair = self.pairs[round_.machine]
            self.winner[round_.rows] = np.where(round_.values > 0, pair[:, 0], pair[:, 1])
        elif round_.phase is Phase.VOTE:
            self._go(round_, np.full(len(round_.rows), NO_MACHINE), "vote")
            self.winner[round_.rows] = round_.is_in.argmax(axis=1)

    def arrive(self) -> None:
        """Rows whose last winner and last place are the same end in the same leaf."""
        everyone = np.arange(len(self.at))
        only = np.eye(self.k, dtype=bool)[self.outcome]
        end = Round(everyone, np.full(len(everyone), NO_MACHINE), np.zeros(0), only, only)
        self._go(end, self.outcome, "leaf")

    def _go(self, round_: Round, where: NDArray[np.int64], kind: str) -> None:
        keys = np.column_stack([self.at[round_.rows], self.winner[round_.rows], where])
        distinct, place = np.unique(keys, axis=0, return_inverse=True)
        place = place.reshape(-1)
        ids = []
        for here, winner, m in distinct.tolist():
            ids.append(
                self.numbered((here, winner, kind, m), kind, m if kind == "machine" else NO_MACHINE)
            )
            if ids[-1] == len(self.left):
                self.came_by.append(winner)
                self.left.append(np.zeros(self.k))
                self.ever.append(np.zeros(self.k, dtype=bool))
        for t, at in group_by(place):
            self.left[ids[t]] += self.weight[round_.rows[at]] @ round_.was_in[at]
            self.ever[ids[t]] |= round_.was_in[at].any(axis=0)
        self.move(round_.rows, np.array(ids)[place])

    def classes(self) -> tuple[list[tuple[int, ...]], NDArray[np.float64]]:
        """Those left for any row, most frequent first."""
        left, ever = np.array(self.left), np.array(self.ever)
        order = np.argsort(-left, axis=1, kind="stable")
        classes = [tuple(o[e[o]].tolist()) for o, e in zip(order, ever, strict=True)]
        rows = np.zeros(len(left))
        np.add.at(rows, np.concatenate(self.target), self.weight[np.concatenate(self.rows)])
        # A node that the highlighted row alone has passed counts no row.
        mean = np.where(rows > 0, left.sum(axis=1) / np.where(rows > 0, rows, 1), ever.sum(axis=1))
        return classes, mean

    def way(
        self, here: int, there: int, at: NDArray[Any], members: NDArray[Any], weight: float
    ) -> Way:
        """Who is dropped differs from row to row."""
        winner = None if self.came_by[there] == NOBODY_WON else self.came_by[there]
        return Way(there, winner, (), members, weight)
