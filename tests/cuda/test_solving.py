import numpy as np
import pytest

from dcsvm.cuda import solving
from dcsvm.cuda.solving import KernelBlocks, Solver, most_rows


def three_classes(n=30):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)) + np.repeat([[0, 0], [1, 1], [2, 0]], n // 3, axis=0)
    return np.exp(-((X[:, None] - X) ** 2).sum(axis=2)), np.arange(0, n + 1, n // 3)


PAIRS = np.array([[0, 1], [0, 2], [1, 2]], dtype=np.int32)


def test_a_solution_does_not_depend_on_interruptions(device, monkeypatch):
    K, start = three_classes()
    solver = Solver(device, start, np.ones(30), np.ones(30), 1e-3, 10**6, True)
    whole = solver.solve(KernelBlocks(K, start[:3]), np.arange(3), PAIRS)
    monkeypatch.setattr(solving, "STEPS_AT_ONCE", 3)
    parts = solver.solve(KernelBlocks(K, start[:3]), np.arange(3), PAIRS)
    assert np.array_equal(whole.n_iter, parts.n_iter)
    assert np.allclose(whole.coef, parts.coef)
    assert (whole.outcome == 0).all()


def test_each_machine_gets_its_own_support(device):
    K, start = three_classes()
    solver = Solver(device, start, np.ones(30), np.full(30, 2.0), 1e-3, 10**6, True)
    found = solver.solve(KernelBlocks(K, start[:3]), np.arange(3), PAIRS)
    edges = np.concatenate([[0], np.cumsum(found.n_support)])
    for m, (i, j) in enumerate(PAIRS.tolist()):
        own = slice(edges[m], edges[m + 1])
        rows, coef = found.support[own], found.coef[own]
        assert (np.diff(rows) > 0).all()
        assert ((coef > 0) == (rows < start[i + 1])).all()
        assert np.isin(np.searchsorted(start, rows, side="right") - 1, [i, j]).all()
        assert coef.sum() == pytest.approx(0, abs=1e-6)
        assert found.error[m] == pytest.approx(2 * np.linalg.norm(coef))


def test_the_bound_on_iterations_holds(device):
    K, start = three_classes()
    solver = Solver(device, start, np.ones(30), np.ones(30), 1e-3, 2, True)
    found = solver.solve(KernelBlocks(K, start[:3]), np.arange(3), PAIRS)
    assert (found.n_iter == 2).all()
    assert (found.outcome == solving.STOPPED_AT_MAX_ITER).all()


def test_rows_of_a_pair_are_limited_by_the_memory_of_a_block(device):
    assert most_rows(device, np.float64, False) < most_rows(device, np.float32, True)
    assert most_rows(device, np.float32, True) * 9 <= device.shared_bytes
