"""theta="cost": the smallest θ that costs little more than a large one.

Where classes are easily told apart, a smaller θ costs next to nothing and saves rows. Where they
are not, it evaluates many more machines, and hardly any row is the better for it, as the vote of
the machines is wrong about many rows itself. So θ begins large, the larger the fewer rows there
are of a class, as the errors of the machines then matter more; and it is lowered for as long as
paths become little longer, measured on training rows with the scores they have when left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.routing.elimination.calibration import Fitted
from dcsvm.routing.elimination.measuring import Trials

# θ to begin with, times the root of the number of rows of a class.
LARGEST = 0.02
# A structure is of machines that were mostly trained on other classes than the right one, and a row
# passes many of them: θ is so many times smaller there.
SMALLER_ALONG_STRUCTURE = 10
# It is lowered to one of these shares of it.
SHARES = (1.0, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5)
# The cost may grow by this factor.
MORE = 1.08


class ThetasByCost(NamedTuple):
    """θ of theta="cost" by every rule, as far as it was measured."""

    largest: float
    measured: float | None  # by margin, with the shortlist

    def of(self, routing: str, has_shortlist: bool) -> float:
        """θ by such a rule."""
        if routing == "sign":
            return self.largest
        if not has_shortlist:
            return self.largest / SMALLER_ALONG_STRUCTURE
        return self.largest if self.measured is None else self.measured


def largest_theta(n_rows: NDArray[np.integer]) -> float:
    """θ to begin with, for classes of so many rows."""
    return float(LARGEST / np.sqrt(np.median(n_rows)))


def theta_by_cost(fitted: Fitted, trials: Trials, theta: float) -> float:
    """The smallest share of θ that costs at most `MORE` times as much; cost grows as θ falls."""
    most = MORE * trials.cost(fitted, SHARES[0] * theta)
    affordable, too_small = 0, len(SHARES)
    while too_small - affordable > 1:
        middle = (affordable + too_small) // 2
        if trials.cost(fitted, SHARES[middle] * theta) <= most:
            affordable = middle
        else:
            too_small = middle
    return theta * SHARES[affordable]
