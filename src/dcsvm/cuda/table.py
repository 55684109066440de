"""The All-Predictions table on the GPU: all machines see all training rows, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.cuda.device import suffix
from dcsvm.cuda.evaluation import DeviceMachines
from dcsvm.cuda.rows import DeviceRows
from dcsvm.data.pairs import class_pairs, n_pairs
from dcsvm.machines.value_statistics import KeptValues, SignBlock
from dcsvm.table.building import SIGNS_BUDGET, TableEntries, count_type
from dcsvm.table.prediction_table import PredictionTable

# Rows of a class that a block of threads looks at, and its tile of classes.
ROWS_OF_PART, TILE, TILE_DEPTH = 256, 32, 8
# Bytes of what is seen of a part by a machine.
BYTES_OF_ENTRY = 40
SHARE_OF_ENTRIES = 0.15


class Seen(NamedTuple):
    """What machines make of rows, as `ValueStatistics`; shape (n_parts, n_machines)."""

    to_i: Any
    to_j: Any
    low: Any
    high: Any
    sum: Any
    squares: Any

    def joined(self, xp: Any, begins: NDArray[np.int64], run: slice) -> Seen:
        """Of each class in a run, whose parts are begins[c] : begins[c + 1], all parts as one."""
        edges = begins[run.start : run.stop + 1]
        if np.diff(edges).max() == 1:
            return Seen(*(numbers[edges[0] : edges[-1]] for numbers in self))
        how = {"low": "min", "high": "max"}
        return Seen(
            *(
                xp.stack(
                    [
                        getattr(numbers[a:b], how.get(name, "sum"))(axis=0)
                        for a, b in pairwise(edges.tolist())
                    ]
                )
                for name, numbers in self._asdict().items()
            )
        )


def build_table_on(
    machines: DeviceMachines,
    rows: DeviceRows,
    classes: NDArray[Any],
    want_signs: bool,
    kept: KeptValues,
) -> tuple[PredictionTable, list[SignBlock] | None]:
    """The table, the signs if wanted and few enough; some of the values go to `kept`."""
    k = rows.n_classes
    keep_signs = want_signs and n_pairs(k) * rows.n_rows <= 8 * SIGNS_BUDGET
    entries, signs = _Entries(rows), []
    for block in _runs_of_classes(rows, _rows_at_once(machines, rows)):
        products = machines.products(machines.queries(rows.matrix[block]))
        entries.add(block, machines, products)
        _keep(kept, block, machines, products)
        if keep_signs:
            signs.append(_signs(machines, products))
    return entries.table(classes), signs if keep_signs else None


def _rows_at_once(machines: DeviceMachines, rows: DeviceRows) -> int:
    """So many that products and entries fit into the memory."""
    of_parts = BYTES_OF_ENTRY * n_pairs(rows.n_classes)
    n_parts = max(1, int(SHARE_OF_ENTRIES * machines.device.free_bytes() / of_parts))
    mean_rows = max(1, rows.n_rows // rows.n_classes)
    return max(1, min(machines.rows_at_once(), n_parts * min(ROWS_OF_PART, mean_rows)))


def _runs_of_classes(rows: DeviceRows, at_once: int) -> Iterator[slice]:
    """Runs of whole classes, and pieces of classes that are larger than that."""
    begin = 0
    for c in range(rows.n_classes):
        of_class = rows.of_class(c)
        if of_class.stop - begin > at_once and of_class.start > begin:
            yield slice(begin, of_class.start)
            begin = of_class.start
        while of_class.stop - begin > at_once:
            yield slice(begin, begin + at_once)
            begin += at_once
    if begin < rows.n_rows:
        yield slice(begin, rows.n_rows)


class _Entries:
    """The entries of the table, class by class, on the host."""

    def __init__(self, rows: DeviceRows) -> None:
        self.rows, self.device = rows, rows.device
        k, n = rows.n_classes, n_pairs(rows.n_classes)
        self.counts = np.empty((k, n, 2), dtype=count_type(rows))
        self.low, self.high, self.spread = (np.empty((k, n), dtype=np.float16) for _ in range(3))
        self.pieces: list[Seen] = []  # of the class that is being looked at

    def add(self, block: slice, machines: DeviceMachines, products: Any) -> None:
        """Look at the products of some rows."""
        start = self.rows.class_start
        first = int(np.searchsorted(start, block.start, side="right")) - 1
        last = int(np.searchsorted(start, block.stop, side="left"))
        edges, parts = [0], []
        for c in range(first, last):
            begin, end = max(int(start[c]), block.start), min(int(start[c + 1]), block.stop)
            n_parts = -(-(end - begin) // ROWS_OF_PART)
            cuts = begin - block.start + (end - begin) * np.arange(1, n_parts + 1) // n_parts
            edges += cuts.tolist()
            parts.append(n_parts)
        seen = _observe(machines, products, edges, self.rows.weight_there[block])
        xp, begins = self.device.xp, np.cumsum([0, *parts])
        seen_of_class = np.diff(np.clip(start[first : last + 1], block.start, block.stop))
        whole = np.flatnonzero(seen_of_class == np.diff(start[first : last + 1]))
        run = slice(int(whole[0]), int(whole[-1]) + 1) if len(whole) else slice(0, 0)
        if len(whole):
            self._write(slice(first + run.start, first + run.stop), seen.joined(xp, begins, run))
        for t in [*range(run.start), *range(run.stop, last - first)]:
            piece = seen.joined(xp, begins, slice(t, t + 1))
            if self.pieces:
                both = zip(self.pieces.pop(), piece, strict=True)
                piece = Seen(*map(xp.concatenate, both)).joined(xp, np.array([0, 2]), slice(0, 1))
            if start[first + t + 1] <= block.stop:
                self._write(slice(first + t, first + t + 1), piece)
            else:
                self.pieces.append(piece)

    def _write(self, classes: slice, seen: Seen) -> None:
        """Write what has been seen of all rows of some classes."""
        xp, to_host = self.device.xp, self.device.to_host
        sizes = np.diff(self.rows.class_start[classes.start : classes.stop + 1])[:, np.newaxis]
        n_rows = self.device.array(sizes.astype(np.float64))
        counts = xp.stack([seen.to_i, seen.to_j], axis=-1).astype(self.counts.dtype)
        self.counts[classes] = to_host(counts)
        variance = (seen.squares - seen.sum**2 / n_rows) / xp.maximum(n_rows - 1, 1)
        with np.errstate(over="ignore"):  # beyond half precision is infinite, and never reached
            self.low[classes] = to_host(seen.low.astype(np.float16))
            self.high[classes] = to_host(seen.high.astype(np.float16))
            deviation = xp.sqrt(xp.maximum(variance, 0.0))
            self.spread[classes] = to_host(deviation.astype(np.float16))

    def table(self, classes: NDArray[Any]) -> PredictionTable:
        """The table of all classes."""
        n_rows = np.diff(self.rows.class_start)
        return TableEntries(self.counts, self.low, self.high, self.spread, n_rows).table(classes)


def _observe(machines: DeviceMachines, products: Any, edges: list[int], weight: Any) -> Seen:
    device, k = machines.device, products.shape[0]
    xp, n_parts, n_machines = device.xp, len(edges) - 1, n_pairs(k)
    shape = (n_parts, n_machines)
    seen = Seen(
        xp.empty(shape),
        xp.empty(shape),
        xp.empty(shape, dtype=np.float32),
        xp.empty(shape, dtype=np.float32),
        xp.empty(shape),
        xp.empty(shape),
    )
    n_tiles = -(-k // TILE)
    tiles = np.argwhere(np.triu(np.ones((n_tiles, n_tiles), dtype=bool)))
    device.launch(
        f"observe_{suffix(products.dtype)}",
        (len(tiles), n_parts),
        (TILE, TILE_DEPTH),
        products,
        np.int64(products.shape[1]),
        np.int64(k),
        machines.intercept,
        device.array(tiles, np.int32),
        device.array(edges, np.int64),
        weight,
        np.int64(n_machines),
        *seen,
    )
    return seen


def _keep(kept: KeptValues, block: slice, machines: DeviceMachines, products: Any) -> None:
    """Take the values that are wanted."""
    first, last = np.searchsorted(kept.rows, [block.start, block.stop])
    if first == last:
        return
    device = machines.device
    i, j = (device.array(c)[:, np.newaxis] for c in class_pairs(products.shape[0])[kept.machine].T)
    rows = device.array(kept.rows[first:last] - block.start)[np.newaxis]
    moved = machines.intercept[device.array(kept.machine)][:, np.newaxis]
    values = products[i, rows, j].astype(np.float64) + products[j, rows, i] + moved
    kept.values[:, first:last] = device.to_host(values)


def _signs(machines: DeviceMachines, products: Any) -> SignBlock:
    device, (k, n_rows, _) = machines.device, products.shape
    n_machines, n_bytes = n_pairs(k), -(-n_rows // 8)
    signs = device.xp.empty((n_machines, n_bytes), dtype=np.uint8)
    block = 256
    device.launch(
        f"pack_signs_{suffix(products.dtype)}",
        (-(-n_machines // block), n_bytes),
        (block,),
        products,
        np.int64(n_rows),
        np.int64(k),
        machines.intercept,
        device.array(class_pairs(k)),
        np.int64(n_machines),
        signs,
    )
    return SignBlock(n_rows, device.to_host(signs))
