"""`SearchDisplay` draws the scores of a search."""

import matplotlib.pyplot as plt
import numpy as np

from dcsvm import DCSVCCV
from dcsvm.inspection import SearchDisplay


def test_the_map_has_all_scores_and_marks_the_best(digits):
    X, y = digits[0][:300], digits[1][:300]
    found = DCSVCCV(Cs=[1e-3, 10, 1000], gammas=[1e-4, 0.05], cv=3, refit=False).fit(X, y)
    ax = plt.subplots()[1]
    display = SearchDisplay.from_estimator(found, ax=ax)
    assert display.ax_ is ax
    display.figure_.canvas.draw()
    shown = display.image_.get_array()
    np.testing.assert_allclose(shown, np.nanmean(found.scores_, axis=0))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0.001", "10", "1e+03"]
    texts = [text.get_text() for text in ax.texts]
    n_given_up = int(np.isnan(found.scores_).any(axis=0).sum())
    assert sum(text.startswith("(") for text in texts) == n_given_up > 0
    (frame,) = ax.patches
    s, c = display.search.best
    assert (frame.get_x() + 0.5, frame.get_y() + 0.5) == (c, s)
    plt.close("all")
