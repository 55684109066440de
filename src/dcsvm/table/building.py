"""How the All-Predictions table is built: all machines see all training rows, class by class."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.batches import slices
from dcsvm._util.threads import n_threads, run_short
from dcsvm.data.pairs import n_pairs
from dcsvm.data.rows import TrainingRows
from dcsvm.machines.interface import Observer
from dcsvm.machines.value_statistics import (
    ClassEntries,
    KeptPart,
    KeptValues,
    SignBlock,
    ValueStatistics,
)
from dcsvm.table.prediction_table import PredictionTable, TableValues

# Bytes of what is seen of parts of classes that have yet to be added up, and of each machine.
SEEN_AT_ONCE = 2**29
BYTES_OF_ENTRY = 40

# Bytes of signs to keep for growing the decision structure, a bit per row and machine.
SIGNS_BUDGET = 2**27


def build_table(
    machines: Observer,
    rows: TrainingRows,
    classes: NDArray[Any],
    n_jobs: int | None,
    want_signs: bool = True,
    kept: KeptValues | None = None,
) -> tuple[PredictionTable, list[SignBlock] | None]:
    """Let every machine predict every training row; also the signs, if wanted and few enough.

    Some of the values go to `kept`.
    """
    keep_signs = want_signs and n_pairs(rows.n_classes) * rows.n_rows <= 8 * SIGNS_BUDGET
    entries, signs = observe_classes(machines, rows, n_jobs, keep_signs, kept)
    return entries.table(classes), signs if keep_signs else None


def observe_classes(
    machines: Observer,
    rows: TrainingRows,
    n_jobs: int | None,
    keep_signs: bool = False,
    kept: KeptValues | None = None,
) -> tuple[TableEntries, list[SignBlock]]:
    """The entries of the table for the classes of these rows, which may be some of all classes."""
    n_machines = n_pairs(machines.n_classes)
    columns = np.empty(0, dtype=np.int32) if kept is None else kept.columns(n_machines)
    entries = _empty(rows.n_classes, n_machines, count_type(rows))
    pieces: list[ValueStatistics] = []  # of the class that is being looked at

    def observe(call: slice) -> tuple[SignBlock | None, ValueStatistics | None]:
        of_call = _classes_of(rows, call)
        edges = np.clip(rows.class_start[of_call], call.start, call.stop) - call.start
        keep = KeptPart(columns, kept.places(call), kept.values) if kept is not None else None
        seen, shown = None, (rows.take(call), rows.weight[call], edges)
        if edges[-1] < np.diff(rows.class_start[of_call]).sum():  # a piece of a class
            seen = machines.observe(*shown, keep_signs, keep)
            signs = seen.signs
        else:
            of_classes = entries.of(slice(of_call[0], of_call[-1]))
            signs = machines.observe_classes(*shown, of_classes, keep_signs, keep)
        return None if signs is None else SignBlock(call.stop - call.start, signs), seen

    signs: list[SignBlock] = []
    calls = _calls(rows, machines.rows_per_call)
    together = n_threads(n_jobs) * max(1, min(4, SEEN_AT_ONCE // (BYTES_OF_ENTRY * n_machines)))
    for group in slices(len(calls), together):
        wave = calls[group]
        # Added up in the order of the rows, so that sums of fractions do not depend on threads.
        for call, (of_call, seen) in zip(wave, run_short(observe, wave, n_jobs), strict=True):
            if of_call is not None:
                signs.append(of_call)
            if seen is None:
                continue
            pieces.append(pieces.pop().plus(seen) if pieces else seen)
            c = int(_classes_of(rows, call)[0])
            if call.stop == rows.class_start[c + 1]:
                entries.write(c, pieces.pop(), 0, int(call.stop - rows.class_start[c]))
    return TableEntries(*entries, np.diff(rows.class_start)), signs


def _calls(rows: TrainingRows, most_rows: int) -> list[slice]:
    """Cut the rows into runs of whole classes, and classes that are too large into pieces."""
    calls: list[slice] = []
    is_open = False  # whether classes may be added to the last call
    for begin, end in pairwise(rows.class_start.tolist()):
        if end - begin > most_rows:
            n_pieces = -(-(end - begin) // most_rows)
            edges = begin + (end - begin) * np.arange(n_pieces + 1) // n_pieces
            calls += [slice(a, b) for a, b in pairwise(edges.tolist())]
            is_open = False
        elif is_open and end - calls[-1].start <= most_rows:
            calls[-1] = slice(calls[-1].start, end)
        else:
            calls.append(slice(begin, end))
            is_open = True
    return calls


class TableEntries(NamedTuple):
    """The entries of some classes; but for the last, shape (n_classes, n_machines, …)."""

    counts: NDArray[Any]
    low: NDArray[np.float16]
    high: NDArray[np.float16]
    spread: NDArray[np.float16]
    n_rows: NDArray[np.int64]

    @classmethod
    def joined(cls, parts: Iterable[TableEntries]) -> TableEntries:
        """Those of some classes, and of the next ones."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def table(self, classes: NDArray[Any]) -> PredictionTable:
        """The table of these classes, if they are all."""
        values = TableValues(self.low.T, self.high.T, self.spread.T, self.n_rows)
        return PredictionTable(classes, self.counts.transpose(1, 0, 2), values)


def _empty(n_classes: int, n_machines: int, count_type: Any) -> ClassEntries:
    shape = (n_classes, n_machines)
    low, high, spread = (np.empty(shape, dtype=np.float16) for _ in range(3))
    return ClassEntries(np.empty((*shape, 2), dtype=count_type), low, high, spread)


def count_type(rows: TrainingRows) -> Any:
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
