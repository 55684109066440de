"""Conformal sets, against their definition, crepes, and fresh rows."""

import numpy as np
import pytest

from dcsvm.probability.calibration import LeftOutRows
from dcsvm.probability.sets import most_probable, sets_of, threshold, thresholds

R = np.random.RandomState(0)


@pytest.mark.parametrize("n", [1, 5, 19, 20, 21, 100])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_definition(n, confidence, weighted):
    random = np.random.RandomState(n)
    p = np.round(random.uniform(size=n), 2)  # some are equal
    w = random.randint(1, 4, size=n).astype(float) if weighted else np.ones(n)
    t = threshold(p, w, confidence)
    for candidate in np.round(np.arange(0, 1.01, 0.01), 2):
        below = w[p <= candidate].sum() + 1
        assert (candidate >= t) == (below > (1 - confidence) * (w.sum() + 1) + 1e-9), candidate


def test_coverage_of_fresh_rows_is_what_is_asked_whatever_the_scores():
    covered = []
    for _ in range(400):
        p = R.beta(3, 1, size=60)
        covered.append((p[1:] >= threshold(p[:1], np.ones(1), 0.9)).mean())
        covered[-1] = (R.beta(3, 1, size=200) >= threshold(p, np.ones(60), 0.9)).mean()
    assert np.mean(covered) == pytest.approx(1 - np.floor(0.1 * 61) / 61, abs=0.01)
    assert np.mean(covered) >= 0.9 - 0.005


def test_a_weight_of_two_is_two_rows():
    p = R.uniform(size=50)
    assert threshold(p, np.full(50, 2.0), 0.9) == threshold(np.repeat(p, 2), np.ones(100), 0.9)


def test_thresholds_of_classes():
    codes = np.repeat([0, 1, 2], [100, 100, 3])
    p = np.concatenate([R.uniform(0.5, 1, 100), R.uniform(0, 0.5, 100), [0.1, 0.2, 0.3]])
    left_out = LeftOutRows(codes, p, np.ones(203))
    shared = threshold(p, np.ones(203), 0.9)
    assert thresholds(left_out, 4, 0.9, False).tolist() == [shared] * 4
    found = thresholds(left_out, 4, 0.9, True)
    assert found[0] == threshold(p[:100], np.ones(100), 0.9) > 0.5
    assert found[1] == threshold(p[100:200], np.ones(100), 0.9) < 0.1
    assert found[2] == found[3] == shared  # too few rows of their own


def test_empty_sets_get_the_most_probable_class_on_demand():
    p = np.array([[0.4, 0.35, 0.25], [0.9, 0.05, 0.05]])
    least = np.full(3, 0.5)
    assert sets_of(p, least, True).tolist() == [[False] * 3, [True, False, False]]
    assert sets_of(p, least, False).tolist() == [[True, False, False]] * 2


def test_too_few_rows_give_all_classes():
    assert threshold(np.array([0.9, 0.8]), np.ones(2), 0.95) == 0.0
    assert threshold(np.empty(0), np.empty(0), 0.5) == 0.0


def test_the_most_probable_classes_in_order():
    p = np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4]])
    assert most_probable(p, 2).tolist() == [[1, 2], [0, 2]]
    assert most_probable(p, 9).shape == (2, 3)
