"""How far beyond its class a value of a row lies, measured on training rows left out.

A machine is not trained on the rows of a third class, so that a row of such a class tells where
further rows will lie: leave it out, and its value v lies, in units of the deviation s̃ that the
others have,

    max(v − high, low − v) / s̃

beyond their range. As n values reach about e_n deviations from their mean, this plus e_n is the
reach of v. The reaches of many rows on many machines are pooled: the share of them that is above
some reach is the chance of a further value to be beyond it. See plausibility.py for s̃ and e_n.

Rows differ more than machines do, so that a share of a few of the pooled values is not reliable.
Beyond `FEWEST_BEYOND` of them the tail is taken as exponential.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import reaches
from dcsvm._util.batches import slices
from dcsvm._util.threads import even_slices, run_short, threads_worth
from dcsvm.data.pairs import class_pairs, n_pairs
from dcsvm.data.rows import TrainingRows
from dcsvm.machines.value_statistics import KeptValues
from dcsvm.routing.plausibility import POOLED_ROWS, expected_maximum
from dcsvm.table.prediction_table import TableValues, Tail

# Rows that are left out, and about how many pairs of a row and a machine are looked at.
MOST_ROWS = 2**13
PAIRS_TO_POOL = 2**19
# The work to compute a reach, in multiplications.
WORK_OF_REACH = 30
# Fewer pooled values tell nothing.
FEWEST_POOLED = 64
# The pooled values from which the end of the tail is estimated, and those within which a share is
# read off.
OF_TAIL, FEWEST_BEYOND = 300, 30
# How many quantiles are kept for each factor of ten.
KEPT_PER_DECADE = 25


def values_to_keep(rows: TrainingRows) -> KeptValues:
    """Room for the values of rows left out, to be filled while the table is built."""
    k = rows.n_classes
    chosen = np.concatenate([_evenly(rows.of_class(c), max(2, MOST_ROWS // k)) for c in range(k)])
    machine = _evenly(slice(0, n_pairs(k)), max(1, PAIRS_TO_POOL // len(chosen)))
    return KeptValues.of(machine, chosen)


def keep_values(kept: KeptValues, machines: Any, rows: TrainingRows) -> None:
    """Fill the room, where the table is built of rows that are elsewhere."""
    query = machines.prepare(rows.take(kept.rows))
    for block in slices(len(kept.rows), machines.rows_per_call):
        values = machines.all_values(query, block.start, block.stop)
        kept.values[:, block] = values[:, kept.machine].T


def left_out_tail(
    rows: TrainingRows, kept: KeptValues, values: TableValues, n_jobs: int | None = None
) -> Tail | None:
    """The pooled reaches of rows left out, or None where there are too few."""
    k = rows.n_classes
    edges = np.searchsorted(kept.rows, rows.class_start)
    n_chosen = np.diff(edges)
    spread = np.ascontiguousarray(values.spread[kept.machine].T)
    of_classes = partial(
        reaches,
        values=kept.values,
        edges=edges,
        pairs=class_pairs(k)[kept.machine],
        variance=np.square(spread, dtype=np.float64),
        freedom=(values.n_rows - 1).astype(np.float64),
        reached=expected_maximum(np.maximum(n_chosen - 1, 1)),
        pooled_rows=POOLED_ROWS,
    )
    threads = threads_worth(WORK_OF_REACH * kept.values.size, n_jobs)
    pooled = run_short(
        lambda part: of_classes(begin=part.start, end=part.stop),
        even_slices(k, k, threads),
        threads,
    )
    every = np.concatenate(pooled)
    return None if len(every) < FEWEST_POOLED else _tail_of(every)


def _tail_of(pooled: NDArray[np.float64]) -> Tail:
    """Quantiles of the pooled reaches, and the mean excess at their end."""
    pooled = np.sort(pooled)
    n = len(pooled)
    decades = np.log10(n / FEWEST_BEYOND)
    shares = 10.0 ** -np.linspace(0, decades, 1 + int(KEPT_PER_DECADE * decades))
    end = pooled[-min(n, OF_TAIL) :]
    return Tail(shares, pooled[(n * (1 - shares)).astype(int)], float(end.mean() - end[0]))


def _evenly(part: slice, most: int) -> NDArray[np.int64]:
    """At most so many numbers of a range, evenly spaced."""
    n = part.stop - part.start
    return np.asarray(part.start + np.linspace(0, n - 1, min(most, n)).astype(np.int64))
