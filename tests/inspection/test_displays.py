"""Displays show what the classifier has, and behave as those of scikit-learn."""

import doctest

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dcsvm.inspection.separator_plot
from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC
from dcsvm.inspection import (
    PredictionTableDisplay,
    SeparationDisplay,
    ThresholdDisplay,
    plot_separators,
)
from dcsvm.routing.plausibility import plausible_range

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@pytest.fixture(scope="module")
def clf(digits):
    X, y = digits
    return DCSVC(C=10, theta=0.01).fit(X[:600], y[:600])


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(300, centers=6, random_state=3, cluster_std=1.3)


def check_display(display, ax):
    assert display.figure_ is ax.figure
    display.figure_.canvas.draw()


def test_table_shows_shares_and_marks_undecided_cells(clf):
    ax = plt.subplots()[1]
    display = PredictionTableDisplay.from_estimator(clf, ax=ax, max_machines=None)
    check_display(display, ax)
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


def test_thresholds_are_tried_without_training(clf, digits):
    X, y = digits[0][600:], digits[1][600:]
    ax = plt.subplots()[1]
    thetas = [0.1, 0.001, 0.01]
    display = ThresholdDisplay.from_estimator(clf, X, y, thetas=thetas, ax=ax)
    check_display(display, ax)
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


def test_separation_shows_values_and_ranges(clf, digits):
    X, y = digits[0][600:800], digits[1][600:800]
    ax = plt.subplots()[1]
    display = SeparationDisplay.from_estimator(clf, (7, 2), X=X, y=y, ax=ax)
    check_display(display, ax)
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


def test_wrong_classes_are_named(clf, digits):
    with pytest.raises(ValueError, match="There is no class 'x'; the classes are 0, 1"):
        SeparationDisplay.from_estimator(clf, ("x", 3))
    with pytest.raises(ValueError, match="two classes apart"):
        SeparationDisplay.from_estimator(clf, (3, 3))
    with pytest.raises(ValueError, match="both X and y"):
        SeparationDisplay.from_estimator(clf, X=digits[0])
    with pytest.raises(TypeError, match="has no All-Predictions table"):
        PredictionTableDisplay.from_estimator(DAGSVC().fit(digits[0][:99], digits[1][:99]))


@pytest.mark.parametrize("method", [DCSVC(), DCSVC.paper(kernel="linear")])
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


def test_frames_keep_the_names_of_their_columns(blobs):
    pd = pytest.importorskip("pandas")
    frame, y = pd.DataFrame(blobs[0], columns=["u", "v"]), blobs[1]
    for made in (DCSVC.paper(), make_pipeline(StandardScaler(), DCSVC.paper())):
        clf = made.fit(frame, y)  # warnings are errors here
        axes = plot_separators(clf, X=frame, y=y, highlight=frame.iloc[0])
        assert axes[0].get_xlabel() == "u"
        display = ThresholdDisplay.from_estimator(clf, frame, y, thetas=[0.01])
        assert display.accuracy == [pytest.approx(clf.score(frame, y), abs=0.02)]
        SeparationDisplay.from_estimator(clf, X=frame, y=y)


def test_example_of_separators():
    outcome = doctest.testmod(dcsvm.inspection.separator_plot)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_separators_take_two_features(clf):
    with pytest.raises(ValueError, match="two features, but there are 64"):
        plot_separators(clf)


@pytest.mark.parametrize("method", [DCSVC(), DCSVC(shortlist=None), DCSVC.paper()])
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
