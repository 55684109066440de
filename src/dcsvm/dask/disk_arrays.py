"""Arrays on disk that travel between processes as arrays.

A worker holds many more rows than it has memory for. They wait in files of their own process that
have no name any more: the system frees them when the process ends, however it ends. What is
pickled is the contents, and what is unpickled lies on the disk of the process that it comes to.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Sequence
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import dask

# Arrays share files, so that few are open; a file is gone with the last of its arrays.
MOST_IN_FILE = 2**26


class _File:
    """A file without a name."""

    def __init__(self) -> None:
        folder = dask.config.get("temporary-directory")
        self.raw = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        self.lock = threading.Lock()
        self.end = 0

    def write(self, begin: int, numbers: NDArray[Any]) -> None:
        left = _bytes_of(numbers)
        with self.lock:
            self.raw.seek(begin)
            while len(left):
                left = left[self.raw.write(left) :]

    def read(self, begin: int, numbers: NDArray[Any]) -> None:
        left = _bytes_of(numbers)
        with self.lock:
            self.raw.seek(begin)
            while len(left):
                n_bytes = self.raw.readinto(left)
                if not n_bytes:
                    raise OSError("A temporary file has been cut off.")
                left = left[n_bytes:]

    def __del__(self) -> None:
        self.raw.close()


def _bytes_of(numbers: NDArray[Any]) -> memoryview:
    whole: Any = numbers.reshape(-1).view(np.uint8)
    return memoryview(whole)


class _Room:
    """Where the next array goes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.file: _File | None = None

    def take(self, n_bytes: int) -> tuple[_File, int]:
        with self.lock:
            if self.file is None or self.file.end + n_bytes > MOST_IN_FILE:
                self.file = _File()
            begin = self.file.end
            self.file.end += n_bytes
            return self.file, begin


_room = _Room()


class DiskArray:
    """An array on disk: rows of it can be read, and written once."""

    def __init__(self, file: Any, begin: int, dtype: Any, shape: tuple[int, ...]) -> None:
        self.file, self.begin = file, begin
        self.dtype, self.shape = np.dtype(dtype), shape

    @classmethod
    def empty(cls, dtype: Any, shape: tuple[int, ...]) -> Self:
        """Room for an array of this shape."""
        return cls(*_room.take(np.dtype(dtype).itemsize * prod(shape)), dtype, shape)

    @classmethod
    def of(cls, array: NDArray[Any]) -> Self:
        """An array that is in memory."""
        stored = cls.empty(array.dtype, array.shape)
        stored.write(0, array)
        return stored

    @property
    def nbytes(self) -> int:
        """How much room it takes."""
        return self._row_bytes * len(self)

    @property
    def _row_bytes(self) -> int:
        return int(self.dtype.itemsize) * prod(self.shape[1:])

    def __len__(self) -> int:
        """How many rows it has."""
        return self.shape[0]

    def write(self, row: int, rows: NDArray[Any]) -> None:
        """Write rows, the first of them to place `row`."""
        rows = np.ascontiguousarray(rows, dtype=self.dtype)
        if rows.size:
            self.file.write(self.begin + row * self._row_bytes, rows)

    def read(self, begin: int = 0, end: int | None = None) -> NDArray[Any]:
        """Some of the rows."""
        end = len(self) if end is None else end
        out = np.empty((end - begin, *self.shape[1:]), dtype=self.dtype)
        self.read_into(out, begin)
        return out

    def read_into(self, out: NDArray[Any], begin: int = 0) -> None:
        """Fill an array with the rows from `begin` on."""
        if out.size:
            self.file.read(self.begin + begin * self._row_bytes, out)

    def part(self, begin: int, end: int) -> DiskArray:
        """Some of the rows, where they are."""
        shape = (end - begin, *self.shape[1:])
        return DiskArray(self.file, self.begin + begin * self._row_bytes, self.dtype, shape)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return DiskArray.of, (self.read(),)

    def __sizeof__(self) -> int:
        return self.nbytes


def read_together(arrays: Sequence[DiskArray]) -> NDArray[Any]:
    """The rows of the first, then of the next ones."""
    out = np.empty((sum(map(len, arrays)), *arrays[0].shape[1:]), dtype=arrays[0].dtype)
    begin = 0
    for array in arrays:
        array.read_into(out[begin : begin + len(array)])
        begin += len(array)
    return out
