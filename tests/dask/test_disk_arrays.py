import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from dask.sizeof import sizeof

from dcsvm.dask import disk_arrays
from dcsvm.dask.disk_arrays import DiskArray, read_together


@pytest.mark.parametrize("shape", [(7,), (7, 3), (0, 3), (0,)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_what_is_read_is_what_was_written(shape, dtype):
    array = np.arange(np.prod(shape), dtype=dtype).reshape(shape)
    on_disk = DiskArray.of(array)
    assert len(on_disk) == shape[0]
    for found in (on_disk.read(), pickle.loads(pickle.dumps(on_disk)).read()):
        assert np.array_equal(found, array)
        assert found.dtype == dtype
    if shape[0]:
        assert np.array_equal(on_disk.read(2, 5), array[2:5])


def test_parts_are_where_they_were():
    array = np.arange(24.0).reshape(8, 3)
    part = DiskArray.of(array).part(2, 7)
    assert np.array_equal(part.part(1, 3).read(), array[3:5])
    assert np.array_equal(pickle.loads(pickle.dumps(part)).read(), array[2:7])
    assert np.array_equal(read_together([part, part]), np.vstack([array[2:7]] * 2))


def test_rows_are_written_to_their_places():
    on_disk = DiskArray.empty(np.float64, (6, 2))
    columns = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    on_disk.write(3, columns)
    on_disk.write(0, columns[:, ::-1])
    assert np.array_equal(on_disk.read(), np.vstack([columns[:, ::-1], columns]))


def test_its_size_for_dask_is_that_of_the_array():
    assert sizeof(DiskArray.of(np.zeros((1000, 10)))) >= 80_000


def test_files_go_with_their_arrays(monkeypatch):
    monkeypatch.setattr(disk_arrays, "MOST_IN_FILE", 1000)
    folder = Path("/proc/self/fd")
    if not folder.is_dir():
        pytest.skip("no /proc")
    before = len([*folder.iterdir()])
    arrays = [DiskArray.of(np.full(100, float(t))) for t in range(20)]
    assert len([*folder.iterdir()]) >= before + 19
    assert all((array.read() == t).all() for t, array in enumerate(arrays))
    del arrays
    assert len([*folder.iterdir()]) <= before + 1


def test_threads_may_share_a_file():
    arrays = [DiskArray.of(np.full((50, 40), float(t))) for t in range(40)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(DiskArray.read, arrays * 5))
    assert all((rows == t % 40).all() for t, rows in enumerate(found))
