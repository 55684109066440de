"""`DecisionDag`: the decision structure as flat arrays that never change.

A node is a candidate set. An inner node evaluates its machine, and the value v leads to the child
of the interval that v lies in: child number c where c of the node's cut points are below v. The
paper's rule has the single cut 0, so that child 0 is list_j and child 1 is list_i. Nodes
0 … k−1 are the leaves, one per class, and node k is the root. Equal candidate sets are one
node, and children are smaller than their parents: the nodes form no cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import Dag
from dcsvm._util.computed import computed_once
from dcsvm.routing.candidate_sets import Words, unpack

NO_MACHINE = -1  # a leaf decides nothing
NOT_GROWN = -1  # no row has come here yet


@dataclass(frozen=True, eq=False, repr=False)
class DecisionDag:
    """All nodes grown so far.

    Attributes
    ----------
    n_classes : int
    machine : int32 of shape (n_nodes,)
        The machine of a node. 32 bits: machines are counted in hundreds of thousands.
    first_cut, first_child : int64 of shape (n_nodes + 1,)
        Node n has cuts[first_cut[n]:first_cut[n + 1]], and child[first_child[n]:…] likewise.
    cuts : float64
        In the precision of the decision values they are compared with.
    child : int32
        A node, or NOT_GROWN.
    candidates : uint64 of shape (n_nodes, n_words)
        The candidate set of each node, one bit per class.
    """

    n_classes: int
    machine: NDArray[np.int32]
    first_cut: NDArray[np.int64]
    first_child: NDArray[np.int64]
    cuts: NDArray[np.float64]
    child: NDArray[np.int32]
    candidates: Words

    @computed_once
    def core(self) -> Dag:
        """The same, as the compiled engine takes it."""
        return Dag(
            n_classes=self.n_classes,
            machine=self.machine,
            first_cut=self.first_cut,
            first_child=self.first_child,
            cuts=self.cuts,
            child=self.child,
        )

    def freeze(self) -> None:
        """Make the arrays refuse to be written to."""
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.freeze()
        _ = self.core  # which checks them all

    @property
    def root(self) -> int:
        """The node that holds all classes."""
        return self.n_classes

    @property
    def n_nodes(self) -> int:
        """Leaves and inner nodes grown so far."""
        return len(self.machine)

    @property
    def max_depth(self) -> int:
        """The most decisions on any path grown so far, from the root."""
        depth = np.full(self.n_nodes, -1)
        depth[self.root] = 0
        size = np.bitwise_count(self.candidates).sum(axis=1)
        for node in np.argsort(-size.astype(np.int64), kind="stable"):
            if depth[node] >= 0:
                grown = self.children(node)[self.children(node) != NOT_GROWN]
                depth[grown] = np.maximum(depth[grown], depth[node] + 1)
        return int(depth.max())

    def children(self, node: int) -> NDArray[np.int32]:
        """The children of a node, one per interval of its value; NOT_GROWN where unknown."""
        return self.child[self.first_child[node] : self.first_child[node + 1]]

    def classes_at(self, node: int) -> NDArray[np.int64]:
        """The candidates of a node, as class indices."""
        return np.flatnonzero(unpack(self.candidates[[node]], self.n_classes)[0])

    def slots(self, nodes: NDArray[Any], values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Where in `child` a row at nodes[t] with value values[t] goes on."""
        first = self.first_cut[nodes]
        n_cuts = self.first_cut[nodes + 1] - first
        interval = np.zeros(len(nodes), dtype=np.int64)
        for t in range(n_cuts.max(initial=0)):
            has_cut = n_cuts > t
            interval[has_cut] += values[has_cut] > self.cuts[first[has_cut] + t]
        return np.asarray(self.first_child[nodes] + interval)

    def __repr__(self) -> str:
        return f"DecisionDag({self.n_nodes} nodes, {self.n_classes} classes)"
