"""The structure says where rows go, as the classifier itself has it."""

import json
from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier
from dcsvm.inspection import decision_structure, explanations
from dcsvm.routing.candidate_sets import pack
from dcsvm.routing.dag.criteria import measures
from dcsvm.routing.sides import sides

CLASSIFIERS = {
    "default": DCSVC(C=10),
    "margin": DCSVC(C=10, theta=0.01, shortlist=None),
    "paper": DCSVC.paper(C=10, theta=0.01),
    "meta": DivideAndConquerClassifier(RidgeClassifier()),
    "Platt": DAGSVC(C=10),
}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@pytest.fixture(scope="module", params=list(CLASSIFIERS))
def fitted(request, digits):
    X, y = digits
    return CLASSIFIERS[request.param].fit(X[:500], y[:500])


@pytest.fixture(scope="module")
def counted(fitted, digits):
    X = digits[0][900:1100]
    return X, decision_structure(fitted, X=X)


def test_rows_are_counted_along_their_paths(fitted, counted):
    X, structure = counted
    passed = Counter(n for row in range(len(X)) for n in structure.path(row))
    assert {n.id: n.rows for n in structure.nodes if n.rows} == passed
    taken = Counter(
        step
        for row in range(len(X))
        for step in zip(structure.path(row), structure.path(row)[1:], strict=False)
    )
    ways = {(n.id, w.target): w.rows for n in structure.nodes for w in n.ways if w.rows}
    assert ways == taken
    assert structure.root.rows == len(X)
    for node in structure.nodes:
        assert [w.rows for w in node.ways] == sorted((w.rows for w in node.ways), reverse=True)


def test_paths_end_in_what_is_predicted(fitted, counted):
    X, structure = counted
    for row, label in enumerate(fitted.predict(X)):
        leaf = structure.nodes[structure.path(row)[-1]]
        assert leaf.kind == "leaf"
        assert [structure.labels[c] for c in leaf.classes] == [label]


def test_paths_are_the_explained_ones(fitted, counted):
    X, structure = counted
    for row, found in enumerate(explanations(fitted, X)):
        nodes = [structure.nodes[n] for n in structure.path(row)[:-1]]
        told = [s for s in found.steps if not s.for_vote]
        assert [n.kind for n in nodes] == [s.kind for s in told]
        assert [n.machine for n in nodes] == [s.machine for s in told]
        before = [tuple(fitted.classes_.tolist()), *(s.left for s in told)]
        for node, left in zip(nodes, before, strict=False):
            if structure.is_dag:
                assert node.classes == left
            else:
                assert set(left) <= set(node.classes)


def test_nodes_of_a_dag_are_those_of_the_estimator(fitted, counted):
    structure = counted[1]
    if not structure.is_dag:
        pytest.skip("a shortlist guides the rows")
    dag = fitted.dag_
    known = {bytes(dag.candidates[n]): n for n in range(dag.n_nodes)}
    for node in structure.nodes:
        if not node.rows or node.kind == "leaf":
            continue
        n = known[bytes(pack(np.isin(np.arange(dag.n_classes), node.classes)[np.newaxis])[0])]
        assert fitted.machines_.pairs[dag.machine[n]].tolist() == list(node.machine)
        children = {tuple(dag.classes_at(c).tolist()) for c in dag.children(n) if c >= 0}
        for way in node.ways:
            target = structure.nodes[way.target].classes
            assert not way.rows or target in children
            assert set(way.dropped) == set(node.classes) - set(target)
            assert way.winner in target


def test_the_sign_has_two_ways_on(digits):
    X, y = digits
    clf = DCSVC.paper(C=10).fit(X[:500], y[:500])
    structure = decision_structure(clf, X=X[:3])
    passed = [n for n in structure.nodes if n.rows and n.kind == "machine"]
    assert passed
    assert all(len(n.ways) == 2 for n in passed)
    assert {w.winner for w in structure.root.ways} == set(structure.root.machine)


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
    bounded = [(n, w) for n in structure.nodes for w in n.ways if w.low is not None]
    assert len(bounded) > 20
    query = clf.machines_.prepare(X[500:])
    place = {tuple(pair): m for m, pair in enumerate(clf.machines_.pairs.tolist())}
    for node, way in bounded:
        machine = np.full(len(way.members), place[node.machine], dtype=np.int32)
        values = clf.machines_.values(query, way.members, machine)
        assert way.low < values.min()
        assert values.max() <= way.high
        assert "to" in structure.way_name(way) or "≤>"[way.high == np.inf] in (
            structure.way_name(way)
        )


def test_training_rows_are_counted_by_default(fitted, digits):
    if isinstance(fitted, DAGSVC):
        with pytest.raises(ValueError, match="pass some as X="):
            decision_structure(fitted)
        return
    structure = decision_structure(fitted)
    assert structure.root.rows == pytest.approx(500)
    assert structure.n_training_rows == 500


def test_a_highlighted_row_is_marked_but_not_counted(fitted, digits, counted):
    X = counted[0]
    for x in (digits[0][1500], np.full(64, 0.4)):
        structure = decision_structure(fitted, X=X, highlight=x)
        assert structure.root.rows == len(X)
        leaf = structure.nodes[structure.highlighted[-1]]
        assert leaf.classes == tuple(fitted.apply([x]))
        tree = structure.tree(max_depth=1, max_children=1)
        marked = [b.node.id for b in tree.walk() if b.is_highlighted]
        assert marked == list(structure.highlighted)
        shown = structure.to_dict(max_depth=1, max_children=1)
        assert set(structure.highlighted) <= {n["id"] for n in shown["nodes"]}


def test_trees_show_the_hottest_ways_and_sum_up_the_others(counted):
    X, structure = counted
    tree = structure.tree(max_depth=3, max_children=2)
    for branch in tree.walk():
        below = sum(child.rows for child in branch.children)
        if branch.node.kind != "leaf":
            assert branch.rows == pytest.approx(below + branch.hidden_rows)
        assert len(branch.children) <= 2
        assert len(branch.children) + branch.hidden_ways == len(branch.node.ways)
    whole = structure.tree()
    leaves = [b for b in whole.walk() if not b.children]
    assert sum(b.rows for b in leaves) == len(X)


def test_plain_data_is_whole(counted):
    structure = counted[1]
    data = json.loads(json.dumps(structure.to_dict()))
    assert [n["id"] for n in data["nodes"]] != []
    ids = {n["id"] for n in data["nodes"]}
    for node in data["nodes"]:
        assert {child["id"] for child in node["children"]} <= ids
        assert node["hidden_ways"] == 0
    assert ids == set(range(len(structure.nodes)))
