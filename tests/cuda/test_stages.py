import numpy as np
import pytest
from scipy import sparse
from tests.cuda.problems import classes_in_plane, rows_there

from dcsvm.cuda.device import Device
from dcsvm.cuda.stages import StagesOnGPU, rows_on


def test_sparse_rows_get_their_zeros_where_there_is_room(device):
    X, y = classes_in_plane()
    X[X < 0] = 0
    rows = rows_on(device, sparse.csr_matrix(X), y, None, 4)
    assert np.array_equal(rows.matrix, rows_there(device, X, y).matrix)
    small = Device(np, device.call, np.asarray, device.shared_bytes, lambda: 1000)
    with pytest.raises(MemoryError, match=r"48 rows of 3 features .* room for 16 of them"):
        rows_on(small, sparse.csr_matrix(X), y, None, 4)


def test_rows_that_are_asked_for_are_there(device):
    X, y = classes_in_plane()
    rows = rows_there(device, X, y)
    assert StagesOnGPU().in_memory(rows) is rows
