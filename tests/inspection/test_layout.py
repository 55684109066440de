"""The layout of trees of boxes."""

from itertools import pairwise

import numpy as np
import pytest

from dcsvm.inspection.layout import Box, arrange


def test_layout_keeps_boxes_apart_and_parents_in_the_middle():
    rng = np.random.default_rng(0)

    def grow(depth):
        n = rng.integers(0, 4) if depth < 5 else 0
        return Box(rng.uniform(1, 4), rng.uniform(1, 2), [grow(depth + 1) for _ in range(n)])

    for _ in range(30):
        root = grow(0)
        width, height = arrange(root, gap=0.5, drop=1.0)
        levels = {}
        todo = [root]
        while todo:
            box = todo.pop()
            levels.setdefault(box.depth, []).append(box)
            todo += box.children
            assert box.x - box.width / 2 >= -1e-9
            assert box.x + box.width / 2 <= width + 1e-9
            assert box.y + box.height <= height + 1e-9
            if box.children:
                ends = box.children[0].x + box.children[-1].x
                assert box.x == pytest.approx(ends / 2)
                assert all(child.y >= box.y + box.height + 1.0 - 1e-9 for child in box.children)
        for boxes in levels.values():
            boxes.sort(key=lambda box: box.x)
            for a, b in pairwise(boxes):
                assert b.x - b.width / 2 - (a.x + a.width / 2) >= 0.5 - 1e-9
