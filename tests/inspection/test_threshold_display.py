"""`ThresholdDisplay` shows the accuracy and cost that other θ have."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC
from dcsvm.inspection import ThresholdDisplay


def test_thresholds_are_tried_without_training(clf, digits):
    X, y = digits[0][600:], digits[1][600:]
    ax = plt.subplots()[1]
    thetas = [0.1, 0.001, 0.01]
    display = ThresholdDisplay.from_estimator(clf, X, y, thetas=thetas, ax=ax)
    assert display.figure_ is ax.figure
    display.figure_.canvas.draw()
    assert display.thetas.tolist() == sorted(thetas)
    for t, theta in enumerate(sorted(thetas)):
        other = clf.rethreshold(theta=theta)
        assert display.accuracy[t] == other.score(X, y)
        assert display.decisions[t] == other.decision_cost(X).decisions.mean()
        assert display.kernel_evaluations[t] == pytest.approx(
            other.decision_cost(X).kernel_evaluations.mean()
        )
    assert display.vote["accuracy"] == OneVsOneSVC.from_machines(clf).score(X, y)
    assert display.ax_.get_xscale() == "log"
    assert np.allclose(display.ax_.lines[0].get_ydata(), 100 * np.array(display.accuracy))
    assert np.allclose(
        display.cost_ax_.lines[0].get_ydata(), 100 * np.array(display.decisions) / 45
    )


def test_thresholds_of_any_classifier_in_a_pipeline(digits):
    X, y = digits
    inner = DivideAndConquerClassifier(RidgeClassifier())
    pipe = make_pipeline(StandardScaler(), inner).fit(X[:400], y[:400])
    display = ThresholdDisplay.from_estimator(pipe, X[400:700], y[400:700], thetas=[0, 0.05])
    assert display.kernel_evaluations is None
    assert display.vote["decisions"] == 45
    assert display.accuracy[0] == pytest.approx(display.vote["accuracy"], abs=0.05)
    assert display.ax_.get_xscale() == "symlog"
    display.figure_.canvas.draw()
    with pytest.raises(TypeError, match="DAGSVC has no θ"):
        ThresholdDisplay.from_estimator(DAGSVC().fit(X[:99], y[:99]), X, y)


def test_thresholds_from_predictions():
    display = ThresholdDisplay.from_predictions(
        ["a", "b", "b"],
        [["a", "b", "a"], ["a", "b", "b"]],
        thetas=[0.1, 0.01],
        decisions=[[1, 1, 1], [2, 3, 4]],
    )
    assert display.accuracy == pytest.approx([2 / 3, 1])
    assert display.ax_.lines[0].get_xdata().tolist() == [0.01, 0.1]
    assert display.cost_ax_.lines[0].get_ydata().tolist() == [3, 1]


def test_thresholds_of_a_frame(blobs):
    pd = pytest.importorskip("pandas")
    frame, y = pd.DataFrame(blobs[0], columns=["u", "v"]), blobs[1]
    for made in (DCSVC.paper(), make_pipeline(StandardScaler(), DCSVC.paper())):
        clf = made.fit(frame, y)  # warnings are errors here
        display = ThresholdDisplay.from_estimator(clf, frame, y, thetas=[0.01])
        assert display.accuracy == [pytest.approx(clf.score(frame, y), abs=0.02)]


def test_weights_count(clf, digits):
    X, y = digits[0][600:], digits[1][600:]
    weight = np.random.default_rng(0).uniform(size=len(y))
    display = ThresholdDisplay.from_estimator(clf, X, y, thetas=[0.02], sample_weight=weight)
    other = clf.rethreshold(theta=0.02)
    assert display.accuracy[0] == pytest.approx(np.average(other.predict(X) == y, weights=weight))
    decisions = other.decision_cost(X).decisions
    assert display.decisions[0] == pytest.approx(np.average(decisions, weights=weight))
    voting = OneVsOneSVC.from_machines(clf)
    assert display.vote["accuracy"] == pytest.approx(voting.score(X, y, sample_weight=weight))
