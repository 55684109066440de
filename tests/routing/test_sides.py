"""The table seen through a threshold, against the table's own fractions."""

from fractions import Fraction

import numpy as np
import pytest
from tests.routing.test_plausibility import random_table

from dcsvm.routing import sides as module
from dcsvm.routing.candidate_sets import unpack
from dcsvm.routing.sides import sides


@pytest.mark.parametrize("k", [3, 70])
@pytest.mark.parametrize("theta", [0.0, 0.1, 0.4])
def test_sides_hold_the_classes_above_the_threshold(k, theta, monkeypatch):
    monkeypatch.setattr(module, "MACHINES_AT_ONCE", 10)
    table = random_table(k, seed=1, rows=7)
    found = sides(table, theta)
    for side, words in ((0, found.to_i), (1, found.to_j)):
        is_in = unpack(words, k)
        for m in range(0, len(words), 7):
            for c in range(k):
                counts = [int(n) for n in table.counts[m, c]]
                share = Fraction(counts[side], sum(counts))
                assert is_in[m, c] == (share > Fraction(str(theta)))


def test_scores_are_the_shares_right_of_the_own_classes():
    table = random_table(4, seed=2, rows=9)
    found = sides(table, 0.0)
    for m, (i, j) in enumerate(table.pairs.tolist()):
        right_i, right_j = table.likelihoods[m, i], 1 - table.likelihoods[m, j]
        assert found.score[m] == pytest.approx((right_i + right_j) / 2)


def test_machines_cost_the_same_unless_told():
    table = random_table(3, seed=0, rows=5)
    assert sides(table, 0.0).cost.tolist() == [1.0, 1.0, 1.0]
    assert sides(table, 0.0, np.array([1.0, 2.0, 5.0])).cost.tolist() == [1.0, 2.0, 5.0]
