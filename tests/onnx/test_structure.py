import numpy as np
import pytest
from tests.onnx.graphs import new_graph, run_graph

from dcsvm import DCSVC
from dcsvm.estimators.access import route_of
from dcsvm.onnx import structure
from dcsvm.onnx.machine_values import BatchValues
from dcsvm.onnx.structure import add_path, whole_structure
from dcsvm.routing.dag.structure import NOT_GROWN


@pytest.mark.parametrize("routing", ["sign", "margin"])
def test_paths_end_in_the_same_leaves(routing, rows, elsewhere):
    model = DCSVC(routing=routing, shortlist=None, theta=0.02).fit(*rows)
    g = new_graph()
    leaf = add_path(g, route_of(model), BatchValues(g, model.machines_, "X"))
    found = run_graph(g, [leaf], {"X": elsewhere.astype(np.float64)})[0]
    np.testing.assert_array_equal(found, model.apply(elsewhere))


def test_the_structure_of_the_classifier_does_not_grow(rows):
    model = DCSVC.paper().fit(*rows)
    before = model.dag_
    whole = whole_structure(route_of(model))
    assert model.dag_ is before
    assert whole.n_nodes >= before.n_nodes
    assert not (whole.child == NOT_GROWN).any()


def test_too_large_a_structure_is_refused(rows, monkeypatch):
    model = DCSVC.paper().fit(*rows)
    monkeypatch.setattr(structure, "MOST_NODES", 9)
    with pytest.raises(ValueError, match="more than 9 nodes"):
        whole_structure(route_of(model))
