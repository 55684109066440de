from types import SimpleNamespace

import numpy as np
import pytest
from tests.onnx.graphs import new_graph, run_graph

from dcsvm.data.pairs import class_pairs
from dcsvm.estimators.voting import count_votes
from dcsvm.onnx.voting import add_vote


@pytest.mark.parametrize("k", [2, 3, 11])
def test_votes_and_ties(k):
    values = np.random.default_rng(k).integers(-1, 2, size=(500, k * (k - 1) // 2)) / 2
    g = new_graph()
    machines = SimpleNamespace(n_classes=k)
    label = add_vote(g, SimpleNamespace(machines=machines, values=lambda: "values"))
    found = run_graph(g, [label], {"values": values})[0]
    np.testing.assert_array_equal(found, count_votes(values, class_pairs(k), k).argmax(axis=1))
