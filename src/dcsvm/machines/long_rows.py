"""Rows that are too long for the precision of an engine, which refuses them.

They are evaluated by another engine, in double precision, and the rest as always: what a row gets
does not depend on the rows beside it. Ordinary rows cost nothing by that.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import RowTooLongError
from dcsvm.machines.compiled import Engine, UnlimitedEngine
from dcsvm.machines.query import Query

Places = slice | NDArray[np.int64]


def by_runs(
    engine: Engine,
    unlimited: Callable[[], UnlimitedEngine],
    query: Query,
    begin: int,
    end: int,
    evaluate: Callable[[Engine, int, int], None],
) -> None:
    """`evaluate(engine, begin, end)`, or the same for runs of rows with the engine they need."""
    try:
        evaluate(engine, begin, end)
    except RowTooLongError:
        is_long = long_rows(engine, unlimited(), query)[begin:end]
        edges = begin + np.flatnonzero(np.diff(is_long)) + 1
        for first, last in zip([begin, *edges.tolist()], [*edges.tolist(), end], strict=True):
            needed = unlimited().engine if is_long[first - begin] else engine
            evaluate(needed, first, last)


def by_precision(
    engine: Engine,
    unlimited: Callable[[], UnlimitedEngine],
    query: Query,
    row: NDArray[np.int64],
    evaluate: Callable[[Engine, Places], None],
) -> None:
    """`evaluate(engine, which)` for the places `which` in `row`, with the engine they need."""
    try:
        evaluate(engine, slice(None))
    except RowTooLongError:
        is_long = long_rows(engine, unlimited(), query)[row]
        evaluate(engine, np.flatnonzero(~is_long))
        evaluate(unlimited().engine, np.flatnonzero(is_long))


def long_rows(engine: Engine, unlimited: UnlimitedEngine, query: Query) -> NDArray[np.bool_]:
    """Which rows the engine refuses; a warning says so if even the other one cannot do them."""
    is_long = np.empty(query.n_rows, dtype=bool)
    unlimited.engine.mark_longer(query.rows, unlimited.norm_limit, is_long)
    if is_long.any():
        warnings.warn(
            f"{is_long.sum()} rows are so far from the training rows that the values of the kernel "
            "overflow there: their classes mean little. Check the units of the features.",
            RuntimeWarning,
            stacklevel=2,
        )
    engine.mark_longer(query.rows, engine.norm_limit, is_long)
    return is_long
