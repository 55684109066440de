"""The layout of a tree of boxes: compact, with parents above the middle of their children.

Each subtree is laid out by itself; then neighbours are pushed together until their outlines
touch on some level, so that a deep subtree fits beside a wide one.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False)
class Box:
    """A box and its children; `room` is the width that the text above the box needs."""

    width: float
    height: float
    children: list[Box] = field(default_factory=list)
    x: float = 0.0  # of its centre
    y: float = 0.0  # of its top, downwards
    room: float = 0.0
    depth: int = 0


# For each level from a box downwards: how far its subtree reaches to the left and to the right
# of the centre of the box.
Outline = list[tuple[float, float]]


def arrange(root: Box, gap: float, drop: float) -> tuple[float, float]:
    """Set x, y and depth of all boxes; returns the width and height of the whole.

    Parameters
    ----------
    root : Box
        The top of the tree.
    gap : float
        Distance between neighbours.
    drop : float
        Distance between levels.
    """
    outline = _arrange_below(root, gap)
    left = min(reach[0] for reach in outline)
    levels: list[list[Box]] = []
    _shift(root, -left, 0, levels)
    y = 0.0
    for boxes in levels:
        for box in boxes:
            box.y = y
        y += max(box.height for box in boxes) + drop
    return max(reach[1] for reach in outline) - left, y - drop


def _arrange_below(box: Box, gap: float) -> Outline:
    """Set x of all descendants, relative to their parents."""
    own = (-max(box.width, box.room) / 2, max(box.width, box.room) / 2)
    if not box.children:
        return [own]
    together: Outline = []
    for child in box.children:
        outline = _arrange_below(child, gap)
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


def _shift(box: Box, by: float, depth: int, levels: list[list[Box]]) -> None:
    """Make x absolute, and collect the boxes of each level."""
    box.x += by
    box.depth = depth
    if depth == len(levels):
        levels.append([])
    levels[depth].append(box)
    for child in box.children:
        _shift(child, box.x, depth + 1, levels)
