"""Counting the votes of machines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def count_votes(
    values: NDArray[np.float64], pairs: NDArray[np.integer], n_classes: int
) -> NDArray[np.int64]:
    """Votes of shape (n_rows, n_classes).

    A machine votes for the first class of its pair if its value is positive, else for the second.

    Parameters
    ----------
    values : array of shape (n_rows, n_machines)
        Decision values.
    pairs : array of int of shape (n_machines, 2)
        The two classes of every machine.
    n_classes : int
        The number of classes.
    """
    i, j = pairs.T.astype(np.int64)
    winners = np.where(values > 0, i, j)
    winners += n_classes * np.arange(len(values))[:, np.newaxis]
    votes = np.bincount(winners.ravel(), minlength=n_classes * len(values))
    return votes.reshape(-1, n_classes)
