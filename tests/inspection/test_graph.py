"""The part of a graph that is shown keeps to its limits, and counts what is left out."""

import numpy as np
import pytest

from dcsvm.inspection.graph import Edge, Limits, Node, select, unfold


def test_trees_show_the_most_frequent_children_and_count_the_others(counted):
    X, structure = counted
    tree = structure.tree(max_depth=3, max_children=2)
    for branch in tree.walk():
        below = sum(child.rows for child in branch.children)
        if branch.node.kind != "leaf":
            assert branch.rows == pytest.approx(below + branch.hidden_rows)
        assert len(branch.children) <= 2
        assert len(branch.children) + branch.hidden_children == len(branch.node.edges)
    whole = structure.tree()
    leaves = [b for b in whole.walk() if not b.children]
    assert sum(b.rows for b in leaves) == len(X)


def edge(target, rows):
    rows = np.array(rows, dtype=np.int64)
    return Edge(target, None, (), rows, float(len(rows)))


def node(n, *edges):
    n_rows = float(sum(e.rows for e in edges))
    kind = "machine" if edges else "leaf"
    return Node(n, kind, None, (), 1.0, n_rows, None, None, None, edges)


# Rows 0 to 3 go to 1, rows 4 to 6 to 2; both lead to 3, and to leaves of their own.
NODES = (
    node(0, edge(1, [0, 1, 2, 3]), edge(2, [4, 5, 6])),
    node(1, edge(3, [0, 1, 2]), edge(4, [3])),
    node(2, edge(5, [4, 5]), edge(3, [6])),
    node(3),
    node(4),
    node(5),
)
WEIGHT = np.ones(7)


def shown_in(tree):
    return [(b.depth, b.node.id, b.rows) for b in tree.walk()]


def test_a_node_reached_by_two_paths_is_in_the_tree_twice():
    tree = unfold(NODES, WEIGHT, (), Limits())
    assert shown_in(tree) == [
        (0, 0, 7), (1, 1, 4), (2, 3, 3), (2, 4, 1), (1, 2, 3), (2, 5, 2), (2, 3, 1),
    ]  # fmt: skip
    assert {n: len(edges) for n, edges in select(NODES, (), Limits()).items()} == {
        0: 2, 1: 2, 2: 2, 3: 0, 4: 0, 5: 0,
    }  # fmt: skip


def test_the_most_frequent_nodes_are_shown_wherever_they_are():
    tree = unfold(NODES, WEIGHT, (), Limits(max_nodes=4))
    assert shown_in(tree) == [(0, 0, 7), (1, 1, 4), (2, 3, 3), (1, 2, 3)]
    below = tree.children
    assert [(b.hidden_children, b.hidden_rows) for b in below] == [(1, 1), (2, 3)]
    assert set(select(NODES, (), Limits(max_nodes=4))) == {0, 1, 2, 3}
    assert shown_in(unfold(NODES, WEIGHT, (), Limits(max_children=1))) == [
        (0, 0, 7), (1, 1, 4), (2, 3, 3),
    ]  # fmt: skip


def test_the_highlighted_path_is_shown_beyond_all_limits():
    limits = Limits(max_depth=0, max_children=0, max_nodes=0)
    tree = unfold(NODES, WEIGHT, (0, 2, 3), limits)
    assert [(b.node.id, b.is_highlighted) for b in tree.walk()] == [(0, True), (2, True), (3, True)]
    shown = select(NODES, (0, 2, 3), limits)
    assert {n: [e.target for e in edges] for n, edges in shown.items()} == {0: [2], 2: [3], 3: []}


@pytest.mark.parametrize("limits", [{"max_depth": -1}, {"max_nodes": 1.5}, {"max_children": True}])
def test_limits_are_checked(limits):
    for show in (
        lambda some: unfold(NODES, WEIGHT, (), some),
        lambda some: select(NODES, (), some),
    ):
        with pytest.raises(
            ValueError, match=f"{next(iter(limits))} must be None or a whole number"
        ):
            show(Limits(**limits))
