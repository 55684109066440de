"""The structure has the paths that the classifier takes, and gives them as plain data."""

import json

import numpy as np
import pytest

from dcsvm import DAGSVC, DCSVC
from dcsvm.inspection import decision_structure, explanations
from dcsvm.inspection.structure import one_decimal, rows_in_words


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
        explained = [s for s in found.rounds if not s.for_vote]
        assert [n.kind for n in nodes] == [s.kind for s in explained]
        assert [n.machine for n in nodes] == [s.machine for s in explained]
        before = [tuple(fitted.classes_.tolist()), *(s.left for s in explained)]
        for node, left in zip(nodes, before, strict=False):
            if structure.is_dag:
                assert node.classes == left
            else:
                assert set(left) <= set(node.classes)


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


def test_plain_data_is_whole(counted):
    structure = counted[1]
    data = json.loads(json.dumps(structure.to_dict()))
    assert [n["id"] for n in data["nodes"]] != []
    ids = {n["id"] for n in data["nodes"]}
    for node in data["nodes"]:
        assert {child["id"] for child in node["children"]} <= ids
        assert node["hidden_children"] == 0
    assert ids == set(range(len(structure.nodes)))


def test_wrong_number_of_names_is_refused(clf):
    with pytest.raises(ValueError, match="class_names has 2 names, but there are 10 classes"):
        decision_structure(clf, class_names=["a", "b"])


def test_edges_are_named_by_winner_and_values(digits):
    X, y = digits
    clf = DCSVC(C=10, theta=0.01, shortlist=None).fit(X[:500], y[:500])
    structure = decision_structure(clf, X=X[500:], class_names=[f"d{c}" for c in range(10)])
    edges = [e for n in structure.nodes for e in n.edges]
    for edge in edges:
        name = structure.edge_name(edge)
        assert name.startswith(f"d{edge.winner}")
        assert ("(" in name) == (edge.low is not None)


def test_titles_count_classes_and_rows(digits):
    X, y = digits
    clf = DCSVC.paper(theta=0.02).fit(X[:300], y[:300])
    whole = decision_structure(clf)
    assert whole.title() == "10 classes, θ = 0.02, all training rows counted"
    assert decision_structure(clf, X=X[:7]).title() == "10 classes, θ = 0.02, 7 rows counted"
    many = DCSVC.paper(theta=0.02).fit(X, y)
    assert decision_structure(many).title().endswith(", 1,797 training rows, estimated from 1,019")
    assert repr(whole) == f"DecisionStructure({len(whole.nodes)} sets of classes, 300 rows)"


@pytest.mark.parametrize(
    ("rows", "words"),
    [(0, "0 rows"), (0.2, "<1 rows"), (1, "1 row"), (1.4, "1 row"), (12345.6, "12,346 rows")],
)
def test_numbers_of_rows_in_words(rows, words):
    assert rows_in_words(rows) == words


def test_one_decimal_at_most():
    assert [one_decimal(x) for x in (2.0, 2.04, 2.06)] == ["2", "2", "2.1"]
