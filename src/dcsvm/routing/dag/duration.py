"""How long a structure will take to grow along some rows.

With few classes, rows share most of their paths. With hundreds, nearly every row needs nodes of its
own, and the choice of a node's machine compares those of all pairs of its candidates. Some of the
rows are walked first; the time that they take tells that of all.
"""

from __future__ import annotations

import warnings
from time import monotonic
from typing import Any

import numpy as np

from dcsvm._util.user_line import level_of_user
from dcsvm.machines.interface import PairValues
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.walking import leaves

ROWS_TO_MEASURE = 64
# With fewer classes or rows it is never long.
FEWEST_CLASSES = 64
FEWEST_ROWS = 4 * ROWS_TO_MEASURE
# Rows that come later find more nodes grown. Measured on sets of 150 to 459 classes.
EXPONENT = 0.8
# Seconds from which on a warning is given.
LONG = 20.0


def warn_if_long(
    machines: PairValues, grower: Grower, X: Any, n_rows: int, n_jobs: int | None
) -> None:
    """Warn if to grow along `n_rows` rows takes long; X has some of them, drawn evenly."""
    begin = monotonic()
    leaves(machines, grower, X, n_jobs)
    seconds = (monotonic() - begin) * (n_rows / X.shape[0]) ** EXPONENT
    if seconds > LONG:
        warnings.warn(
            f"The decision structure will take about {seconds:.0f} s to grow along {n_rows} rows: "
            f"with {grower.dag.n_classes} classes nearly every row needs nodes of its own. "
            "shortlist='auto' needs no structure; a larger theta makes it smaller. What has "
            "grown is used by later rows.",
            UserWarning,
            level_of_user(),
        )


def may_be_long(grower: Grower, n_rows: int) -> bool:
    """Whether it is worth measuring."""
    return grower.dag.n_classes >= FEWEST_CLASSES and n_rows >= FEWEST_ROWS


def evenly(n_rows: int) -> Any:
    """Numbers of rows to measure with, evenly spaced."""
    return np.linspace(0, n_rows - 1, ROWS_TO_MEASURE).astype(np.int64)
