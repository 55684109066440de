"""How the All-Predictions table is built: all machines look at all training rows, in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.batches import slices
from dcsvm._util.threads import n_threads, run_short
from dcsvm.data.pairs import n_pairs
from dcsvm.data.rows import TrainingRows
from dcsvm.machines.interface import Observer
from dcsvm.machines.value_statistics import SignBlock, ValueStatistics
from dcsvm.table.prediction_table import PredictionTable, TableValues

# Bytes of what is seen in blocks that have yet to be added up.
SEEN_AT_ONCE = 2**29

# Bytes of signs to keep for growing the decision structure, a bit per row and machine.
SIGNS_BUDGET = 2**27


def build_table(
    machines: Observer, rows: TrainingRows, classes: NDArray[Any], n_jobs: int | None
) -> tuple[PredictionTable, list[SignBlock] | None]:
    """Let every machine predict every training row; also the signs, if few enough."""
    k, n_machines = rows.n_classes, n_pairs(rows.n_classes)
    keep_signs = n_machines * rows.n_rows <= 8 * SIGNS_BUDGET
    at_once = machines.rows_per_call

    def observe(block: slice) -> ValueStatistics:
        edges = np.clip(rows.class_start[_classes_of(rows, block)], block.start, block.stop)
        X, weight = rows.take(block), rows.weight[block]
        return machines.observe(X, weight, edges - block.start, keep_signs)

    counts = np.zeros((k, n_machines, 2), dtype=_count_type(rows))
    low, high, spread = (np.empty((k, n_machines), dtype=np.float16) for _ in range(3))
    signs: list[SignBlock] = []
    under_way = _Values(n_machines)
    # Added up in the order of the blocks, so that sums of fractions do not depend on threads.
    bytes_of_block = 40 * n_machines * (2 + at_once * k // rows.n_rows)
    together = n_threads(n_jobs) * max(1, min(4, SEEN_AT_ONCE // bytes_of_block))
    blocks = list(slices(rows.n_rows, at_once))
    for group in slices(len(blocks), together):
        wave = blocks[group]
        for block, seen in zip(wave, run_short(observe, wave, n_jobs), strict=True):
            for part, c in enumerate(_classes_of(rows, block)[:-1].tolist()):
                counts[c, :, 0] += seen.to_i[part].astype(counts.dtype)
                counts[c, :, 1] += seen.to_j[part].astype(counts.dtype)
                under_way.add(seen, part)
                if rows.class_start[c + 1] <= block.stop:
                    n_rows = rows.class_start[c + 1] - rows.class_start[c]
                    low[c], high[c], spread[c] = under_way.end(int(n_rows))
            if seen.signs is not None:
                signs.append(SignBlock(block.stop - block.start, seen.signs))
    values = TableValues(low.T, high.T, spread.T, np.diff(rows.class_start))
    table = PredictionTable(classes, counts.transpose(1, 0, 2), values)
    return table, signs if keep_signs else None


class _Values:
    """The values of all machines at the rows of the class that is being looked at."""

    def __init__(self, n_machines: int) -> None:
        self.seen = ValueStatistics.empty(1, n_machines, None)

    def add(self, seen: ValueStatistics, part: int) -> None:
        so_far = self.seen
        np.minimum(so_far.low[0], seen.low[part], out=so_far.low[0])
        np.maximum(so_far.high[0], seen.high[part], out=so_far.high[0])
        so_far.sum[0] += seen.sum[part]
        so_far.squares[0] += seen.squares[part]

    def end(self, n_rows: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Lowest, highest and standard deviation; and make ready for the next class."""
        seen = self.seen
        self.seen = ValueStatistics.empty(1, seen.low.shape[1], None)
        variance = (seen.squares[0] - seen.sum[0] ** 2 / n_rows) / max(n_rows - 1, 1)
        with np.errstate(over="ignore"):  # beyond half precision is infinite, and never reached
            spread = np.sqrt(np.maximum(variance, 0.0)).astype(np.float16)
            return seen.low[0].astype(np.float16), seen.high[0].astype(np.float16), spread


def _count_type(rows: TrainingRows) -> Any:
    """The smallest type that holds the counts exactly."""
    if (rows.weight != np.floor(rows.weight)).any():
        return np.float64
    largest = np.add.reduceat(rows.weight, rows.class_start[:-1]).max()
    whole = (np.uint8, np.uint16, np.uint32)
    return next((t for t in whole if largest <= np.iinfo(t).max), np.float64)


def _classes_of(rows: TrainingRows, block: slice) -> NDArray[np.int64]:
    """The classes of some rows, and the one after them."""
    first = np.searchsorted(rows.class_start, block.start, side="right") - 1
    last = np.searchsorted(rows.class_start, block.stop, side="left")
    return np.arange(first, last + 1)
