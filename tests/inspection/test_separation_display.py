"""`SeparationDisplay` shows the values of one machine."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dcsvm import DCSVC
from dcsvm.inspection import SeparationDisplay
from dcsvm.routing.plausibility import plausible_range


def test_separation_shows_values_and_ranges(clf, digits):
    X, y = digits[0][600:800], digits[1][600:800]
    ax = plt.subplots()[1]
    display = SeparationDisplay.from_estimator(clf, (7, 2), X=X, y=y, ax=ax)
    assert display.figure_ is ax.figure
    display.figure_.canvas.draw()
    m = 9 + 8 + 4  # 2 vs 7
    assert display.machine == (2, 7)
    values = clf.machines_.all_values(clf.machines_.prepare(X), 0, len(X))[:, m]
    assert display.values == pytest.approx(values, abs=1e-4)
    assert np.array_equal(display.codes, y)
    assert np.array_equal(display.high, clf.table_.values.high[m])
    assert np.array_equal(display.plausible[0], plausible_range(clf.table_.values, 0.01)[0][m])
    order = [int(t.get_text()) for t in ax.get_yticklabels()]
    middle = (display.low + display.high)[order]
    assert (np.diff(middle) >= 0).all()


def test_separation_by_default_and_by_sign(clf, digits):
    X, y = digits
    assert SeparationDisplay.from_estimator(clf).values.shape == (600,)
    paper = DCSVC.paper().fit(X[:300], y[:300])
    display = SeparationDisplay.from_estimator(paper, max_classes=3)
    root = paper.dag_.machine[paper.dag_.root]
    assert display.machine == tuple(paper.machines_.pairs[root])
    assert display.plausible is None
    assert len(display.ax_.get_yticklabels()) <= 5


def test_separation_from_predictions():
    display = SeparationDisplay.from_predictions(
        ["a", "a", "b", "c", "c"], [1.0, 2.0, -1.0, -0.5, 0.5], ("a", "b"), theta=0.1
    )
    assert display.machine == (0, 1)
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["b", "c", "a"]


def test_separation_of_a_frame(blobs):
    pd = pytest.importorskip("pandas")
    frame, y = pd.DataFrame(blobs[0], columns=["u", "v"]), blobs[1]
    for made in (DCSVC.paper(), make_pipeline(StandardScaler(), DCSVC.paper())):
        display = SeparationDisplay.from_estimator(made.fit(frame, y), X=frame, y=y)
        assert np.array_equal(display.codes, y)


def test_wrong_classes_are_named(clf, digits):
    with pytest.raises(ValueError, match="There is no class 'x'; the classes are 0, 1"):
        SeparationDisplay.from_estimator(clf, ("x", 3))
    with pytest.raises(ValueError, match="two classes apart"):
        SeparationDisplay.from_estimator(clf, (3, 3))
    with pytest.raises(ValueError, match="both X and y"):
        SeparationDisplay.from_estimator(clf, X=digits[0])
