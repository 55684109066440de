"""The order in which machines are trained."""

from itertools import combinations

import numpy as np
import pytest

from dcsvm.data.kernels import Kernel
from dcsvm.data.rows import TrainingRows
from dcsvm.training.problems import PairProblems


def problems(sizes):
    start = np.cumsum([0, *sizes])
    X = np.arange(float(start[-1]))[:, None]
    return PairProblems(
        TrainingRows(X, np.ones(len(X)), start), np.ones(len(X)), Kernel("linear"), None
    )


@pytest.mark.parametrize("sizes", [(5, 1, 3), (1, 2), (4, 4, 4, 4), (2, 9, 1, 7, 7, 3)])
def test_large_machines_come_first_and_equal_ones_in_their_order(sizes):
    of_pair = [sizes[i] + sizes[j] for i, j in combinations(range(len(sizes)), 2)]
    expected = sorted(range(len(of_pair)), key=lambda m: (-of_pair[m], m))
    assert problems(sizes).largest_first().tolist() == expected
