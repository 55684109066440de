"""Rows made ready for machines."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm._core import Rows, dense_rows, sparse_rows


class Query(NamedTuple):
    """Rows made ready for the compiled core, once for any number of calls."""

    rows: Rows
    n_rows: int


def core_rows(X: Any) -> Rows:
    """The rows of a validated dense or CSR matrix, as the compiled core takes them."""
    if not sparse.issparse(X):
        return dense_rows(np.ascontiguousarray(X))
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    # SciPy lets the two index arrays be of different widths.
    width = np.result_type(X.indices, X.indptr)
    return sparse_rows(
        np.ascontiguousarray(X.data),
        X.indices.astype(width, copy=False),
        X.indptr.astype(width, copy=False),
        X.shape[1],
    )


def group_by(keys: NDArray[Any]) -> list[tuple[int, NDArray[np.int64]]]:
    """Each distinct key with the places where it stands."""
    order = np.argsort(keys, kind="stable")
    distinct, first = np.unique(keys[order], return_index=True)
    return list(zip(distinct.tolist(), np.split(order, first[1:]), strict=True))
