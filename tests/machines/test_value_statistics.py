"""Statistics of values against counting them one by one."""

import numpy as np

from dcsvm.machines.value_statistics import ValueStatistics, value_statistics


def test_every_number_by_hand():
    values = np.array([[1.0, -2.0], [0.0, 3.0], [-4.0, 0.5], [2.0, 2.0]])
    weight = np.array([1.0, 2.0, 0.5, 3.0])
    seen = value_statistics(values, weight, np.array([0, 3, 3, 4]), keep_signs=True)
    assert seen.to_i.tolist() == [[1.0, 2.5], [0.0, 0.0], [3.0, 3.0]]
    assert seen.to_j.tolist() == [[2.5, 1.0], [0.0, 0.0], [0.0, 0.0]]
    assert seen.low.tolist() == [[-4.0, -2.0], [np.inf, np.inf], [2.0, 2.0]]
    assert seen.high.tolist() == [[1.0, 3.0], [-np.inf, -np.inf], [2.0, 2.0]]
    assert seen.sum.tolist() == [[-3.0, 1.5], [0.0, 0.0], [2.0, 2.0]]
    assert seen.squares.tolist() == [[17.0, 13.25], [0.0, 0.0], [4.0, 4.0]]
    assert seen.signs.tolist() == [[0b1001], [0b1110]]


def test_nothing_seen_yet_is_changed_by_whatever_comes():
    empty = ValueStatistics.empty(2, 3, None)
    assert empty.to_i.shape == (2, 3)
    assert (np.minimum(empty.low, 7.0) == 7.0).all()
    assert (np.maximum(empty.high, -7.0) == -7.0).all()
    assert not empty.sum.any()
