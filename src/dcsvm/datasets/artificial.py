"""`artificial1`: six classes in the plane, by which the paper explains its table.

The machine of classes 1 and 2 changes sign at the vertical axis. Of the other classes, class 6
lies wholly on the side of 1 and class 4 wholly on that of 2, both far from the axis; class 5
has about 98 % of its rows on the side of 2; and class 3 is cut in half::

        6      3      4
           1   |   2
               | 5

The paper shows this picture and does not say how its rows were drawn: these are drawn from
normal distributions that overlap a little: about 99 % of the rows can be classified correctly.
Class 2 is the mirror image of class 1, and half of class 3 that of the other half. By this
symmetry the machine of 1 and 2 changes sign at the axis with every kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri
from sklearn.utils import check_random_state

from dcsvm.datasets.sources import SOURCES
from dcsvm.datasets.stored import without_split

SHARE_OF_5 = 0.98
_SPREAD_OF_5 = 0.55

MIRROR = np.array([-1.0, 1.0])

# Mean and standard deviation along each axis.
CLASSES: dict[int, tuple[tuple[float, float], tuple[float, float]]] = {
    1: ((-2.0, 0.0), (0.65, 1.0)),
    2: ((2.0, 0.0), (0.65, 1.0)),
    3: ((0.0, 2.9), (0.75, 0.5)),
    4: ((4.5, 2.4), (0.7, 0.6)),
    5: ((_SPREAD_OF_5 * float(ndtri(SHARE_OF_5)), -3.1), (_SPREAD_OF_5, 0.5)),
    6: ((-4.5, 2.4), (0.7, 0.6)),
}


def make_artificial1(n_per_class: int = 300, random_state: Any = 0) -> Any:
    """Draw the set of the paper's first figure.

    Parameters
    ----------
    n_per_class : int, default=300
        Rows of each class.
    random_state : int, RandomState instance or None, default=0
        Draws the rows.

    Returns
    -------
    data : Bunch
        As `dcsvm.datasets.load` returns it; the classes are 1 to 6, in this order.
    """
    random = check_random_state(random_state)
    rows = {c: random.normal(*CLASSES[c], size=(n_per_class, 2)) for c in CLASSES}
    rows[2] = rows[1] * MIRROR
    half = n_per_class // 2
    rows[3][half : 2 * half] = rows[3][:half] * MIRROR
    data, target = np.concatenate(list(rows.values())), np.repeat(list(CLASSES), n_per_class)
    found = data, target, ["x1", "x2"]
    return without_split(SOURCES["artificial1"], found, "drawn by make_artificial1")
