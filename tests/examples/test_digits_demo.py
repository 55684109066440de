"""The set of the demo, what it measures, and that it names the next command."""

import importlib.util
from pathlib import Path

import numpy as np
from sklearn.svm import SVC

from dcsvm import DCSVC

FILE = Path(__file__).parents[2] / "examples" / "digits_demo.py"
spec = importlib.util.spec_from_file_location("digits_demo", FILE)
demo = importlib.util.module_from_spec(spec)
spec.loader.exec_module(demo)


def test_pairs_of_digits_are_the_numbers_that_their_halves_show():
    X, y, X_test, y_test = demo.pairs_of_digits(2000, 300)
    assert X.shape == (2000, 128)
    assert X_test.shape == (300, 128)
    assert len(np.unique(y)) == 100
    for half, digit in ((slice(64), y // 10), (slice(64, None), y % 10)):
        clf = SVC().fit(X[:, half], digit)
        expected = y_test // 10 if half.start is None else y_test % 10
        assert clf.score(X_test[:, half], expected) > 0.95


def test_both_kinds_of_methods_are_measured_and_told(capsys, monkeypatch):
    monkeypatch.setattr(demo, "MOST_SECONDS", 0.01)
    X, y, X_test, y_test = demo.pairs_of_digits(600, 100)
    ours, svc = DCSVC().fit(X, y), SVC().fit(X, y)
    accuracy, decisions, seconds = demo.measured(ours, X_test, y_test)
    assert accuracy == ours.score(X_test, y_test)
    assert decisions == ours.decision_cost(X_test).decisions.mean()
    assert seconds > 0
    assert demo.measured(svc, X_test, y_test)[1] is None
    demo.conclude(
        {
            "scikit-learn SVC": (0.97, None, 120e-6),
            "OneVsOneSVC": (0.97, 300.0, 3e-6),
            "DCSVC": (0.969, 9.0, 1e-6),
        }
    )
    told = capsys.readouterr().out
    assert "120 times as fast as SVC, with 0.10 points less" in told
    assert "40 × by the engine" in told
    assert "3.0 × by the method" in told
    assert "make gallery" in told
