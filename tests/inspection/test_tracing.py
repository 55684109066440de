"""Nodes, edges and counts are those of the rounds that rows take."""

from collections import Counter

import numpy as np
import pytest

from dcsvm import DCSVC
from dcsvm.inspection import decision_structure
from dcsvm.routing.candidate_sets import pack
from dcsvm.routing.dag.criteria import measures
from dcsvm.routing.sides import sides


def test_rows_are_counted_along_their_paths(fitted, counted):
    X, structure = counted
    passed = Counter(n for row in range(len(X)) for n in structure.path(row))
    assert {n.id: n.rows for n in structure.nodes if n.rows} == passed
    taken = Counter(
        edge
        for row in range(len(X))
        for edge in zip(structure.path(row), structure.path(row)[1:], strict=False)
    )
    edges = {(n.id, e.target): e.rows for n in structure.nodes for e in n.edges if e.rows}
    assert edges == taken
    assert structure.root.rows == len(X)
    for node in structure.nodes:
        assert [e.rows for e in node.edges] == sorted((e.rows for e in node.edges), reverse=True)


def test_nodes_of_a_dag_are_those_of_the_estimator(fitted, counted):
    structure = counted[1]
    if not structure.is_dag:
        pytest.skip("with a shortlist there is no such structure")
    dag = fitted.dag_
    known = {bytes(dag.candidates[n]): n for n in range(dag.n_nodes)}
    for node in structure.nodes:
        if not node.rows or node.kind == "leaf":
            continue
        n = known[bytes(pack(np.isin(np.arange(dag.n_classes), node.classes)[np.newaxis])[0])]
        assert fitted.machines_.pairs[dag.machine[n]].tolist() == list(node.machine)
        children = {tuple(dag.classes_at(c).tolist()) for c in dag.children(n) if c >= 0}
        for edge in node.edges:
            target = structure.nodes[edge.target].classes
            assert not edge.rows or target in children
            assert set(edge.dropped) == set(node.classes) - set(target)
            assert edge.winner in target


def test_a_sign_has_two_edges(digits):
    X, y = digits
    clf = DCSVC.paper(C=10).fit(X[:500], y[:500])
    structure = decision_structure(clf, X=X[:3])
    passed = [n for n in structure.nodes if n.rows and n.kind == "machine"]
    assert passed
    assert all(len(n.edges) == 2 for n in passed)
    assert {e.winner for e in structure.root.edges} == set(structure.root.machine)


def test_quality_is_that_of_the_separators(fitted, counted):
    structure = counted[1]
    for node in structure.nodes[:60]:
        if node.kind != "machine" or not hasattr(fitted, "table_"):
            assert (node.purity, node.balance, node.score) == (None, None, None)
            continue
        at_theta = sides(fitted.table_, structure.theta)
        i, j = node.machine
        k = len(fitted.classes_)
        expected = measures(at_theta, node.classes)
        t = expected.machine.tolist().index(i * (2 * k - i - 1) // 2 + j - i - 1)
        assert node.purity == expected.purity[t]
        assert node.balance == expected.balance[t]
        assert node.score == expected.score[t]


def test_values_that_lead_on_are_within_the_bounds(digits):
    X, y = digits
    clf = DCSVC(C=10, theta=0.01, shortlist=None).fit(X[:500], y[:500])
    structure = decision_structure(clf, X=X[500:])
    bounded = [(n, e) for n in structure.nodes for e in n.edges if e.low is not None]
    assert len(bounded) > 20
    query = clf.machines_.prepare(X[500:])
    place = {tuple(pair): m for m, pair in enumerate(clf.machines_.pairs.tolist())}
    for node, edge in bounded:
        machine = np.full(len(edge.members), place[node.machine], dtype=np.int32)
        values = clf.machines_.values(query, edge.members, machine)
        assert edge.low < values.min()
        assert values.max() <= edge.high
        assert "to" in structure.edge_name(edge) or "≤>"[edge.high == np.inf] in (
            structure.edge_name(edge)
        )
