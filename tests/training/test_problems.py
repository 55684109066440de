"""The order in which machines are trained."""

from itertools import combinations

import numpy as np
import pytest

from dcsvm.data.kernels import Kernel
from dcsvm.data.rows import TrainingRows
from dcsvm.training.problems import PairFit, PairFits, PairProblems


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


def fit_of(machine, n_support):
    rng = np.random.default_rng(machine)
    support, coef = np.arange(n_support) + machine, rng.normal(size=n_support)
    return PairFit(support, coef, float(rng.normal()), 10 + machine, machine % 2 == 0)


def test_machines_trained_in_any_order_are_found_by_their_numbers_and_side_by_side():
    sizes = {7: 3, 2: 0, 5: 1, 0: 4}
    given = {m: fit_of(m, n) for m, n in sizes.items()}
    first = PairFits.of({m: given[m] for m in (7, 2)})
    fits = first | PairFits.of({m: given[m] for m in (5, 0)})
    assert list(fits) == [0, 2, 5, 7]
    assert 5 in fits
    assert 3 not in fits
    assert 8 not in fits
    for m, fit in given.items():
        assert [*map(np.ndarray.tolist, fits[m][:2])] == [*map(np.ndarray.tolist, fit[:2])]
        assert fits[m][2:] == fit[2:]
    assert fits.start.tolist() == [0, 4, 4, 5, 8]
    assert fits.arrays.coef.tolist() == [a for m in (0, 2, 5, 7) for a in given[m].coef]
    chosen = PairFits([fits.arrays.chosen(np.array([True, True, False, True]))])
    assert list(chosen) == [0, 2, 7]
    assert chosen[7].coef.tolist() == given[7].coef.tolist()


def test_no_machines_are_an_empty_mapping():
    assert PairFits([]) == {}
    assert PairFits.of({}).start.tolist() == [0]


def test_machines_trained_already_are_left_out():
    given = problems((5, 1, 3))
    assert given.largest_first(but=PairFits.of({1: fit_of(1, 2)})).tolist() == [0, 2]
