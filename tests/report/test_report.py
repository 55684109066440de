"""The data of a report, and the text of its page."""

import base64
import json
import re
import zlib
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import accuracy_score, confusion_matrix

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC
from dcsvm.inspection import explain
from dcsvm.report import matrices, walks, write_report
from dcsvm.report.collecting import collect
from dcsvm.report.page import render


def gather(model, X, y, **changes):
    settings = {"title": None, "max_rows": 2000, "random_state": 0}
    return collect(model, X, y, **{**settings, **changes})


def data_in(path):
    text = path.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


def make(model):
    return {
        "default": lambda: DCSVC(C=10),
        "paper": lambda: DCSVC.paper(C=10),
        "meta": lambda: DivideAndConquerClassifier(RidgeClassifier()),
    }[model]()


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    return X[:600], y[:600], X[600:800], y[600:800]


@pytest.fixture(scope="module")
def fitted(digits):
    return make("default").fit(*digits[:2])


@pytest.fixture(scope="module", params=["default", "paper", "meta"])
def case(request, digits):
    X, y, X_test, y_test = digits
    model = make(request.param).fit(X, y)
    return model, X_test, y_test, gather(model, X_test, y_test)


def test_summary_counts_what_the_estimators_say(case):
    model, X, y, data = case
    ours, vote = data["summary"]["ours"], data["summary"]["vote"]
    assert ours["accuracy"] == accuracy_score(y, model.predict(X))
    cost = model.decision_cost(X)
    assert ours["decisions"] == pytest.approx(cost.decisions.mean(), rel=1e-3)
    assert vote["decisions"] == 45
    assert ours["seconds"] > 0
    histogram = np.array(data["summary"]["decisions"])
    assert histogram.sum() == len(X)
    assert histogram @ np.arange(len(histogram)) == cost.decisions.sum()
    if isinstance(model, DCSVC):
        rival = OneVsOneSVC.from_machines(model)
        labels = rival.predict(X)
        expected = rival.decision_cost(X)
        assert ours["kernel_evaluations"] == pytest.approx(cost.kernel_evaluations.mean(), rel=1e-3)
        assert vote["kernel_evaluations"] == expected.kernel_evaluations[0]
        assert vote["support_vectors"] == expected.support_vectors[0]
    else:
        labels = vote_of_estimators(model, X)
        assert ours["kernel_evaluations"] is None
    assert vote["accuracy"] == accuracy_score(y, labels)
    assert data["summary"]["agreement"] == accuracy_score(labels, model.predict(X))


def vote_of_estimators(model, X):
    votes = np.zeros((len(X), len(model.classes_)))
    for (i, j), estimator in zip(model.machines_.pairs, model.estimators_, strict=True):
        is_i = estimator.predict(X).astype(bool)
        votes[:, i] += is_i
        votes[:, j] += ~is_i
    return model.classes_[votes.argmax(axis=1)]


def test_confusion_is_that_of_scikit_learn(case):
    model, X, y, data = case
    found = data["confusion"]
    counts = np.zeros((10, 10), dtype=int)
    counts[found["true"], found["pred"]] = found["count"]
    np.testing.assert_array_equal(counts, confusion_matrix(y, model.predict(X)))
    assert sorted(found["similar"]) == list(range(10))


def test_thresholds_are_those_of_rethreshold(case):
    model, X, y, data = case
    points = {p["theta"]: p for p in data["thresholds"]}
    assert model.theta in points
    for theta in (model.theta, 0.02, 0.2):
        other = model.rethreshold(theta=theta)
        assert points[theta]["accuracy"] == other.score(X, y)
        expected = other.decision_cost(X).decisions.mean()
        assert points[theta]["decisions"] == pytest.approx(expected, rel=1e-3)


def test_rows_are_told_as_explain_tells_them(case):
    model, X, _, data = case
    rows = data["rows"]
    predicted = model.predict(X)
    assert rows["place"] == list(range(len(X)))
    np.testing.assert_array_equal(model.classes_[rows["predicted"]], predicted)
    np.testing.assert_array_equal([e["label"] for e in rows["explained"]], rows["predicted"])
    for row in range(0, len(X), 50):
        found, told = explain(model, X[row]), rows["explained"][row]
        assert model.classes_[told["second"]] == found.runner_up
        assert len(told["steps"]) == len(found.steps)
        for step, expected in zip(told["steps"], found.steps, strict=True):
            if step[0] != "m":
                assert step[0] == expected.kind[0]
                continue
            _, i, j, value, lost, aside, for_vote, why, out, numbers = step
            assert (i, j) == expected.machine
            assert value == pytest.approx(expected.value, rel=1e-3)
            dropped = {d.label: d.reason for d in expected.dropped}
            gone = dict.fromkeys(out, why) | ({} if lost is None else {lost: "lost"})
            assert gone == dropped
            assert (aside, bool(for_vote)) == (expected.set_aside, expected.for_vote)
            assert len(numbers) == len(out) * {"implausible": 2, "side": 1, None: 0}[why]


def test_tree_leads_every_row_to_its_class(case):
    model, X, _, data = case
    nodes, paths = data["tree"]["nodes"], data["tree"]["paths"]
    assert len(paths) == len(X)
    for path, label in zip(paths, model.apply(X), strict=True):
        assert path[0] == 0
        for here, there in pairwise(path):
            assert there in [way[0] for way in nodes[here][8]]
        assert nodes[path[-1]][0] == "leaf"
        assert classes_at(nodes[path[-1]]) == [label]
    for kind, _, _, _, rows, *_, ways, hidden in nodes:
        assert kind == "leaf" or rows == sum(way[2] for way in ways) + hidden[1]


def classes_at(node):
    bits = np.frombuffer(base64.b64decode(node[2]), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(bits, bitorder="little")).tolist()


def test_table_is_packed_in_bytes(case):
    model, _, _, data = case
    cells = unpacked(data["table"]).reshape(45, 10)
    share = model.table_.likelihoods
    undecided = model.table_.exceeds(0, model.theta) & model.table_.exceeds(1, model.theta)
    np.testing.assert_array_equal(cells >= 128, undecided)
    np.testing.assert_allclose((cells & 127) / 100, share, atol=0.0101)
    np.testing.assert_array_equal((cells & 127) == 0, share == 0)
    np.testing.assert_array_equal((cells & 127) == 100, share == 1)
    assert data["table"]["undecided"] == pytest.approx(1 - model.table_.separation(model.theta))
    decisions = np.array(data["summary"]["decisions"])
    assert sum(data["table"]["asked"]) == decisions @ np.arange(len(decisions))


def unpacked(table):
    return np.frombuffer(zlib.decompress(base64.b64decode(table["cells"])), dtype=np.uint8)


def test_too_large_a_table_keeps_the_machines_asked_most(digits, fitted, monkeypatch):
    _, _, X_test, y_test = digits
    whole = gather(fitted, X_test, y_test)["table"]
    monkeypatch.setattr(matrices, "MOST_CELLS", 100)
    part = gather(fitted, X_test, y_test)["table"]
    assert len(part["shown"]) == 10
    assert part["n_all"] == 45
    assert sorted(part["asked"]) == sorted(whole["asked"])[-10:]
    np.testing.assert_array_equal(
        unpacked(part).reshape(10, 10), unpacked(whole).reshape(45, 10)[part["shown"]]
    )
    assert part["undecided"] == whole["undecided"]


def test_too_large_a_tree_keeps_the_paths_and_counts_the_rest(digits, fitted, monkeypatch):
    _, _, X_test, y_test = digits
    monkeypatch.setattr(walks, "MOST_NODES", 60)
    monkeypatch.setattr("dcsvm.report.collecting.MOST_FOLLOWED", 20)
    monkeypatch.setattr("dcsvm.report.collecting.LEAST_FOLLOWED", 20)
    tree = gather(fitted, X_test, y_test)["tree"]
    passed = {node for path in tree["paths"] for node in path}
    assert len(tree["paths"]) == 20
    assert len(passed) <= len(tree["nodes"]) <= max(60, len(passed)) < tree["n_all"]
    for kind, _, _, _, rows, *_, ways, hidden in tree["nodes"]:
        assert kind == "leaf" or rows == sum(way[2] for way in ways) + hidden[1]


def test_without_labels_nothing_is_said_of_accuracy(digits, fitted, tmp_path):
    X_test = digits[2]
    write_report(fitted, X_test, None, tmp_path / "report.html")
    data = data_in(tmp_path / "report.html")
    assert data["confusion"] is None
    assert data["summary"]["ours"]["accuracy"] is None
    assert data["rows"]["truth"] is None
    assert data["thresholds"][0]["accuracy"] is None
    assert 0.9 < data["summary"]["agreement"] <= 1


@pytest.mark.parametrize("labels", [[False, True], [1.0, 2.0], ["a", "b"]])
def test_two_classes(digits, labels, tmp_path):
    X, y, X_test, y_test = digits
    y, y_test = np.array(labels)[y // 5], np.array(labels)[y_test // 5]
    model = make("default").fit(X, y)
    write_report(model, X_test, y_test, tmp_path / "two.html", title="Two")
    data = data_in(tmp_path / "two.html")
    assert data["classes"] == [str(label) for label in labels]
    assert data["summary"]["ours"]["accuracy"] == model.score(X_test, y_test)


def test_strange_names_stay_names(digits, tmp_path):
    X, y, X_test, y_test = digits
    names = np.array(
        ["</script><b>", "<!--", "{{script}}", "a & b", "\u2028", "", "  ", '"\\', "θ 😀", "]]>"]
    )
    model = make("default").fit(X, names[y])
    title = "</title><script>alert(1)</script>{{data}}"
    write_report(model, X_test, names[y_test], tmp_path / "strange.html", title=title)
    text = (tmp_path / "strange.html").read_text(encoding="utf-8")
    assert text.count("<script") == text.count("</script>") == 2
    assert text.count("</title>") == 1
    assert "<b>" not in text
    assert "<!--" not in text
    data = data_in(tmp_path / "strange.html")
    assert data["title"] == title
    assert sorted(data["classes"]) == sorted(names)


def test_page_needs_nothing_else(case):
    text = render(case[3])
    outside = text.replace("http://www.w3.org/2000/svg", "")  # a name, not an address
    assert "http" not in outside.replace("http-equiv", "")
    assert not re.search(r"\{\{\w+\}\}", text)
    assert "default-src 'none'" in text
    assert "innerHTML" not in text


def test_a_file_that_cannot_be_written_leaves_nothing(digits, fitted, tmp_path, monkeypatch):
    _, _, X_test, y_test = digits
    path = tmp_path / "page.html"
    path.write_text("as it was")

    def full(*args, **kwargs):
        raise OSError("No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    with pytest.raises(OSError, match="No space"):
        write_report(fitted, X_test, y_test, path)
    monkeypatch.undo()
    assert path.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [path]


def test_mistakes_are_named(digits, fitted, tmp_path):
    _, _, X_test, y_test = digits
    path = tmp_path / "page.html"
    with pytest.raises(ValueError, match=r"labels like 'four', but .* like 0"):
        write_report(fitted, X_test, np.full(len(y_test), "four"), path)
    with pytest.raises(ValueError, match="labels like 77"):
        write_report(fitted, X_test, np.full(len(y_test), 77), path)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        write_report(fitted, X_test, y_test[:-1], path)
    with pytest.raises(ValueError, match="max_rows must be"):
        write_report(fitted, X_test, y_test, path, max_rows=0)
    with pytest.raises(ValueError, match="at least one row"):
        write_report(fitted, X_test[:0], y_test[:0], path)
    with pytest.raises(ValueError, match="features"):
        write_report(fitted, X_test[:, 1:], y_test, path)
    with pytest.raises(TypeError, match="not DAGSVC"):
        write_report(DAGSVC.from_machines(fitted), X_test, y_test, path)
    with pytest.raises(TypeError, match="not LogisticRegression"):
        write_report(LogisticRegression(), X_test, y_test, path)
    with pytest.raises(NotFittedError):
        write_report(DCSVC(), X_test, y_test, path)
    assert not path.exists()
