"""`PredictionTableDisplay` shows the table of a classifier, or of predictions."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from dcsvm import DAGSVC
from dcsvm.inspection import PredictionTableDisplay


def test_table_shows_shares_and_marks_undecided_cells(clf):
    ax = plt.subplots()[1]
    display = PredictionTableDisplay.from_estimator(clf, ax=ax, max_machines=None)
    assert display.figure_ is ax.figure
    display.figure_.canvas.draw()
    assert display.ax_ is ax
    shown = np.asarray(display.im_.get_array())
    assert np.array_equal(shown, clf.table_.likelihoods)
    both = np.minimum(shown, 1 - shown) > 0.01
    assert np.array_equal(display.undecided_, both)
    (marks,) = display.ax_.collections
    assert {tuple(p) for p in marks.get_offsets().tolist()} == {
        (c, m) for m, c in np.argwhere(both).tolist()
    }


def test_table_chooses_the_machines_asked_most(clf, digits):
    X = digits[0][600:900]
    display = PredictionTableDisplay.from_estimator(clf, X=X, max_machines=5)
    asked = np.asarray(clf.decision_path(X).sum(axis=0)).ravel()
    assert len(display.machines) == 5
    assert sorted(asked[display.machines]) == sorted(np.sort(asked)[-5:])
    names = [t.get_text() for t in display.ax_.get_yticklabels()]
    assert names == ["{} vs {}".format(*clf.machines_.pairs[m]) for m in display.machines]


def test_table_from_predictions_is_that_of_the_values(clf, digits):
    X, y = digits[0][600:], digits[1][600:]
    values = clf.machines_.all_values(clf.machines_.prepare(X), 0, len(X))
    display = PredictionTableDisplay.from_predictions(y, values, theta=0.1)
    for m, c in ((0, 0), (7, 3), (44, 9)):
        assert display.im_.get_array()[m, c] == pytest.approx((values[y == c, m] > 0).mean())
    with pytest.raises(ValueError, match=r"need values of shape \(1197, 45\)"):
        PredictionTableDisplay.from_predictions(y, values[:, :9])


def test_matrix_of_many_machines(clf):
    display = PredictionTableDisplay.from_table(clf.table_, theta=0.01, kind="matrix")
    cells = np.asarray(display.im_.get_array())
    assert np.array_equal(cells[2, 5], cells[5, 2])
    likelihood = clf.table_.likelihoods[9 + 8 + 2]  # 2 vs 5
    assert cells[2, 5] == (np.minimum(likelihood, 1 - likelihood) > 0.01).mean()
    with pytest.raises(ValueError, match="kind must be"):
        display.plot(kind="map")


def test_a_classifier_without_a_table_is_refused(digits):
    with pytest.raises(TypeError, match="has no All-Predictions table"):
        PredictionTableDisplay.from_estimator(DAGSVC().fit(digits[0][:99], digits[1][:99]))
