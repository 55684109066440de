"""The structure as text."""

import re

import pytest
from sklearn.datasets import load_iris

from dcsvm import DCSVC
from dcsvm.inspection import decision_structure, export_text


def test_text_of_a_small_tree():
    X, y = load_iris(return_X_y=True)
    clf = DCSVC.paper().fit(X, y)
    names = load_iris().target_names
    text = export_text(clf, class_names=names, highlight=X[0]).splitlines()
    assert text[1].startswith("setosa vs versicolor: 150 rows, 3 left: setosa, versicolor, virgin")
    assert text[1].endswith("◀")
    (leaf,) = [line for line in text if "class setosa" in line]
    assert leaf == "└─ setosa → class setosa: 50 rows  ◀"
    assert len(text) == 6


def test_text_counts_every_row(drawn):
    whole = export_text(drawn, max_depth=None, max_children=None, max_nodes=None)
    assert " other child" not in whole
    assert "…" not in whole.replace(", … (", "")
    rows = [float(n) for n in re.findall(r"class \d: ([\d,]+) rows?", whole)]
    assert sum(rows) == 600
    assert len(whole.splitlines()) == 1 + sum(1 for _ in decision_structure(drawn).tree().walk())


def test_text_within_limits(drawn):
    text = export_text(drawn, max_nodes=12, max_depth=3)
    nodes = [line for line in text.splitlines()[1:] if "… " not in line.split(":")[0]]
    assert len(nodes) <= 12
    assert max(line.count("│  ") + line.count("   ") for line in nodes) <= 3


@pytest.mark.parametrize("limits", [{"max_depth": -1}, {"max_nodes": 1.5}, {"max_children": True}])
def test_limits_are_checked(drawn, limits):
    with pytest.raises(ValueError, match=f"{next(iter(limits))} must be None or a whole number"):
        export_text(drawn, **limits)


def test_wrong_number_of_names_is_refused(drawn):
    with pytest.raises(ValueError, match="class_names has 2 names, but there are 10 classes"):
        export_text(drawn, class_names=["a", "b"])
