import numpy as np
import pytest
from tests.onnx.graphs import new_graph, run_graph

from dcsvm import DCSVC
from dcsvm.data.pairs import machine_of, n_pairs
from dcsvm.estimators.access import route_of
from dcsvm.onnx.elimination import Rounds, State, add_elimination
from dcsvm.onnx.machine_values import BatchValues
from dcsvm.routing.elimination.rounds import eliminate, within_gap
from dcsvm.routing.plausibility import Levels, padded


class GivenValues:
    """Machines with random values."""

    def __init__(self, values):
        self.all = values

    def values(self, query, row, machine, n_jobs=None):
        return self.all[row, machine]


@pytest.mark.parametrize("k", [3, 4, 9, 23])
@pytest.mark.parametrize("size", [0.2, 1.0])
def test_rounds_of_random_values(k, size):
    """Small values set many classes aside; levels are random as well."""
    rng = np.random.default_rng(k)
    n, machines, width = 400, n_pairs(k), padded(k)
    values = rng.normal(scale=size, size=(n, machines))
    scores = rng.integers(0, 6, size=(n, k)).astype(np.float32)
    low = rng.integers(0, 110, size=(machines, width), dtype=np.uint8)
    high = rng.integers(120, 256, size=(machines, width), dtype=np.uint8)
    for c in range(k):
        others = np.delete(np.arange(k), c)
        own = machine_of(np.minimum(c, others), np.maximum(c, others), k)
        low[own, c], high[own, c] = 0, 255
    levels = Levels(k, np.full(machines, -3 * size), np.full(machines, 42 / size), low, high)
    expected = np.zeros(n, dtype=int)
    candidates = within_gap(scores, 3.0)
    expected[:] = np.where(candidates, scores, -np.inf).argmax(axis=1)
    for step in eliminate(GivenValues(values), levels, None, scores, candidates):
        expected[step.rows] = step.is_in.argmax(axis=1)

    g = new_graph()
    rounds = Rounds(g, levels, "values", "scores")
    state = rounds.first(3.0)
    for _ in range(k - 1):
        state = rounds.next(g, state)
    found, goes_on = run_graph(
        g, [rounds.vote(state), g.any(state.goes_on)], {"values": values, "scores": scores}
    )
    assert not goes_on
    np.testing.assert_array_equal(found, expected)


def test_the_loop_ends_where_no_row_goes_on(rows, elsewhere):
    model = DCSVC(theta=0.01).fit(*rows)
    g = new_graph()
    batch = BatchValues(g, model.machines_, "X")
    label = add_elimination(g, route_of(model), batch)
    found = run_graph(g, [label], {"X": elsewhere.astype(np.float64)})[0]
    np.testing.assert_array_equal(found, model.apply(elsewhere))
    (loop,) = [node for node in g.nodes if node.op_type == "Loop"]
    assert len(loop.output) == len(State._fields)
