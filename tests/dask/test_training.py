import numpy as np
import pytest
from tests.dask.here import blocks_of
from tests.dask.test_figures import SETS, Y, parameters

from dcsvm.dask.figures import shared_problem
from dcsvm.dask.stages import report_nothing
from dcsvm.dask.training import block_task, train_blocks
from dcsvm.data.pairs import machine_of
from dcsvm.data.rows import canonical_rows
from dcsvm.training.train import problems_of, train_pairs

WEIGHT = np.array([1.0, 2.0, 0.5, 1.0, 1.0])


def machines_of(used, edges):
    classes = np.concatenate([np.arange(edges[b], edges[b + 1]) for b in used])
    pairs = {(i, j) for i in classes for j in classes if i < j}
    if len(used) == 2:
        pairs = {(i, j) for i, j in pairs if i < edges[used[1]] <= j}
    return classes, sorted(machine_of(i, j, 5) for i, j in pairs)


@pytest.mark.parametrize("used", [(0,), (0, 1), (1, 2), (0, 2)])
@pytest.mark.parametrize("given", [{}, {"kernel": "linear"}, {"tol": 1e-6}])
@pytest.mark.parametrize("name", ["as it is", "in single precision", "far from zero"])
def test_machines_between_blocks_are_those_of_a_local_fit(used, given, name):
    edges, given = np.array([0, 2, 3, 5]), parameters(**given, on_trained=report_nothing)
    rows = canonical_rows(SETS[name], Y, np.ones(300), 5)
    problems, _ = problems_of(rows, WEIGHT, given, None)
    expected = train_pairs(problems, given)
    blocks = blocks_of(rows, edges)
    shared = shared_problem(blocks.map, rows.n_rows, rows.X, given)
    classes, machines = machines_of(used, edges)
    second = classes >= edges[used[-1]] if len(used) == 2 else np.zeros(len(classes), bool)

    def numbered(i, j):
        return machine_of(i, j, 5)

    task = block_task(classes, second, rows.class_start, WEIGHT, numbered)
    found = train_blocks([blocks.stored[b].result for b in used], task, shared, given)
    assert sorted(found.machine.tolist()) == machines
    begin = np.cumsum(found.n_support) - found.n_support
    for t, m in enumerate(found.machine.tolist()):
        entries = slice(begin[t], begin[t] + found.n_support[t])
        wanted = expected[m]
        assert np.array_equal(found.support[entries], wanted.support)
        assert np.array_equal(found.coef[entries], wanted.coef)
        assert found.intercept[t] == wanted.intercept
        assert found.n_iter[t] == wanted.n_iter


def test_pairs_without_a_machine_are_left_out():
    def numbered(i, j):
        return np.where(i + j == 4, 7, -1)

    start = np.arange(6) * 10
    task = block_task(np.arange(5), np.zeros(5, bool), start, WEIGHT, numbered)
    assert task.pairs.tolist() == [[0, 4], [1, 3]]
    assert task.machine.tolist() == [7, 7]
