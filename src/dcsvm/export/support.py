"""Support vectors as numbers of few bytes: code, step and offset, s = offset + step · code.

The steps and offsets, one of each for every feature, become part of what is done to a row before
it meets support vectors, so that codes cost no more arithmetic than floats. Where all values of
every feature lie on a grid, as those of whole numbers do, even when standardised, codes lose
nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CODES: dict[str, type[np.signedinteger[Any]]] = {"int8": np.int8, "int16": np.int16}
SUPPORT = ("exact", "float", *CODES)


class Codes(NamedTuple):
    """Support vectors as they are stored."""

    code: NDArray[Any]
    step: Floats
    offset: Floats

    @property
    def values(self) -> Floats:
        """The support vectors that the codes stand for."""
        return self.offset + self.step * self.code.astype(np.float64)

    @property
    def is_float(self) -> bool:
        """Whether they are stored as they are."""
        return bool(self.code.dtype.kind == "f")


def encode(vectors: Floats, support: str, real: type[np.floating[Any]]) -> Codes:
    """Support vectors in one of the forms of `SUPPORT`."""
    if support == "exact":
        for kind in CODES:
            codes = _rounded(vectors, kind)
            # As near as `real` is to a number of this size.
            allowed = 4 * np.finfo(real).eps * np.abs(vectors).max(axis=0)
            if (np.abs(codes.values - vectors) <= allowed).all():
                return codes
    if support in CODES:
        return _rounded(vectors, support)
    n = vectors.shape[1]
    return Codes(vectors.astype(real), np.ones(n), np.zeros(n))


def _rounded(vectors: Floats, kind: str) -> Codes:
    least, most = np.iinfo(CODES[kind]).min, np.iinfo(CODES[kind]).max
    levels = most - least + 1
    low, high = vectors.min(axis=0), vectors.max(axis=0)
    step = np.array([_step(column, levels) for column in vectors.T])
    # The code of zero is zero, so that the offset is small, unless others would not fit then.
    first = np.clip(np.rint(low / step), least, most - np.rint((high - low) / step))
    code = np.rint((vectors - low) / step) + first
    return Codes(code.astype(CODES[kind]), step, low - step * first)


def _step(column: Floats, levels: int) -> float:
    """The distance between the points of a grid: the column's own, or an even division."""
    distinct = np.unique(column)
    span = distinct[-1] - distinct[0]
    if span == 0:
        return 1.0
    gaps = np.diff(distinct)
    # What differs by rounding alone is the same point.
    gap = gaps[gaps > 1e-9 * span].min(initial=span)
    n = np.rint(span / gap)
    if n < levels and (np.abs((column - distinct[0]) / span * n % 1.0 - 0.5) > 0.49).all():
        return float(span / n)
    return float(span / (levels - 1))
