"""Counts and lists of names in a sentence, and the names that a misspelt one may stand for."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

# Names that a sentence lists before it counts the others.
LISTED = 6


def listed(names: Iterable[object], most: int = LISTED) -> str:
    """Names in a sentence: 'a', 'b' and 3 more."""
    texts = [repr(str(name)) for name in names]
    if len(texts) > most + 1:
        return f"{', '.join(texts[:most])} and {len(texts) - most} more"
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def counted(n: int, noun: str) -> str:
    """1 row, 2 rows."""
    return f"{n:,} {noun if n == 1 else noun + 's'}"


def near_names(name: str, names: Sequence[str], cutoff: float = 0.6) -> list[str]:
    """The names that are spelt like `name`, the most similar first."""
    folded: dict[str, str] = {}
    for known in names:
        folded.setdefault(_folded(known), known)
    found = difflib.get_close_matches(_folded(name), folded, n=3, cutoff=cutoff)
    return [folded[key] for key in found]


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """The end of an error message: the similar names, or else all names."""
    if near := near_names(name, names):
        return f"did you mean {' or '.join(map(repr, near))}?"
    return f"there are {listed(names)}." if names else "there are none."


def _folded(name: str) -> str:
    return re.sub(r"[\s_.-]+", "", name).casefold()
