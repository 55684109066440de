"""`ReliabilityDisplay` compares probabilities with how often they are right."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.inspection import ReliabilityDisplay


@pytest.fixture(scope="module")
def model(blobs):
    X, y = blobs
    return make_pipeline(StandardScaler(), OneVsOneSVC(probability=True)).fit(X[:200], y[:200])


def test_a_class_is_compared_as_scikit_learn_does(model, blobs):
    X, y = blobs[0][200:], blobs[1][200:]
    display = ReliabilityDisplay.from_estimator(model, X, y, label=2, n_bins=4)
    theirs = calibration_curve(y == 2, model.predict_proba(X)[:, 2], n_bins=4)
    assert np.allclose(display.share_right, theirs[0])
    assert np.allclose(display.mean_probability, theirs[1])
    shown = display.ax_.lines[1]
    assert np.allclose(shown.get_xdata(), theirs[1])
    assert np.allclose(shown.get_ydata(), theirs[0])


def test_the_class_predicted_is_compared(model, blobs):
    X, y = blobs[0][200:], blobs[1][200:]
    display = ReliabilityDisplay.from_estimator(model, X, y, n_bins=1)
    assert display.share_right == pytest.approx([model.score(X, y)])
    assert display.mean_probability == pytest.approx([model.predict_proba(X).max(axis=1).mean()])
    assert display.error == pytest.approx(abs(display.share_right[0] - display.mean_probability[0]))


def test_two_classifiers_are_compared(model, blobs):
    X, y = blobs
    first = ReliabilityDisplay.from_estimator(model, X, y, strategy="quantile", n_bins=3)
    other = GaussianNB().fit(X, y)
    second = ReliabilityDisplay.from_estimator(other, X, y, ax=first.ax_)
    assert second.figure_ is first.figure_
    names = [text.get_text() for text in second.ax_.get_legend().get_texts()]
    assert [name.split(":")[0] for name in names] == ["Pipeline", "GaussianNB"]
    first.figure_.canvas.draw()


def test_wrong_arguments(model, blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="strategy must be"):
        ReliabilityDisplay.from_estimator(model, X, y, strategy="even")
    with pytest.raises(ValueError, match="There is no class 7"):
        ReliabilityDisplay.from_estimator(model, X, y, label=7)
    with pytest.raises(AttributeError, match="no attribute 'predict_proba'"):
        ReliabilityDisplay.from_estimator(DCSVC().fit(X, y), X, y)
