"""Rows kept of a stream: a uniform draw from all that came by, of each class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.data.rows import TrainingRows, canonical_rows


class KeptRows(NamedTuple):
    """Some rows of each class, and how many there were."""

    X: Any  # dense or CSR
    codes: NDArray[np.int64]
    weight: NDArray[np.float64]
    n_seen: NDArray[np.int64]  # of each class

    def training_rows(self) -> TrainingRows:
        """In canonical order. Every class must have a row."""
        return canonical_rows(self.X, self.codes, self.weight, len(self.n_seen))


def keep_rows(
    known: KeptRows | None,
    X: Any,
    codes: NDArray[np.int64],
    weight: NDArray[np.float64],
    n_classes: int,
    most: int,
    random_state: np.random.RandomState,
) -> KeptRows:
    """Keep at most `most` rows of each class: of all seen so far, each with the same chance.

    Row t of a class takes the place of a kept one with a chance of most / t (Vitter, "Random
    sampling with a reservoir", 1985). Rows of weight 0 do not count.
    """
    n_seen = np.zeros(n_classes, dtype=np.int64) if known is None else known.n_seen.copy()
    n_known = 0 if known is None else len(known.codes)
    old = np.empty(0, dtype=np.int64) if known is None else known.codes
    places = []
    for c in range(n_classes):
        place = np.full(most, -1)
        kept = np.flatnonzero(old == c)
        place[: len(kept)] = kept
        new = np.flatnonzero((codes == c) & (weight > 0))
        number = n_seen[c] + np.arange(len(new))  # of each among the rows of its class
        drawn = np.where(number < most, number, random_state.randint(0, number + 1))
        taken = drawn < most
        place[drawn[taken]] = n_known + new[taken]  # of several in one place the last stays
        places.append(place[place >= 0])
        n_seen[c] += len(new)
    taken = np.concatenate(places)
    if known is not None:
        X = _stacked(known.X, X)
        codes, weight = np.concatenate([old, codes]), np.concatenate([known.weight, weight])
    return KeptRows(X[taken], codes[taken], weight[taken], n_seen)


def _stacked(first: Any, second: Any) -> Any:
    if sparse.issparse(first) or sparse.issparse(second):
        return sparse.vstack([first, second], format="csr")
    return np.concatenate([first, second])
