import numpy as np
import pytest
from tests.onnx.graphs import new_graph, run_graph

from dcsvm.onnx.graph import INT64


def test_equal_scalars_are_one_constant():
    g = new_graph()
    assert g.constant(1.0) == g.constant(1.0) != g.constant(2.0)
    assert g.constant(np.float32(1)) != g.constant(1.0)
    assert g.int64(1) != g.constant(np.int64(1))


def test_conditions():
    g = new_graph()
    a, b = np.array([[1, 1, 0], [0, 0, 0]], bool), np.array([[1, 0, 0], [1, 1, 1]], bool)
    outputs = [g.all_of("a", "b"), g.without("a", "b"), g.count("a"), g.any("a"), g.any("b")]
    found = run_graph(g, outputs, {"a": a, "b": b})
    expected = [a & b, a & ~b, a.sum(axis=1, keepdims=True), a.any(), b.any()]
    for result, right in zip(found, expected, strict=True):
        np.testing.assert_array_equal(result, right)


def test_the_first_of_equal_numbers_is_highest():
    g = new_graph()
    found = run_graph(g, [g.highest("x")], {"x": np.array([[0.0, 2, 2], [1, 1, 0]])})
    np.testing.assert_array_equal(found[0], [[1], [0]])


@pytest.mark.parametrize(("most", "expected"), [(100, 1024), (3, 8)])
def test_a_step_is_repeated_while_it_goes_on_and_not_too_often(most, expected):
    g = new_graph()

    def is_small(graph, x):
        return graph.any(graph.add("Less", x, graph.constant(np.int64(1000))))

    def step(body, names):
        (x,) = names
        doubled = body.add("Mul", x, body.constant(np.int64(2)))
        return [doubled], is_small(body, doubled)

    start = g.add("Add", "x", g.constant(np.int64(0)))
    out = g.repeat([start], [INT64], step, is_small(g, start), most)
    assert run_graph(g, out, {"x": np.array([1])})[0] == [expected]
