"""Decision values made comparable between classes, in scikit-learn's conventions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def squash(values: Floats) -> Floats:
    """Map values into (−1/3, 1/3), keeping their order: less than any whole difference."""
    with np.errstate(invalid="ignore"):
        squashed = values / (np.abs(values) + 1) / 3
    # Values that overflowed are mapped to the ends.
    return np.where(np.isfinite(values), squashed, np.nan_to_num(np.sign(values)) / 3)


def binary_decision(values: Floats) -> Floats:
    """Values of the only machine as scikit-learn wants them: positive for the second class.

    What is not above 0 goes to the second class, which scikit-learn shows by a value > 0.
    """
    second = np.where(values < 0, -values, np.finfo(np.float64).tiny)
    return np.where(values > 0, -values, second)
