"""How many rows are handled together."""

from __future__ import annotations

from collections.abc import Iterator

# Many rows, so that many ask the same machine, but few enough that single-precision copies of so
# many numbers stay in the processor's cache.
NUMBERS_AT_ONCE = 2**20
MOST_ROWS_AT_ONCE = 8192


def rows_at_once(n_features: int) -> int:
    """How many rows are predicted together."""
    return max(1, min(MOST_ROWS_AT_ONCE, NUMBERS_AT_ONCE // n_features))


def slices(n: int, most: int) -> Iterator[slice]:
    """Cut n items into slices of `most`, the last of what is left."""
    for begin in range(0, n, most):
        yield slice(begin, min(begin + most, n))
