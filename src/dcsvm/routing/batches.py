"""How many rows are evaluated together."""

from __future__ import annotations

# Rows that move together: many, so that many ask the same machine, but few enough that their
# single-precision copies (this many numbers) stay in the cache.
NUMBERS_AT_ONCE = 2**20


MOST_ROWS_AT_ONCE = 8192


def rows_at_once(n_features: int) -> int:
    """How many rows move together."""
    return max(1, min(MOST_ROWS_AT_ONCE, NUMBERS_AT_ONCE // n_features))
