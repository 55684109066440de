"""The worked example of the paper: glass at θ = 0, its table, measures, tree, and one path."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dcsvm import DCSVC
from dcsvm.routing.dag.criteria import measures
from dcsvm.routing.sides import sides
from paper import published
from paper.problems import TRIALS, problem
from paper.tables import markdown

TRIAL = 0


@dataclass
class TreeNode:
    """A node of the drawn tree; equal candidate sets are drawn as often as they occur."""

    text: str
    place: tuple[int, ...]  # the children taken from the root
    depth: int
    children: list[TreeNode] = field(default_factory=list)
    x: float = 0.0

    def walk(self):
        """The node and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass
class Tree:
    """A tree with the positions of its nodes."""

    root: TreeNode
    depth: int

    def walk(self):
        """All nodes."""
        return self.root.walk()


class GlassExample:
    """Machines trained on one split of glass as in the paper, and the path of a test row."""

    def __init__(self, theta=0.0):
        data = problem("glass", "paper")
        train, test = data.split(TRIAL)
        labels = data.labels[data.y]
        gamma = 1 / data.X.shape[1]
        clf = DCSVC.paper(theta=theta, C=1.0, gamma=gamma, scaling="pair")
        self.clf = clf.fit(data.X[train], labels[train])
        self.grower = self.clf._route.grower
        self.grower.grow_all(10_000)
        self.sides = sides(self.clf.table_, theta)
        self.row, self.row_label = self._row_with_long_path(data.X[test], labels[test])

    def name(self, c):
        """The label of a class."""
        return str(self.clf.classes_[c])

    def names(self, classes):
        """The joined labels of classes."""
        return " ".join(self.name(c) for c in classes)

    def _row_with_long_path(self, X, labels):
        """The first test row, among those predicted right, whose path is longest."""
        right = self.clf.predict(X) == labels
        decisions = np.where(right, self.clf.decision_cost(X).decisions, -1)
        chosen = int(np.argmax(decisions))
        return X[chosen : chosen + 1], labels[chosen]

    # ---- measures

    def measures(self, candidates):
        """{"ij": (purity, balance, score)} for the machines among the candidates."""
        machine, *found = (column.tolist() for column in measures(self.sides, candidates))
        keys = [self.name(i) + self.name(j) for i, j in self.clf.table_.pairs[machine]]
        return dict(zip(keys, zip(*found, strict=True), strict=True))

    def measures_table(self, candidates, reported):
        """The measures, and the paper's purity and balance."""
        lines = []
        for key, (p, b, s) in self.measures(candidates).items():
            there = reported.get(key)
            paper = ["–", "–"] if there is None else [str(there[0]), str(there[1])]
            lines.append(
                [f"svm {key[0]},{key[1]}", str(p), paper[0], str(b), paper[1], f"{100 * s:.1f}"]
            )
        titles = ["machine", "purity", "paper's", "balance", "paper's", "score %"]
        return markdown(titles, lines)

    def agreement(self, candidates, reported):
        """The number of the paper's pairs (purity, balance) that agree, and the number of all."""
        found = self.measures(candidates)
        same = [found[key][:2] == there for key, there in reported.items() if key in found]
        return sum(same), len(reported)

    @staticmethod
    def splits_without_errors(C):
        """The number of splits on which every machine separates its own two classes completely."""
        data = problem("glass", "paper")
        found = 0
        for trial in range(TRIALS):
            train, _ = data.split(trial)
            clf = DCSVC.paper(C=C, gamma=1 / data.X.shape[1], scaling="pair")
            clf.fit(data.X[train], data.y[train])
            found += bool(sides(clf.table_, 0.0).score.min() == 1)
        return found

    def table(self):
        """The All-Predictions table as the paper prints it."""
        frame = self.clf.table_.to_frame()
        lines = [[f"svm {index.replace(' vs ', ',')}", *row] for index, row in frame.iterrows()]
        return markdown(["machine", *(f"class {c}" for c in frame.columns)], lines)

    # ---- the tree

    def tree(self):
        """The whole tree."""
        dag = self.grower.dag
        root = self._branch(dag, dag.root, ())
        for x, leaf in enumerate(node for node in root.walk() if not node.children):
            leaf.x = float(x)
        for node in sorted(root.walk(), key=lambda node: -node.depth):
            if node.children:
                node.x = float(np.mean([child.x for child in node.children]))
        return Tree(root, max(node.depth for node in root.walk()))

    def _branch(self, dag, node, place):
        classes = dag.classes_at(node)
        if node < dag.n_classes:
            return TreeNode(self.names(classes), place, len(place))
        i, j = self.clf.table_.pairs[dag.machine[node]]
        branch = TreeNode(
            f"{self.names(classes)}\nsvm {self.name(i)},{self.name(j)}", place, len(place)
        )
        # Child 1 is list_i, which is drawn on the left as in the paper.
        list_j, list_i = dag.children(node).tolist()
        branch.children = [
            self._branch(dag, c, (*place, t)) for t, c in enumerate((list_i, list_j))
        ]
        return branch

    def path_steps(self):
        """The steps of the row down the structure: (node, value, child)."""
        dag, node, steps = self.grower.dag, self.grower.dag.root, []
        machines = self.clf.machines_
        query = machines.prepare(self.row)
        while node >= dag.n_classes:
            machine = dag.machine[node : node + 1]
            value = float(machines.values(query, np.zeros(1, dtype=np.int64), machine)[0])
            child = int(dag.children(node)[int(value > 0)])
            steps.append((node, value, child))
            node = child
        return steps

    def path_nodes(self):
        """The nodes of the tree on the path of the row."""
        steps = tuple(int(value <= 0) for _, value, _ in self.path_steps())
        return frozenset(steps[:t] for t in range(len(steps) + 1))

    def path_table(self):
        """The path in words."""
        dag, lines = self.grower.dag, []
        for number, (node, value, child) in enumerate(self.path_steps(), start=1):
            i, j = self.clf.table_.pairs[dag.machine[node]]
            left = self.names(dag.classes_at(child))
            machine = f"svm {self.name(i)},{self.name(j)}"
            winner = self.name(i if value > 0 else j)
            before = self.names(dag.classes_at(node))
            lines.append(
                [str(number), before, machine, f"{value:+.3f}".replace("-", "−"), winner, left]
            )
        return markdown(["step", "candidates", "machine", "value", "says", "left"], lines)

    def child_classes(self):
        """The indices of the candidates 1, 2, 3 and 5 of the paper's left child."""
        wanted = {"1", "2", "3", "5"}
        return [c for c in range(self.clf.table_.n_classes) if self.name(c) in wanted]

    def root_text(self):
        """The root's machine and its two lists."""
        dag = self.grower.dag
        i, j = self.clf.table_.pairs[dag.machine[dag.root]]
        list_j, list_i = dag.children(dag.root).tolist()
        return (
            f"svm {self.name(i)},{self.name(j)}, sending {self.names(dag.classes_at(list_i))} left "
            f"and {self.names(dag.classes_at(list_j))} right"
        )


REPORTED_ROOT, REPORTED_CHILD = published.ROOT_MEASURES, published.CHILD_MEASURES
