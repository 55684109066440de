"""How much memory kernel values take during training.

Those within a class serve all its machines, and are kept for the whole of training. Those between
the classes of a machine are cached while it is trained, by every thread for a machine of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.memory import free_memory

# MB: more than any machine has, and what cache_size=None takes where no more would pay.
LARGEST_CACHE, USUAL_CACHE = 2.0**40, 200.0
# With cache_size=None at most this share of the free memory is taken.
SHARE_OF_FREE = 0.5
# So little is taken without a look at the free memory, which takes as long as a small fit.
LITTLE = 2**24
# To compute a value again from fewer features takes no longer than to write it to memory that has
# not been used before.
WORTH_MEMORY = 100
# The core divides what a machine has among four parts of its matrix; two of them are largest.
PARTS = 4


class CacheBytes(NamedTuple):
    """Bytes for kernel values."""

    shared: int  # within classes
    of_thread: int  # of the machine that a thread trains


def cache_megabytes(cache_size: float | None) -> float:
    """The parameter `cache_size` as a number, where it is not known what for."""
    return USUAL_CACHE if cache_size is None else min(cache_size, LARGEST_CACHE)


def cache_bytes(
    cache_size: float | None,
    n_rows: NDArray[np.int64],
    n_features: int,
    itemsize: int,
    n_threads: int,
) -> CacheBytes:
    """The bytes for classes of so many rows; with None, what they need and memory allows."""
    given = int(cache_megabytes(cache_size) * 2**20)
    if cache_size is not None:
        return _halves(given, n_threads)
    within = itemsize * _padded(n_rows)
    between = itemsize * PARTS * _padded(np.sort(n_rows)[-2:]) * n_threads
    if within + between <= LITTLE:
        return _halves(given, n_threads)
    free = free_memory()
    most = given if free is None else int(SHARE_OF_FREE * free)
    if n_features < WORTH_MEMORY or within + between <= min(given, most):
        return _halves(min(given, most), n_threads)
    taken = min(within + between, most)
    shared = min(within, max(taken // 2, taken - between))
    return CacheBytes(shared, (taken - shared) // n_threads)


def _halves(given: int, n_threads: int) -> CacheBytes:
    return CacheBytes(given // 2, given // 2 // n_threads)


def _padded(n_rows: NDArray[np.int64]) -> int:
    """Values within classes of so many rows, each row padded to whole vectors."""
    return int((n_rows * (n_rows + 16)).sum())
