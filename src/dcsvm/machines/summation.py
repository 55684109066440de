"""The order in which a machine's support vectors are summed.

The engine sums a panel of them side by side. Over all positive coefficients and then over all
negative ones such sums would grow large half-way, and their rounding errors with them: panels of
positive and of negative coefficients alternate.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import PANEL_WIDTH

# Entries whose order is found at once, so that it does not take much memory.
ENTRIES_AT_ONCE = 2**20


def alternating_order(coef: NDArray[np.float64], start: NDArray[np.int64]) -> NDArray[np.int64]:
    """The entries of every machine, panels of positive and of negative coefficients alternating."""
    order = np.empty(len(coef), dtype=np.int64)
    edges = np.searchsorted(start, np.arange(0, len(coef), ENTRIES_AT_ONCE))
    for first, last in itertools.pairwise([*edges.tolist(), len(start) - 1]):
        part = slice(start[first], start[last])
        place = _places(coef[part] < 0, start[first : last + 1] - start[first])
        order[part][place] = np.arange(part.start, part.stop)
    return order


def _places(negative: NDArray[np.bool_], start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each entry goes.

    Panel b of the n panels of a sign stands at (b + 1/2) / n of the way. The panels of the other
    sign that stand before it are counted; of equals, the positive one comes first.
    """
    n_entries = np.diff(start)
    machine = np.repeat(np.arange(len(n_entries)), n_entries)
    before = np.concatenate([[0], np.cumsum(negative)])
    n_negative = before[start[1:]] - before[start[:-1]]
    counts = np.stack([n_entries - n_negative, n_negative])  # by sign
    own, other = negative.astype(np.intp), 1 - negative.astype(np.intp)
    first = start[machine]
    rank = before[:-1] - before[first]  # among the entries of its sign
    rank = np.where(negative, rank, np.arange(len(negative)) - first - rank)
    panels = -(-counts // PANEL_WIDTH)
    n_own, n_other = panels[own, machine], panels[other, machine]
    standing = (2 * (rank // PANEL_WIDTH) + 1) * n_other + np.where(negative, 1, 0)
    earlier = np.maximum(0, -((n_own - standing) // (2 * n_own)))
    place: NDArray[np.int64] = first + rank
    place += np.minimum(PANEL_WIDTH * earlier, counts[other, machine])
    return place
