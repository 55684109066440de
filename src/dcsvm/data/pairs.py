"""The order of the machines, one per pair of classes: (0,1), (0,2), …, (k−2,k−1)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray


def n_pairs(n_classes: int) -> int:
    """How many machines `n_classes` classes need."""
    return n_classes * (n_classes - 1) // 2


@lru_cache(maxsize=64)
def class_pairs(n_classes: int) -> NDArray[np.int32]:
    """The two classes i < j of every machine, as an array of shape (n_machines, 2), read-only."""
    pairs = np.column_stack(np.triu_indices(n_classes, 1)).astype(np.int32)
    pairs.setflags(write=False)
    return pairs


def machine_of(i: Any, j: Any, n_classes: int) -> Any:
    """The number of the machine of classes i < j, which may be arrays."""
    return i * (2 * n_classes - i - 1) // 2 + (j - i - 1)
