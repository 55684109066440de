"""Candidate sets: the classes still in play at a node, one bit per class.

A single set is a Python integer, which hashes, compares and combines at once. Many sets
at a time are rows of 64-bit words, which NumPy can intersect and count in bulk.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

WORD_BITS = 64


def n_words(n_classes: int) -> int:
    """How many words hold a set of `n_classes` classes."""
    return -(-n_classes // WORD_BITS)


def candidate_set(classes: Iterable[int]) -> int:
    """The set of the given class indices."""
    bits = 0
    for c in classes:
        bits |= 1 << int(c)
    return bits


def to_words(bits: int, words: int) -> Words:
    """One set as a row of words."""
    return np.frombuffer(bits.to_bytes(8 * words, "little"), dtype="<u8")


def from_words(words: Words) -> int:
    """The set in one row of words."""
    return int.from_bytes(words.astype("<u8", copy=False).tobytes(), "little")


def members(bits: int) -> NDArray[np.int64]:
    """The class indices in a set, in increasing order."""
    raw = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(raw, bitorder="little"))


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
