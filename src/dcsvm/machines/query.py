"""Rows made ready to be asked about."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import Rows


class Query(NamedTuple):
    """Rows made ready for the machines, once for any number of calls."""

    X: Any
    rows: Rows | None  # None where the kernel is not compiled

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.X.shape[0])


def group_by(keys: NDArray[Any]) -> list[tuple[int, NDArray[np.int64]]]:
    """Each distinct key with the places where it stands."""
    order = np.argsort(keys, kind="stable")
    distinct, first = np.unique(keys[order], return_index=True)
    return list(zip(distinct.tolist(), np.split(order, first[1:]), strict=True))
