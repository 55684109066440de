"""The paths on a page are those of `explain` and of the decision structure."""

import base64
from itertools import pairwise

import numpy as np
import pytest
from tests.report.content import gather

from dcsvm import DCSVC
from dcsvm.inspection import explain
from dcsvm.report import paths


def test_rounds_of_rows_are_those_of_explain(case):
    model, X, _, data = case
    rows = data["paths"]["rows"]
    predicted = model.predict(X)
    assert rows["place"] == list(range(len(X)))
    np.testing.assert_array_equal(model.classes_[rows["predicted"]], predicted)
    np.testing.assert_array_equal([e["label"] for e in rows["explained"]], rows["predicted"])
    for row in range(0, len(X), 50):
        found, on_page = explain(model, X[row]), rows["explained"][row]
        assert model.classes_[on_page["second"]] == found.runner_up
        assert len(on_page["rounds"]) == len(found.rounds)
        for round_, expected in zip(on_page["rounds"], found.rounds, strict=True):
            if round_[0] != "m":
                assert round_[0] == expected.kind[0]
                continue
            _, i, j, value, lost, aside, for_vote, why, out, numbers = round_
            assert (i, j) == expected.machine
            assert value == pytest.approx(expected.value, rel=1e-3)
            dropped = {d.label: d.reason for d in expected.dropped}
            gone = dict.fromkeys(out, why) | ({} if lost is None else {lost: "lost"})
            assert gone == dropped
            assert (aside, bool(for_vote)) == (expected.set_aside, expected.for_vote)
            assert len(numbers) == len(out) * {"implausible": 2, "side": 1, None: 0}[why]


def test_structure_leads_every_row_to_its_class(digits):
    X, y, X_test, y_test = digits
    model, X = DCSVC.paper(C=10).fit(X, y), X_test
    data = gather(model, X_test, y_test)
    nodes, of_rows = data["paths"]["tree"]["nodes"], data["paths"]["tree"]["paths"]
    assert len(of_rows) == len(X)
    for path, label in zip(of_rows, model.apply(X), strict=True):
        assert path[0] == 0
        for here, there in pairwise(path):
            assert there in [edge[0] for edge in nodes[here][8]]
        assert nodes[path[-1]][0] == "leaf"
        assert classes_at(nodes[path[-1]]) == [label]
    for kind, _, _, _, rows, *_, edges, hidden in nodes:
        assert kind == "leaf" or rows == sum(edge[2] for edge in edges) + hidden[1]


def classes_at(node):
    bits = np.frombuffer(base64.b64decode(node[2]), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(bits, bitorder="little")).tolist()


def test_with_a_shortlist_there_is_no_structure(digits, fitted):
    assert gather(fitted, *digits[2:])["paths"]["tree"] is None


def test_too_large_a_structure_keeps_the_paths_and_counts_the_rest(digits, monkeypatch):
    X, y, X_test, y_test = digits
    fitted = DCSVC.paper(C=10).fit(X, y)
    monkeypatch.setattr(paths, "MOST_NODES", 30)
    monkeypatch.setattr("dcsvm.report.subject.MOST_FOLLOWED", 20)
    monkeypatch.setattr("dcsvm.report.subject.LEAST_FOLLOWED", 20)
    tree = gather(fitted, X_test, y_test)["paths"]["tree"]
    passed = {node for path in tree["paths"] for node in path}
    assert len(tree["paths"]) == 20
    assert len(passed) <= len(tree["nodes"]) <= max(30, len(passed)) < tree["n_all"]
    for kind, _, _, _, rows, *_, edges, hidden in tree["nodes"]:
        assert kind == "leaf" or rows == sum(edge[2] for edge in edges) + hidden[1]
