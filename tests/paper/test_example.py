"""The worked example."""

import pytest
from paper.example import REPORTED_ROOT


def test_example_measures_by_hand(example):
    to_i = example.clf.table_.likelihoods
    for m, (p, b, s) in enumerate(example.measures(range(6)).values()):
        on_i, on_j = (to_i[m] > 0).sum(), (to_i[m] < 1).sum()
        i, j = example.clf.table_.pairs[m]
        assert p == on_i + on_j - 6
        assert b == min(6 - on_i, 6 - on_j)
        assert s == pytest.approx((to_i[m, i] + 1 - to_i[m, j]) / 2)
    assert set(example.measures(range(6))) == set(REPORTED_ROOT)


def test_example_path_is_that_of_predict(example):
    steps = example.path_steps()
    assert steps[-1][2] == example.clf.apply(example.row)[0]
    assert len(steps) == example.clf.decision_cost(example.row).decisions[0]
    texts = {node.place: node.text for node in example.tree().walk()}
    assert all(place in texts for place in example.path_nodes())
    longest = max(example.path_nodes(), key=len)
    assert texts[longest] == str(example.row_label)
