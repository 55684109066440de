"""`CoverageDisplay` shows how often sets hold the right class, and how large they are."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dcsvm import DCSVC
from dcsvm.inspection import CoverageDisplay


def test_sets_of_a_pipeline_in_a_search(blobs):
    X, y = blobs
    pipe = make_pipeline(StandardScaler(), DCSVC(probability=True))
    search = GridSearchCV(pipe, {"dcsvc__C": [1.0]}, cv=2).fit(X[:200], y[:200])
    display = CoverageDisplay.from_estimator(search, X[200:], y[200:], confidences=[0.9, 0.5])
    assert display.confidences.tolist() == [0.5, 0.9]
    fitted = search.best_estimator_
    scaled = fitted[:-1].transform(X[200:])
    for t, confidence in enumerate([0.5, 0.9]):
        sets = fitted[-1].predict_set(scaled, confidence)
        assert display.coverage[t] == sets[np.arange(100), y[200:]].mean()
        assert display.mean_size[t] == sets.sum(axis=1).mean()
    found, asked = display.ax_.lines
    assert np.allclose(found.get_ydata(), 100 * np.array(display.coverage))
    assert asked.get_ydata().tolist() == pytest.approx([50, 90])
    display.figure_.canvas.draw()


def test_two_classifiers_are_compared(blobs):
    X, y = blobs
    first, second = (DCSVC(C=C, probability=True).fit(X[:200], y[:200]) for C in (0.01, 1))
    display = CoverageDisplay.from_estimator(first, X, y, name="C = 0.01")
    other = CoverageDisplay.from_estimator(second, X, y, ax=display.ax_, name="C = 1")
    assert other.figure_ is display.figure_
    names = [text.get_text() for text in other.ax_.get_legend().get_texts()]
    assert names == ["C = 0.01", "asked for", "C = 1"]


def test_wrong_arguments(blobs):
    X, y = blobs
    clf = DCSVC(probability=True).fit(X, y)
    with pytest.raises(ValueError, match="at least one"):
        CoverageDisplay.from_estimator(clf, X, y, confidences=[])
    with pytest.raises(ValueError, match="label 9, which was not among"):
        CoverageDisplay.from_estimator(clf, X, y + 9)
    with pytest.raises(AttributeError, match="no attribute 'predict_set'"):
        CoverageDisplay.from_estimator(DCSVC().fit(X, y), X, y)
