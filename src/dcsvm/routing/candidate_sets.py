"""Candidate sets: the classes that are still possible, one bit per class.

Sets are rows of 64-bit words, which NumPy intersects and counts in bulk.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

WORD_BITS = 64


def n_words(n_classes: int) -> int:
    """How many words hold a set of `n_classes` classes."""
    return -(-n_classes // WORD_BITS)


def pack(membership: NDArray[np.bool_]) -> Words:
    """Rows of booleans, one column per class, as rows of words."""
    words = n_words(membership.shape[1])
    raw = np.zeros((len(membership), 8 * words), dtype=np.uint8)
    packed = np.packbits(membership, axis=1, bitorder="little")
    raw[:, : packed.shape[1]] = packed
    return raw.view("<u8").astype(np.uint64, copy=False)


def unpack(words: Words, n_classes: int) -> NDArray[np.bool_]:
    """The inverse of `pack`."""
    raw = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.unpackbits(raw, axis=1, bitorder="little", count=n_classes).astype(bool)
