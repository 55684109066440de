"""Votes counted one by one."""

import numpy as np
import pytest

from dcsvm.data.pairs import class_pairs
from dcsvm.estimators.voting import count_votes


@pytest.mark.parametrize("k", [2, 3, 7])
def test_every_machine_votes_for_one_of_its_classes(k):
    pairs = class_pairs(k)
    values = np.random.default_rng(k).normal(size=(20, len(pairs)))
    values[0] = 0.0  # a value of zero is a vote for the second class
    expected = np.zeros((20, k), dtype=int)
    for row in range(20):
        for m, (i, j) in enumerate(pairs):
            expected[row, i if values[row, m] > 0 else j] += 1
    found = count_votes(values, pairs, k)
    np.testing.assert_array_equal(found, expected)
    assert found[0].tolist() == list(range(k))


def test_no_rows_have_no_votes():
    assert count_votes(np.empty((0, 3)), class_pairs(3), 3).shape == (0, 3)
