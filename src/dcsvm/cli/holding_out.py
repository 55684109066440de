"""Rows held out to judge a model by, of every class as far as there are enough."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Split(NamedTuple):
    """Places of the rows to learn from and of those held out."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    too_rare: list[Any]  # classes of which no row is held out


def hold_out(labels: NDArray[Any], share: float, seed: int) -> Split:
    """Hold out a share of the rows of every class, and at least one row of each for training."""
    rng = np.random.default_rng(seed)
    classes, codes = np.unique(labels, return_inverse=True)
    chosen, too_rare = [], []
    for code, label in enumerate(classes.tolist()):
        rows = np.flatnonzero(codes == code)
        n = min(round(share * len(rows)), len(rows) - 1)
        if n == 0:
            too_rare.append(label)
        chosen.append(rng.permutation(rows)[:n])
    test = np.sort(np.concatenate(chosen))
    return Split(np.setdiff1d(np.arange(len(labels)), test), test, too_rare)
