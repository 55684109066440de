"""The page is one safe file, written in full or not at all."""

import json
import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from dcsvm import DAGSVC, DCSVC
from dcsvm.report import write_report
from dcsvm.report.page import render, script_safe_json


def data_in(path):
    text = path.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


def test_without_labels_there_is_no_accuracy(digits, fitted, tmp_path):
    X_test = digits[2]
    write_report(fitted, X_test, None, tmp_path / "report.html")
    data = data_in(tmp_path / "report.html")
    assert data["confusion"] is None
    assert data["summary"]["ours"]["accuracy"] is None
    assert data["paths"]["rows"]["truth"] is None
    assert data["thresholds"][0]["accuracy"] is None
    assert 0.9 < data["summary"]["agreement"] <= 1


@pytest.mark.parametrize("labels", [[False, True], [1.0, 2.0], ["a", "b"]])
def test_two_classes(digits, labels, tmp_path):
    X, y, X_test, y_test = digits
    y, y_test = np.array(labels)[y // 5], np.array(labels)[y_test // 5]
    model = DCSVC(C=10).fit(X, y)
    write_report(model, X_test, y_test, tmp_path / "two.html", title="Two")
    data = data_in(tmp_path / "two.html")
    assert data["classes"] == [str(label) for label in labels]
    assert data["summary"]["ours"]["accuracy"] == model.score(X_test, y_test)


def test_strange_names_stay_names(digits, tmp_path):
    X, y, X_test, y_test = digits
    names = np.array(
        ["</script><b>", "<!--", "{{script}}", "a & b", "\u2028", "", "  ", '"\\', "θ 😀", "]]>"]
    )
    model = DCSVC(C=10).fit(X, names[y])
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


def test_json_is_safe_in_a_script_element():
    data = {"<b>": ["</script>", "<!--", "a & b", "\u2028"]}
    text = script_safe_json(data)
    assert not set("<>&") & set(text)
    assert json.loads(text) == data
