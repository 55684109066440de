"""What all pictures share: colours, and matplotlib, imported only when something is drawn."""

from __future__ import annotations

from typing import Any

# Colours that can be told apart in print and by colour-blind readers.
INK = "#2b2d42"
FAINT = "#55596b"
SOFT = "#8d99ae"
MARKED = "#d1495b"
BLUE = "#2a6f97"
GREEN = "#4f9d69"
# The colours of the boxes of a tree, by the kind of node.
FILL = {"scores": "#fdf0d5", "machine": "#f7f9fc", "vote": "#ece4f5", "leaf": "#dff0e3"}


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that tells how to install it."""
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError(
            "Pictures need matplotlib: pip install 'dcsvm[plot]' (or pip install matplotlib)."
        ) from error
    return matplotlib.pyplot


def axes(ax: Any, figsize: tuple[float, float] | None = None) -> Any:
    """The axes passed by the user, or new ones."""
    if ax is not None:
        pyplot()
        return ax
    return pyplot().subplots(figsize=figsize, layout="constrained")[1]
