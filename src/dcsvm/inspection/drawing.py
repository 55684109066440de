"""matplotlib, loaded only when something is drawn."""

from __future__ import annotations

from typing import Any

# Colours that stay apart in print and for eyes that see no red or green.
INK = "#2b2d42"
FAINT = "#55596b"
SOFT = "#8d99ae"
MARKED = "#d1495b"
BLUE = "#2a6f97"
GREEN = "#4f9d69"


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that says how to get it."""
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError(
            "Pictures need matplotlib: pip install 'dcsvm[plot]' (or pip install matplotlib)."
        ) from error
    return matplotlib.pyplot


def axes(ax: Any, figsize: tuple[float, float] | None = None) -> Any:
    """The axes a user has passed, or new ones."""
    if ax is not None:
        pyplot()
        return ax
    return pyplot().subplots(figsize=figsize, layout="constrained")[1]
