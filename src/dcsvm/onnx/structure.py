"""The path of a whole batch along a decision structure, node by node.

The structure is written as tables: the machine of each node, its cut points, and its children. All
nodes that can be reached are grown first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dcsvm.onnx.graph import FLOAT, INT64, Graph
from dcsvm.onnx.machine_values import BatchValues
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.dag.structure import NOT_GROWN, DecisionDag

# Nodes that are grown, at most.
MOST_NODES = 2**19


def add_path(g: Graph, route: DagRoute, batch: BatchValues) -> str:
    """The class of each row, shape (n,)."""
    dag = whole_structure(route)
    k = dag.n_classes
    tables = Tables(g, dag)
    values = batch.values()
    # The same machine for all rows, outside the loop.
    first = g.add("Gather", values, g.int64(int(dag.machine[dag.root])), axis=1)
    node = tables.child(g, g.int64(dag.root), first)
    if k == 2:
        return node

    def is_inner(graph: Graph, node: str) -> str:
        return graph.any(graph.add("GreaterOrEqual", node, graph.constant(np.int64(k))))

    def step(body: Graph, names: list[str]) -> tuple[list[str], str]:
        (node,) = names
        machine = body.add("Unsqueeze", body.add("Gather", tables.machine, node), body.int64(1))
        value = body.add("GatherElements", values, machine, axis=1)
        after = tables.child(body, node, value)
        return [after], is_inner(body, after)

    return g.repeat([node], [INT64], step, is_inner(g, node), k - 2)[0]


def whole_structure(route: DagRoute) -> DecisionDag:
    """The structure with all nodes that rows can reach; the route's own stays as it is."""
    dag = Grower(route.grower.splitter, MOST_NODES).grow_all(MOST_NODES)
    if (dag.child == NOT_GROWN).any():
        raise ValueError(
            f"The decision structure has more than {MOST_NODES} nodes, too many for ONNX: use a "
            "shortlist (shortlist='auto'), or a larger theta."
        )
    return dag


class Tables:
    """A structure as tables with a row for each node; leaves lead to themselves."""

    def __init__(self, g: Graph, dag: DecisionDag) -> None:
        n_cuts = np.diff(dag.first_cut)
        most = max(1, int(n_cuts.max()))
        node, place = np.repeat(np.arange(dag.n_nodes), n_cuts), _counted(n_cuts)
        cuts = np.full((dag.n_nodes, most), np.inf)
        cuts[node, place] = dag.cuts
        children = np.repeat(np.arange(dag.n_nodes), most + 1).reshape(-1, most + 1)
        n_children = np.diff(dag.first_child)
        children[np.repeat(np.arange(dag.n_nodes), n_children), _counted(n_children)] = dag.child
        self.machine = g.constant(np.maximum(dag.machine, 0).astype(np.int64), "machine")
        self.cuts = g.constant(cuts, "cuts")
        self.children = g.constant(children.ravel(), "children")
        self.width = most + 1

    def child(self, g: Graph, node: str, value: str) -> str:
        """The nodes to which values (n, 1) lead from nodes (n,), or from one node (1,)."""
        below = g.add("Less", g.add("Gather", self.cuts, node), value)
        interval = g.add("ReduceSum", g.cast(below, FLOAT), g.int64(1), keepdims=0)
        first = g.add("Mul", node, g.constant(np.int64(self.width)))
        return g.add("Gather", self.children, g.add("Add", first, g.cast(interval, INT64)))


def _counted(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, … for each length."""
    return np.asarray(np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths))
