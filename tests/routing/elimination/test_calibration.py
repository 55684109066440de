"""The conformal gap of a shortlist."""

import numpy as np
import pytest

from dcsvm.routing.elimination.calibration import calibrate


def test_gap_by_hand():
    scores = np.array([[3.0, 0.0], [0.0, 1.0], [2.0, 2.5], [0.0, 4.0]])
    found = calibrate(scores, np.array([0, 0, 0, 0]), np.ones(4))
    assert found.behind.tolist() == [0.0, 0.5, 1.0, 4.0]
    # Of five rows, the new one among them, as many as (1 − θ) 5 must lie within.
    assert found.gap(0.2) == 4.0
    assert found.gap(0.4) == 1.0
    assert found.gap(0.41) == 1.0
    assert found.gap(0.19) == np.inf
    assert found.gap(0.0) == np.inf
    twice = calibrate(scores, np.array([0, 0, 0, 0]), np.array([2.0, 1.0, 1.0, 1.0]))
    repeated = calibrate(scores[[0, 0, 1, 2, 3]], np.zeros(5, dtype=int), np.ones(5))
    for theta in (0.1, 0.17, 0.3, 0.4, 0.49):
        assert twice.gap(theta) == repeated.gap(theta)


@pytest.mark.parametrize("theta", [0.3, 0.05, 0.01])
@pytest.mark.parametrize("n", [60, 500])
def test_the_gap_keeps_the_right_class_of_fresh_rows(n, theta):
    rng = np.random.default_rng(n)

    def draw(n):
        codes = rng.integers(0, 5, n)
        return rng.normal(size=(n, 5)) + 1.5 * (codes[:, np.newaxis] == np.arange(5)), codes

    kept = []
    for _ in range(400):
        gap = calibrate(*draw(n), np.ones(n)).gap(theta)
        scores, codes = draw(200)
        kept.append((scores.max(axis=1) - scores[np.arange(200), codes] <= gap).mean())
    # The mean over calibrations lies between 1 − θ and 1 − θ + 1 / (n + 1), or is 1 where there
    # are too few rows; 400 · 200 rows tell it to within three standard errors.
    error = 3 * np.std(kept) / 20
    assert np.mean(kept) >= 1 - theta - error
    if theta * (n + 1) >= 1:
        assert np.mean(kept) <= 1 - theta + 1 / (n + 1) + error
    else:
        assert np.mean(kept) == 1
