import numpy as np
import pytest
from tests.cuda.problems import classes_in_plane, rows_there
from tests.cuda.test_problems import parameters

from dcsvm.cuda import table
from dcsvm.cuda.evaluation import DeviceMachines
from dcsvm.cuda.table import build_table_on
from dcsvm.cuda.training import train_on_gpu
from dcsvm.data.rows import TrainingRows
from dcsvm.routing.left_out import values_to_keep
from dcsvm.table.building import build_table


@pytest.mark.parametrize(("at_once", "per_class"), [(10**6, 12), (30, 12), (5, 12), (8, 9)])
def test_the_table_is_that_of_the_host(device, monkeypatch, at_once, per_class):
    X, y = classes_in_plane(k=5, per_class=per_class)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    rows = rows_there(device, X, y, weight)
    machines = train_on_gpu(rows, np.ones(5), parameters(C=0.5))
    monkeypatch.setattr(table, "ROWS_OF_PART", 4)
    monkeypatch.setattr(table, "_rows_at_once", lambda *_: at_once)
    kept = values_to_keep(rows)
    there, signs = build_table_on(DeviceMachines(device, machines), rows, np.arange(5), True, kept)
    here_rows = TrainingRows(rows.matrix, rows.weight, rows.class_start)
    expected = values_to_keep(here_rows)
    here, expected_signs = build_table(machines, here_rows, np.arange(5), 1, True, expected)
    assert there.counts.dtype == here.counts.dtype
    assert np.array_equal(there.counts, here.counts)
    assert np.allclose(kept.values, expected.values, atol=1e-5)
    for name in ("low", "high", "spread"):
        assert np.allclose(getattr(there.values, name), getattr(here.values, name), atol=2e-3)
    assert np.array_equal(unpacked(signs), unpacked(expected_signs))


def unpacked(signs):
    bits = [np.unpackbits(s.signs, axis=1, bitorder="little")[:, : s.n_rows] for s in signs]
    return np.hstack(bits)


def test_more_classes_than_a_tile(device):
    X, y = classes_in_plane(k=35, per_class=3)
    rows = rows_there(device, X, y)
    machines = train_on_gpu(rows, np.ones(35), parameters())
    kept = values_to_keep(rows)
    there, _ = build_table_on(DeviceMachines(device, machines), rows, np.arange(35), False, kept)
    here_rows = TrainingRows(rows.matrix, rows.weight, rows.class_start)
    here, _ = build_table(machines, here_rows, np.arange(35), 1, False, values_to_keep(here_rows))
    assert np.array_equal(there.counts, here.counts)
