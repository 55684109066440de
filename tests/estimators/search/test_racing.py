"""Which points are given up, against the standard error of paired differences."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score

from dcsvm.estimators.search.racing import BLOCKS, hopeless, scores_by_block
from dcsvm.estimators.search.scoring import Judged, Scoring

CLASSES = np.array(["a", "b"])


def judged(right, weight=None):
    codes = np.arange(len(right)) % 2
    voted = np.where(right, codes, 1 - codes)
    return Judged(codes, voted, weight, None, CLASSES[codes], None, None)


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_without_each_block(weighted):
    rng = np.random.default_rng(0)
    right = rng.random(203) < 0.8
    one = judged(right, rng.uniform(size=203) if weighted else None)
    by_accuracy = scores_by_block(one, Scoring(None, DummyClassifier(), CLASSES))
    by_scorer = scores_by_block(one, Scoring("recall_micro", DummyClassifier(), CLASSES))
    np.testing.assert_allclose(by_accuracy, by_scorer)
    stay = np.arange(203) % BLOCKS != 3
    weight = None if one.weight is None else one.weight[stay]
    expected = accuracy_score(one.codes[stay], one.voted[stay], sample_weight=weight)
    assert by_accuracy[3] == pytest.approx(expected)


def by_block(right):
    return scores_by_block(judged(right), Scoring(None, DummyClassifier(), CLASSES))


def test_what_is_behind_by_more_than_chance_is_given_up():
    rng = np.random.default_rng(0)
    n = 2000
    hard = rng.random(n) < 0.2  # for all points alike
    best = ~hard
    slightly = best & (rng.random(n) > 0.001)
    clearly = best & (rng.random(n) > 0.05)
    noisy = rng.random(n) < 0.78  # about as good, but not on the same rows
    found = hopeless([by_block(r) for r in (slightly, best, clearly, noisy, best)])
    assert found.tolist() == [False, False, True, False, False]


def test_chance_gives_hardly_anything_up():
    """Of equally good points the best by chance leaves the others in the race."""
    rng = np.random.default_rng(1)
    points = [by_block(rng.random(500) < 0.9) for _ in range(300)]
    assert hopeless(points).sum() <= 30
    assert not hopeless([by_block(np.ones(30, dtype=bool))] * 3).any()


def test_points_without_a_score_are_given_up_last():
    nothing = np.full(BLOCKS + 1, np.nan)
    found = hopeless([nothing, by_block(np.ones(100, dtype=bool))])
    assert not found[1]
