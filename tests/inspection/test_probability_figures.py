"""Bins of probabilities, and what sets hold, agree with scikit-learn and with counting."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from dcsvm import DCSVC
from dcsvm.inspection.probability_figures import coverage, reliability


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("n_bins", [1, 7])
def test_bins_are_those_of_scikit_learn(strategy, n_bins):
    rng = np.random.default_rng(0)
    said = rng.uniform(0, 1, 500) ** 2
    right = rng.uniform(size=500) < said
    found = reliability(said, right, np.ones(500), n_bins, strategy)
    theirs = calibration_curve(right, said, n_bins=n_bins, strategy=strategy)
    assert np.allclose(found.share_right, theirs[0])
    assert np.allclose(found.mean_probability, theirs[1])
    assert found.share_of_rows.sum() == pytest.approx(1)


def test_a_weight_is_as_good_as_a_row_more():
    rng = np.random.default_rng(1)
    said, right = rng.uniform(size=60), rng.uniform(size=60) < 0.5
    times = rng.integers(0, 3, 60)
    weighted = reliability(said, right, times.astype(float), 5, "uniform")
    repeated = reliability(
        said.repeat(times), right.repeat(times), np.ones(times.sum()), 5, "uniform"
    )
    for ours, theirs in zip(weighted, repeated, strict=True):
        assert np.allclose(ours, theirs)


def test_the_error_is_how_far_rows_are_from_the_diagonal():
    said = np.array([0.95, 0.95, 0.95, 0.15])
    right = np.array([True, True, False, False])
    found = reliability(said, right, np.ones(4), 10, "uniform")
    assert found.error == pytest.approx(0.75 * (0.95 - 2 / 3) + 0.25 * 0.15)


@pytest.mark.parametrize("copies", [1, 12], ids=["dense", "sparse"])
def test_coverage_is_that_of_counting(digits, copies):
    X, y = digits
    y = y * copies + np.arange(len(y)) % copies  # 120 classes, whose sets are sparse
    train, test = slice(0, 900), slice(900, 1000)
    clf = DCSVC(C=10, probability=True).fit(X[train], y[train])
    codes = np.searchsorted(clf.classes_, y[test])
    codes[0] = len(clf.classes_)  # a class that was not there
    weight = np.arange(100.0)
    found = coverage(clf, X[test], codes, weight, [0.6, 0.95])
    for t, confidence in enumerate([0.6, 0.95]):
        sets = clf.predict_set(X[test], confidence, output="labels")
        covered = [y[900 + row] in s and row > 0 for row, s in enumerate(sets)]
        assert found.coverage[t] == pytest.approx(np.average(covered, weights=weight))
        size = [len(s) for s in sets]
        assert found.mean_size[t] == pytest.approx(np.average(size, weights=weight))
