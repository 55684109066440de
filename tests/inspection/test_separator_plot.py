"""`plot_separators` draws machines over the plane of two features."""

import doctest

import numpy as np
import pytest
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dcsvm.inspection.separator_plot
from dcsvm import DCSVC
from dcsvm.inspection import plot_separators


@pytest.mark.parametrize("method", [DCSVC(theta=0.005), DCSVC.paper(kernel="linear")])
def test_separators_over_the_plane(method, blobs):
    X, y = blobs
    clf = method.fit(X, y)
    axes = plot_separators(clf, highlight=X[5])
    assert axes.shape == (2,)
    axes[0].figure.canvas.draw()
    if not hasattr(clf.shortlist_, "gap"):
        i, j = clf.machines_.pairs[clf.dag_.machine[clf.dag_.root]]
        assert axes[0].get_title().startswith(f"{i} vs {j},")
    shown = [t.get_text() for t in axes[0].texts]
    assert [t.split("\n")[0] for t in shown] == list("012345")


def test_separators_in_the_features_of_a_pipeline(blobs):
    X, y = blobs
    pipe = make_pipeline(StandardScaler(), DCSVC.paper()).fit(X, y)
    axes = plot_separators(pipe, X=X, y=y, machine=(4, 1))
    assert axes[0].get_title().startswith("1 vs 4,")
    low, high = axes[0].get_xlim()
    assert low < X[:, 0].min()
    assert high > X[:, 0].max()
    plot_separators(pipe)  # in those that the classifier sees


def test_example_of_separators():
    outcome = doctest.testmod(dcsvm.inspection.separator_plot)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_separators_take_two_features(clf):
    with pytest.raises(ValueError, match="two features, but there are 64"):
        plot_separators(clf)


@pytest.mark.parametrize("method", [DCSVC(theta=0.005), DCSVC(shortlist=None), DCSVC.paper()])
def test_decision_boundaries_of_scikit_learn(method, blobs):
    X, y = blobs
    clf = method.fit(X, np.array(list("abcdef"))[y])
    drawn = DecisionBoundaryDisplay.from_estimator(
        clf, X, response_method="predict", grid_resolution=30
    )
    grid = np.column_stack([drawn.xx0.ravel(), drawn.xx1.ravel()])
    predicted = clf.predict(grid)
    assert np.array_equal(np.array(list("abcdef"))[drawn.response.ravel()], predicted)
    one = DecisionBoundaryDisplay.from_estimator(
        clf, X, response_method="decision_function", class_of_interest="c", grid_resolution=30
    )
    assert np.array_equal(one.response.ravel(), clf.decision_function(grid)[:, 2])
    # The class predicted is the only one whose value is not negative.
    assert np.array_equal(one.response.ravel() >= 0, predicted == "c")


def test_frames_keep_the_names_of_their_columns(blobs):
    pd = pytest.importorskip("pandas")
    frame, y = pd.DataFrame(blobs[0], columns=["u", "v"]), blobs[1]
    for made in (DCSVC.paper(), make_pipeline(StandardScaler(), DCSVC.paper())):
        clf = made.fit(frame, y)  # warnings are errors here
        axes = plot_separators(clf, X=frame, y=y, highlight=frame.iloc[0])
        assert axes[0].get_xlabel() == "u"
