"""Where the boxes of a tree go: as narrow as they fit, parents above the middle of their children.

Subtrees are laid out each by itself and then pushed together until their outlines touch, level
by level; so a deep branch and a wide one beside it share the room between them.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False)
class Box:
    """A box, and those below it; `room` is how wide it is with what is written above it."""

    width: float
    height: float
    children: list[Box] = field(default_factory=list)
    x: float = 0.0  # of its centre
    y: float = 0.0  # of its top, downwards
    room: float = 0.0
    depth: int = 0


# For each level below and including a box: how far its subtree reaches to the left and right of
# the centre of the box.
Outline = list[tuple[float, float]]


def place(root: Box, gap: float, drop: float) -> tuple[float, float]:
    """Set x and y of all boxes; returns the width and height of the whole.

    Parameters
    ----------
    root : Box
        What everything hangs from.
    gap : float
        Room between neighbours.
    drop : float
        Room between a level and the next, for the labels of the edges.
    """
    outline = _place_below(root, gap)
    left = min(reach[0] for reach in outline)
    tallest: dict[int, float] = {}
    _shift(root, -left, 0, tallest)
    tops, y = [], 0.0
    for depth in range(len(tallest)):
        tops.append(y)
        y += tallest[depth] + drop
    _drop(root, tops)
    return max(reach[1] for reach in outline) - left, y - drop


def _place_below(box: Box, gap: float) -> Outline:
    """Place the children relative to their parent, whose centre is 0."""
    own = (-max(box.width, box.room) / 2, max(box.width, box.room) / 2)
    if not box.children:
        return [own]
    together: Outline = []
    for child in box.children:
        outline = _place_below(child, gap)
        both = zip(together, outline, strict=False)
        child.x = max((right - left + gap for (_, right), (left, _) in both), default=0.0)
        moved = [(child.x + left, child.x + right) for left, right in outline]
        longer = together[len(moved) :] or moved[len(together) :]
        shared = zip(together, moved, strict=False)
        together = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in shared] + longer
    middle = (box.children[0].x + box.children[-1].x) / 2
    for child in box.children:
        child.x -= middle
    return [own, *((left - middle, right - middle) for left, right in together)]


def _shift(box: Box, by: float, depth: int, tallest: dict[int, float]) -> None:
    box.x += by
    box.depth = depth
    tallest[depth] = max(tallest.get(depth, 0.0), box.height)
    for child in box.children:
        _shift(child, box.x, depth + 1, tallest)


def _drop(box: Box, tops: list[float]) -> None:
    box.y = tops[box.depth]
    for child in box.children:
        _drop(child, tops)
