"""The sets and their splits."""

import numpy as np

from paper import (
    problems,
)


def test_split_is_80_20_by_class_and_differs_by_trial():
    data = problems.problem("artificial1", "paper")
    train, test = data.split(0)
    assert sorted([*train, *test]) == list(range(1800))
    assert np.bincount(data.y[test]).tolist() == [60] * 6
    assert set(data.split(1)[1]) != set(test)
    np.testing.assert_array_equal(data.split(0)[1], test)


def test_drawn_rows_keep_the_proportions_and_every_class():
    y = np.repeat([3, 1, 7], [9000, 997, 3])
    drawn = problems._drawn(y, 1000)
    assert (np.diff(drawn) > 0).all()
    assert [np.sum(y[drawn] == c) for c in (3, 1, 7)] == [900, 100, 3]
    np.testing.assert_array_equal(drawn, problems._drawn(y, 1000))


def test_official_split_and_parts(official_folder):
    train, test = problems.problem("usps", "official").split(5)
    assert (len(train), len(test)) == (7291, 2007)
    assert len(problems.problem("svmguide4", "paper").y) == 300
    assert len(problems.problem("svmguide4", "tuned").y) == 612
    glass = problems.problem("glass", "paper")
    np.testing.assert_array_equal(glass.X[:, 0], np.arange(1, 215))
    assert problems.problem("glass", "tuned").X.shape[1] == 9
