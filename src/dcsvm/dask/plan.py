"""The plan of a fit: blocks of classes, tasks, and the memory that a worker needs at most."""

from __future__ import annotations

from heapq import heapreplace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.training.caching import WORTH_MEMORY, cache_megabytes

# What a worker takes before it holds any rows: Python, NumPy, SciPy, scikit-learn, Dask.
PROCESS = 240 * 10**6
# The part of a worker's memory that tasks may fill: Dask pauses a worker at 80 %, and rows that
# are on their way to and from other workers take a tenth.
USABLE = 0.7
# Copies of the rows of a partition while these are cut, and of a class while it is sorted.
COPIES_IN_SPLIT, COPIES_IN_SORT = 3, 6
# A row has a weight, a cost, a number and what the solver knows of it.
BYTES_OF_ROW = 80
# The compiled solver takes so many numbers in double precision; others are left to libsvm.
MOST_NUMBERS = 2**27
# In training the busiest thread may have so many times the work of the mean.
MOST_UNEVEN = 1.15
# The part of a task's memory that kernel values may take.
SHARE_OF_CACHE = 0.25


class Cluster(NamedTuple):
    """What tasks run on."""

    n_workers: int
    n_threads: int  # of a worker, at most
    memory: float  # of a worker, at least

    @property
    def memory_of_task(self) -> float:
        """What a task may take where every thread runs one."""
        return max(0.0, USABLE * self.memory - PROCESS) / self.n_threads


class Plan(NamedTuple):
    """How a fit is divided, and what it takes."""

    n_rows: int
    n_features: int
    n_classes: int
    cluster: Cluster
    edges: NDArray[np.int64]  # block b has the classes edges[b] … edges[b + 1] − 1
    n_splits: int  # runs of partitions that are cut together
    cache_size: float  # of a task, in MB
    data_bytes: int
    moved_bytes: int  # between workers, at most
    peak_bytes: int  # of a worker, without the model

    @property
    def n_blocks(self) -> int:
        """Blocks of classes."""
        return len(self.edges) - 1

    @property
    def n_tasks(self) -> int:
        """Tasks of the shuffle, of training and of the table."""
        b = self.n_blocks
        return self.n_splits * (1 + b) + b + b * (b + 1) // 2 + b

    def __str__(self) -> str:
        return (
            f"{self.n_rows:,} rows × {self.n_features:,} features in {self.n_classes:,} classes, "
            f"{_size(self.data_bytes)}; {self.n_blocks} blocks of classes, {self.n_tasks:,} tasks; "
            f"at most {_size(self.moved_bytes)} between {self.cluster.n_workers} workers, and "
            f"{_size(self.peak_bytes)} of the {_size(self.cluster.memory)} of each"
        )


def make_plan(
    n_rows_of_class: NDArray[np.int64],
    n_rows_of_part: NDArray[np.int64],
    n_features: int,
    itemsize: int,
    copies: int,
    cache_size: float | None,
    cluster: Cluster,
    names: list[Any],
) -> tuple[Plan, list[slice]]:
    """The plan, and the runs of partitions. `copies` of the rows are made before training."""
    memory = cluster.memory_of_task
    cache = SHARE_OF_CACHE * memory / 2**20
    if cache_size is not None or n_features < WORTH_MEMORY:
        cache = min(cache, cache_megabytes(cache_size) / cluster.n_threads)
    of_row = n_features * itemsize
    trained_row = n_features * (itemsize * copies + 8) + BYTES_OF_ROW
    most_rows = int(min((memory - cache * 2**20) / trained_row, MOST_NUMBERS / n_features)) // 2
    _check_pairs(n_rows_of_class, most_rows, trained_row, cluster, names)
    edges = _block_edges(n_rows_of_class, most_rows, _blocks_wanted(cluster))
    runs = _runs(n_rows_of_part, int(memory / (COPIES_IN_SPLIT * of_row + BYTES_OF_ROW)))
    of_block = np.add.reduceat(n_rows_of_class, edges[:-1])
    in_training = 2 * int(np.sort(of_block)[-2:].mean()) * trained_row + cache * 2**20
    in_sort = int(n_rows_of_class.max()) * (COPIES_IN_SORT * of_row + BYTES_OF_ROW)
    in_split = max(int(n_rows_of_part[run].sum()) for run in runs)
    in_split *= COPIES_IN_SPLIT * of_row + BYTES_OF_ROW
    n_rows, n_blocks = int(n_rows_of_class.sum()), len(edges) - 1
    data = n_rows * of_row
    visits = min(cluster.n_workers, n_blocks)
    peak = PROCESS + cluster.n_threads * max(in_training, in_sort, in_split)
    moved = data * (1 + visits) if cluster.n_workers > 1 else 0
    shape = n_rows, n_features, len(n_rows_of_class)
    return Plan(*shape, cluster, edges, len(runs), cache, data, moved, int(peak)), runs


def _check_pairs(
    n_rows: NDArray[np.int64], most: int, of_row: int, cluster: Cluster, names: list[Any]
) -> None:
    """Refuse two classes that do not fit into the memory of a task."""
    first, second = np.argsort(-n_rows, kind="stable")[:2].tolist()
    if max(n_rows) <= most:
        return
    needed = 2 * int(n_rows[first]) * of_row
    raise MemoryError(
        f"Classes {names[first]!r} and {names[second]!r}, with {n_rows[first]:,} and "
        f"{n_rows[second]:,} rows, need about {_size(needed)} to be trained, but a thread of a "
        f"worker has {_size(cluster.memory_of_task)}. Give workers more memory or fewer threads, "
        "or pass rows as float32."
    )


def _blocks_wanted(cluster: Cluster) -> int:
    """The fewest blocks whose tasks keep all threads busy, so that most machines share values.

    With B blocks there are B(B − 1)/2 tasks of two blocks, and B of half the work.
    """
    n_threads = cluster.n_workers * cluster.n_threads
    n_blocks = 0
    busiest, mean = 1.0, 0.0
    while busiest > MOST_UNEVEN * mean:
        n_blocks += 1
        work = [1.0] * (n_blocks * (n_blocks - 1) // 2) + [0.5] * n_blocks
        of_thread = [0.0] * n_threads
        for task in work:
            heapreplace(of_thread, of_thread[0] + task)
        busiest, mean = max(of_thread), sum(work) / n_threads
    return n_blocks


def _block_edges(n_rows: NDArray[np.int64], most: int, n_blocks: int) -> NDArray[np.int64]:
    """Blocks of neighbouring classes of about as many rows, at most so many."""
    left = int(n_rows.sum())
    n_blocks = max(n_blocks, -(-left // most))
    edges, in_block = [0], 0
    for c, n in enumerate(n_rows.tolist()):
        wanted = left / max(1, n_blocks - len(edges) + 1)
        if c > edges[-1] and (in_block + n > most or in_block + n / 2 > wanted):
            edges.append(c)
            left -= in_block
            in_block = 0
        in_block += n
    return np.array([*edges, len(n_rows)])


def _runs(n_rows: NDArray[np.int64], most: int) -> list[slice]:
    """Runs of partitions that together have at most so many rows, if none alone has more."""
    runs, begin, in_run = [], 0, 0
    for p, n in enumerate(n_rows.tolist()):
        if p > begin and in_run + n > most:
            runs.append(slice(begin, p))
            begin, in_run = p, 0
        in_run += n
    return [*runs, slice(begin, len(n_rows))]


def _size(n_bytes: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:,.0f} PB"
