"""The arrays of a decision structure."""

import numpy as np
import pytest
from hypothesis import given
from tests.tables import (
    criteria,
    random_fractions,
    thetas,
)

from dcsvm import PredictionTable
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.splitting import SignSplitter
from dcsvm.routing.sides import sides

MANY = 10**6


def grower_for(to_i, theta, criterion="purity"):
    table = PredictionTable.from_likelihoods(range(to_i.shape[1]), to_i)
    return Grower(SignSplitter(sides(table, theta), criterion))


@given(random_fractions(), thetas, criteria)
def test_structure_of_the_whole_dag(to_i, theta, criterion):
    k = to_i.shape[1]
    dag = grower_for(to_i, theta, criterion).grow_all(MANY)
    assert dag.max_depth <= k - 1
    sets = [frozenset(dag.classes_at(n).tolist()) for n in range(dag.n_nodes)]
    assert len(set(sets)) == dag.n_nodes, "equal sets must be one node"
    assert sets[: k + 1] == [frozenset([c]) for c in range(k)] + [frozenset(range(k))]
    for node in range(k, dag.n_nodes):
        assert (
            len(dag.children(node))
            == len(dag.cuts[dag.first_cut[node] : dag.first_cut[node + 1]]) + 1
        )
        for child in dag.children(node):
            assert sets[child] < sets[node], "a child must be a proper subset"
        assert frozenset.union(*(sets[c] for c in dag.children(node))) == sets[node]


def test_a_published_structure_never_changes():
    grower = grower_for(np.full((10, 5), 0.5), 0.0)
    before = grower.dag
    child = before.child.copy()
    grower.grow_all(MANY)
    assert (before.child == child).all()
    assert before.n_nodes < grower.dag.n_nodes


def test_what_is_grown_cannot_be_written_to(fitted):
    with pytest.raises(ValueError, match="read-only"):
        fitted.dag_.child[:] = 0
