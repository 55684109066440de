import numpy as np
import pytest
from tests.cuda.problems import classes_in_plane, rows_there
from tests.cuda.test_problems import parameters
from tests.oracles import machine_values

from dcsvm.cuda import training
from dcsvm.cuda.training import tasks_of, train_on_gpu
from dcsvm.data.pairs import class_pairs
from dcsvm.data.rows import canonical_rows
from dcsvm.training.train import train_machines


def both(device, X, y, **changes):
    given = parameters(**changes)
    there = train_on_gpu(rows_there(device, X, y), np.ones(y.max() + 1), given)
    here = train_machines(canonical_rows(X, y, np.ones(len(y)), y.max() + 1), np.ones(4), given)
    return there, here


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"kernel": "linear"},
        {"kernel": "poly", "coef0": 1.0},
        {"scaling": "global", "kernel": "sigmoid", "gamma": 0.1},
        {"gamma": 50.0},
        {"tol": 1e-6},
    ],
)
def test_machines_are_those_of_the_host(device, changes):
    X, y = classes_in_plane()
    there, here = both(device, X, y, **changes)
    assert there.converged.all()
    values, expected = machine_values(there, X), machine_values(here, X)
    assert np.abs(values - expected).max() < 10 * changes.get("tol", 1e-3)
    assert (np.diff(there.origin) != 0).all()
    assert np.allclose(there.pool, here_scaled(here, X[there.origin]))


def here_scaled(machines, X):
    return X if machines.shared_scaling is None else machines.shared_scaling.apply(X)


def test_a_small_memory_gives_the_same_machines(device, monkeypatch):
    X, y = classes_in_plane()
    whole, _ = both(device, X, y)
    monkeypatch.setattr(training, "SHARE_OF_STATE", 0.1)
    # Room for the kernel values of two and a half classes.
    parts = train_on_gpu(
        rows_there(device, X, y), np.ones(4), parameters(cache_size=30**2 * 4 / 2**20 / 0.9)
    )
    assert np.array_equal(parts.start, whole.start)
    assert np.allclose(parts.coef, whole.coef, atol=1e-5)
    assert np.allclose(parts.intercept, whole.intercept, atol=1e-5)


def test_pairs_without_room_for_their_matrix_are_trained_by_working_sets(device, monkeypatch):
    X, y = classes_in_plane()
    whole, _ = both(device, X, y)
    monkeypatch.setattr(training, "SHARE_OF_STATE", 0.999)
    parts = train_on_gpu(rows_there(device, X, y), np.ones(4), parameters(cache_size=3e-3))
    values, expected = machine_values(parts, X), machine_values(whole, X)
    assert np.abs(values - expected).max() < 1e-2


def test_too_little_memory_is_told_before_it_is_taken(device):
    X, y = classes_in_plane()
    with pytest.raises(MemoryError, match=r"24 rows.*Raise cache_size"):
        train_on_gpu(rows_there(device, X, y), np.ones(4), parameters(cache_size=1e-4))


@pytest.mark.parametrize("most", [10, 14, 25, 60])
def test_tasks_have_every_machine_once_and_fit(most):
    sizes = np.array([5, 3, 2, 4, 5, 1, 3])
    pairs = class_pairs(7)
    tasks = list(tasks_of(pairs, np.arange(21), sizes, 4, 4 * most**2))
    assert np.array_equal(np.sort(np.concatenate([t.machines for t in tasks])), np.arange(21))
    for task in tasks:
        assert sizes[task.classes].sum() <= most
        assert np.isin(pairs[task.machines], task.classes).all()
