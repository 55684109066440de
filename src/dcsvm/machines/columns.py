"""Wide sparse rows with the columns left out in which no support vector has an entry.

Texts have many thousands of columns, of which a few occur. A kernel with support vectors that are
zero in the others is a function of products of the rest, and of the norm of the whole row alone.
So one column more, with the norm of all that is left out, is enough to compute the same values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.data.scaling import Standardisation
from dcsvm.machines.interface import KernelExpansion

# Fewer columns are no trouble.
WIDE = 1024


def occurring_columns(X: Any) -> NDArray[np.int64] | None:
    """The columns of wide sparse rows that have entries, or None where most have."""
    return _if_few(np.unique(X.indices), X.shape[1]) if _is_wide(X) else None


def over_columns(X: Any, columns: NDArray[np.int64], width: int) -> Any:
    """Sparse rows that have entries in these columns alone, numbered by their place among them."""
    place = np.searchsorted(columns, X.indices)
    return sparse.csr_matrix((X.data, place, X.indptr), shape=(X.shape[0], width))


def _is_wide(X: Any) -> bool:
    return bool(sparse.issparse(X) and X.shape[1] >= WIDE)


def _if_few(columns: NDArray[Any], n_features: int) -> NDArray[np.int64] | None:
    return columns.astype(np.int64) if 2 * len(columns) < n_features else None


@dataclass(frozen=True)
class ChosenColumns:
    """Some columns of rows, and one with the norm of all others."""

    columns: NDArray[np.int64]
    scale: NDArray[np.float64] | None  # of each feature, if they are scaled

    @classmethod
    def of(cls, machines: KernelExpansion) -> ChosenColumns | None:
        """Those that machines need, or None where these need all."""
        if not machines.kernel.is_built_in or not _is_wide(machines.pool):
            return None
        columns = np.unique(machines.pool.indices)
        if machines.pair_scaling is not None:
            # All machines see the same norm of what is left out.
            scaled = np.flatnonzero((machines.pair_scaling.inverse_scale != 1.0).any(axis=0))
            columns = np.union1d(columns, scaled)
        few, shared = _if_few(columns, machines.pool.shape[1]), machines.shared_scaling
        if few is None:
            return None
        return cls(few, None if shared is None else shared.inverse_scale[0])

    @property
    def width(self) -> int:
        """How many numbers are left of a row."""
        return len(self.columns) + 1

    def of_rows(self, X: Any) -> Any:
        """The rows of X, as a CSR matrix; the norm is that of scaled features."""
        X = sparse.csr_matrix(X)
        place = np.searchsorted(self.columns, X.indices)
        is_kept = np.append(self.columns, -1)[place] == X.indices
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        left_out = X.data[~is_kept].astype(np.float64)
        if self.scale is not None:
            left_out = left_out * self.scale[X.indices[~is_kept]]
        norm = _norms(left_out, row[~is_kept], X.shape[0]).astype(X.dtype)
        n_kept = np.bincount(row[is_kept], minlength=X.shape[0])
        start = np.concatenate([[0], np.cumsum(n_kept + 1)])
        data, indices = np.empty(start[-1], X.dtype), np.empty(start[-1], np.int64)
        last = start[1:] - 1
        others = np.ones(len(data), dtype=bool)
        others[last] = False
        data[others], indices[others] = X.data[is_kept], place[is_kept]
        data[last], indices[last] = norm, len(self.columns)
        return sparse.csr_matrix((data, indices, start), shape=(X.shape[0], self.width))

    def of_machines(self, machines: KernelExpansion) -> KernelExpansion:
        """The machines over these columns."""
        return replace(
            machines,
            pool=over_columns(machines.pool, self.columns, self.width),
            shared_scaling=self._of_scaling(machines.shared_scaling),
            pair_scaling=self._of_scaling(machines.pair_scaling),
        )

    def _of_scaling(self, scaling: Standardisation | None) -> Standardisation | None:
        if scaling is None:
            return None
        chosen, ones = scaling.of_columns(self.columns), np.ones((len(scaling.centre), 1))
        return Standardisation(
            np.hstack([chosen.centre, 0 * ones]), np.hstack([chosen.inverse_scale, ones])
        )


def _norms(entries: NDArray[np.float64], row: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """The norms of rows with these entries, also where squares overflow or vanish."""
    largest = np.zeros(n)
    np.maximum.at(largest, row, np.abs(entries))
    unit = np.where(largest > 0, largest, 1.0)
    squares = np.bincount(row, weights=(entries / unit[row]) ** 2, minlength=n)
    return np.asarray(unit * np.sqrt(squares))
