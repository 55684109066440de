"""The structure in the DOT language."""

import io
import re
import shutil
import subprocess
from itertools import pairwise

import pytest

from dcsvm import DCSVC
from dcsvm.inspection import decision_structure, export_graphviz


def test_dot_names_each_node_once_and_marks_the_path(drawn, digits):
    x = digits[0][1200]
    dot = export_graphviz(drawn, highlight=x, max_nodes=8)
    nodes = re.findall(r"^  (\d+) \[", dot, flags=re.MULTILINE)
    edges = re.findall(r"^  (\d+) -> (\d+) ", dot, flags=re.MULTILINE)
    assert len(nodes) == len(set(nodes))
    assert {n for edge in edges for n in edge} <= set(nodes)
    path = [str(n) for n in decision_structure(drawn, highlight=x).highlighted]
    assert set(pairwise(path)) <= set(edges)
    assert dot.count("penwidth=3") == len(path)


def test_dot_goes_to_files(drawn, tmp_path):
    dot = export_graphviz(drawn)
    assert export_graphviz(drawn, tmp_path / "tree.dot") is None
    assert (tmp_path / "tree.dot").read_text(encoding="utf-8") == dot
    stream = io.StringIO()
    export_graphviz(drawn, stream)
    assert stream.getvalue() == dot


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("method", [DCSVC(C=10), DCSVC.paper()])
def test_graphviz_reads_any_class_name(method, strange_names):
    X, y = strange_names
    clf = method.fit(X, y)
    dot = export_graphviz(clf, highlight=X[0])
    made = subprocess.run(["dot", "-Tplain"], input=dot.encode(), capture_output=True, check=True)
    assert made.stderr == b""
    shown = made.stdout.decode()
    assert r"back\\slash" in shown
    assert r"say \"hello\"" in shown
