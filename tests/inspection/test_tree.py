"""The structure as text, in DOT and as a picture."""

import io
import re
import shutil
import subprocess
import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, make_blobs

from dcsvm import DCSVC
from dcsvm.inspection import decision_structure, export_graphviz, export_text, plot_tree
from dcsvm.inspection.layout import Box, place

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@pytest.fixture(scope="module", params=["default", "margin", "paper"])
def clf(request, digits):
    X, y = digits
    made = {
        "default": DCSVC(C=10),
        "margin": DCSVC(C=10, shortlist=None),
        "paper": DCSVC.paper(C=10),
    }
    return made[request.param].fit(X[:600], y[:600])


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


def test_text_counts_every_row(clf):
    whole = export_text(clf, max_depth=None, max_children=None, max_nodes=None)
    assert "ways on" not in whole
    assert "other way" not in whole
    rows = [float(n) for n in re.findall(r"class \d: ([\d,]+) rows?", whole)]
    assert sum(rows) == 600
    assert len(whole.splitlines()) == 1 + sum(1 for _ in decision_structure(clf).tree().walk())


def test_text_within_limits(clf):
    text = export_text(clf, max_nodes=12, max_depth=3)
    nodes = [line for line in text.splitlines()[1:] if "… " not in line.split(":")[0]]
    assert len(nodes) <= 12
    assert max(line.count("│  ") + line.count("   ") for line in nodes) <= 3


@pytest.mark.parametrize("limits", [{"max_depth": -1}, {"max_nodes": 1.5}, {"max_children": True}])
def test_limits_are_checked(clf, limits):
    with pytest.raises(ValueError, match=f"{next(iter(limits))} must be None or a whole number"):
        export_text(clf, **limits)


def test_wrong_number_of_names_is_refused(clf):
    with pytest.raises(ValueError, match="class_names has 2 names, but there are 10 classes"):
        export_text(clf, class_names=["a", "b"])


def test_dot_names_each_node_once_and_marks_the_path(clf, digits):
    x = digits[0][1200]
    dot = export_graphviz(clf, highlight=x, max_nodes=8)
    nodes = re.findall(r"^  (\d+) \[", dot, flags=re.MULTILINE)
    edges = re.findall(r"^  (\d+) -> (\d+) ", dot, flags=re.MULTILINE)
    assert len(nodes) == len(set(nodes))
    assert {n for edge in edges for n in edge} <= set(nodes)
    path = [str(n) for n in decision_structure(clf, highlight=x).highlighted]
    assert set(pairwise(path)) <= set(edges)
    assert dot.count("penwidth=3") == len(path)


def test_dot_goes_to_files(clf, tmp_path):
    dot = export_graphviz(clf)
    assert export_graphviz(clf, tmp_path / "tree.dot") is None
    assert (tmp_path / "tree.dot").read_text(encoding="utf-8") == dot
    stream = io.StringIO()
    export_graphviz(clf, stream)
    assert stream.getvalue() == dot


NASTY = ['say "hello"', "back\\slash", "two\nlines", "<b>&amp;", "$\\alpha$ {x|y}", "ü→\u202e"]


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("method", [DCSVC(C=10), DCSVC.paper()])
def test_graphviz_reads_any_class_name(method):
    X, y = make_blobs(90, centers=6, random_state=0)
    clf = method.fit(X, np.array(NASTY, dtype=object)[y])
    dot = export_graphviz(clf, highlight=X[0])
    drawn = subprocess.run(["dot", "-Tplain"], input=dot.encode(), capture_output=True, check=True)
    assert drawn.stderr == b""
    shown = drawn.stdout.decode()
    assert r"back\\slash" in shown
    assert r"say \"hello\"" in shown


def test_pictures_take_any_class_name():
    X, y = make_blobs(90, centers=6, random_state=0)
    clf = DCSVC.paper().fit(X, np.array(NASTY, dtype=object)[y])
    plot_tree(clf, highlight=X[0])
    plt.gcf().canvas.draw()


def test_picture_shows_what_the_tree_has(clf):
    texts = [t.get_text() for t in plot_tree(clf, max_nodes=15)]
    tree = decision_structure(clf).tree(max_children=3, max_nodes=15)
    machines = sorted(t for t in texts if " vs " in t)
    assert machines == sorted(
        "{} vs {}".format(*b.node.machine) for b in tree.walk() if b.node.kind == "machine"
    )


def test_picture_marks_a_path_beyond_its_limits(clf, digits):
    x = digits[0][1300]
    length = len(decision_structure(clf, highlight=x).highlighted)
    plot_tree(clf, highlight=x, max_depth=1)
    boxes = plt.gca().patches
    assert sum(b.get_edgecolor() == mpl.colors.to_rgba("#d1495b") for b in boxes) == length


def test_text_stays_within_its_boxes_and_boxes_apart(clf, digits):
    figure, ax = plt.subplots(figsize=(9, 6))
    plot_tree(clf, ax=ax, highlight=digits[0][1300])
    figure.canvas.draw()
    boxes = [p.get_window_extent() for p in ax.patches]
    for a in range(len(boxes)):
        for b in range(a):
            assert not boxes[a].overlaps(boxes[b])
    texts = [t for t in ax.texts if t.get_zorder() == 5 and not t.get_text().endswith("ways")]
    for text in texts:
        at = text.get_window_extent()
        inside = [b for b in boxes if b.contains((at.x0 + at.x1) / 2, (at.y0 + at.y1) / 2)]
        if inside:
            assert at.x0 >= inside[0].x0
            assert at.x1 <= inside[0].x1


def test_layout_keeps_boxes_apart_and_parents_in_the_middle():
    rng = np.random.default_rng(0)

    def grow(depth):
        n = rng.integers(0, 4) if depth < 5 else 0
        return Box(rng.uniform(1, 4), rng.uniform(1, 2), [grow(depth + 1) for _ in range(n)])

    for _ in range(30):
        root = grow(0)
        width, height = place(root, gap=0.5, drop=1.0)
        levels = {}
        todo = [root]
        while todo:
            box = todo.pop()
            levels.setdefault(box.depth, []).append(box)
            todo += box.children
            assert box.x - box.width / 2 >= -1e-9
            assert box.x + box.width / 2 <= width + 1e-9
            assert box.y + box.height <= height + 1e-9
            if box.children:
                ends = box.children[0].x + box.children[-1].x
                assert box.x == pytest.approx(ends / 2)
                assert all(child.y >= box.y + box.height + 1.0 - 1e-9 for child in box.children)
        for boxes in levels.values():
            boxes.sort(key=lambda box: box.x)
            for a, b in pairwise(boxes):
                assert b.x - b.width / 2 - (a.x + a.width / 2) >= 0.5 - 1e-9


def test_matplotlib_is_loaded_only_to_draw():
    code = """
import sys
import dcsvm, dcsvm.inspection
from sklearn.datasets import load_iris
clf = dcsvm.DCSVC.paper().fit(*load_iris(return_X_y=True))
dcsvm.inspection.export_text(clf), dcsvm.inspection.export_graphviz(clf)
assert not any(name.startswith("matplotlib") for name in sys.modules)
sys.modules["matplotlib"] = None
for draw in (
    lambda: dcsvm.inspection.plot_tree(clf),
    lambda: dcsvm.inspection.PredictionTableDisplay.from_estimator(clf),
):
    try:
        draw()
    except ImportError as error:
        assert "pip install 'dcsvm[plot]'" in str(error)
    else:
        raise AssertionError("drawn without matplotlib")
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
