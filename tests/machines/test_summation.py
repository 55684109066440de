"""Panels of positive and of negative coefficients alternate."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dcsvm._core import PANEL_WIDTH
from dcsvm.machines.summation import alternating_order


def alternating_one_by_one(coef, start):
    """The definition: panels of either sign, sorted by where they stand."""
    order = []
    for begin, end in itertools.pairwise(start):
        entries = range(begin, end)
        panels = []
        for negative in (False, True):
            of_sign = [e for e in entries if (coef[e] < 0) == negative]
            n = -(-len(of_sign) // PANEL_WIDTH)
            for b in range(n):
                panel = of_sign[b * PANEL_WIDTH : (b + 1) * PANEL_WIDTH]
                panels.append((Fraction(2 * b + 1, 2 * n), negative, panel))
        order += [e for _, _, panel in sorted(panels) for e in panel]
    return order


@pytest.mark.parametrize("at_once", [1, 100, 2**20])
@pytest.mark.parametrize("seed", range(20))
def test_panels_of_either_sign_alternate(seed, at_once, monkeypatch):
    monkeypatch.setattr("dcsvm.machines.summation.ENTRIES_AT_ONCE", at_once)
    rng = np.random.default_rng(seed)
    start = np.concatenate([[0], np.cumsum(rng.integers(0, 150, size=rng.integers(1, 9)))])
    coef = rng.normal(size=start[-1]) + rng.normal()
    assert alternating_order(coef, start).tolist() == alternating_one_by_one(coef, start)
