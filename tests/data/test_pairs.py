"""The order of the machines against itertools."""

from itertools import combinations

import numpy as np
import pytest

from dcsvm.data.pairs import class_pairs, machine_of, n_pairs


@pytest.mark.parametrize("k", [2, 3, 7, 40])
def test_machines_come_in_the_order_of_combinations(k):
    expected = list(combinations(range(k), 2))
    assert n_pairs(k) == len(expected)
    assert [tuple(pair) for pair in class_pairs(k).tolist()] == expected
    i, j = class_pairs(k).T
    assert (machine_of(i, j, k) == np.arange(n_pairs(k))).all()
    assert machine_of(*expected[-1], k) == len(expected) - 1


def test_pairs_cannot_be_changed_for_others():
    with pytest.raises(ValueError, match="read-only"):
        class_pairs(3)[0] = 5
