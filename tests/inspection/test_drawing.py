"""matplotlib is imported only to draw."""

import subprocess
import sys

import matplotlib.pyplot as plt

from dcsvm.inspection.drawing import axes


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


def test_axes_are_those_passed_or_new_ones():
    ax = plt.subplots()[1]
    assert axes(ax) is ax
    made = axes(None, (3.0, 2.0))
    assert made is not ax
    assert made.figure.get_size_inches().tolist() == [3.0, 2.0]
