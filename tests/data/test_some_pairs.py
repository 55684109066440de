"""Some pairs of classes, against a dictionary."""

import pickle
from itertools import combinations

import numpy as np
import pytest

from dcsvm.data.some_pairs import NO_MACHINE, SomePairs


@pytest.mark.parametrize("k", [2, 3, 17, 70])
def test_machines_are_found_as_in_a_dictionary(k):
    rng = np.random.default_rng(k)
    every = list(combinations(range(k), 2))
    chosen = [every[m] for m in np.sort(rng.permutation(len(every))[: max(1, len(every) // 3)])]
    given = np.array(chosen * 2)[rng.permutation(2 * len(chosen))]
    given[::2] = given[::2, ::-1]  # either class first
    pairs = pickle.loads(pickle.dumps(SomePairs(k, given)))
    number = {pair: m for m, pair in enumerate(chosen)}
    assert len(pairs) == len(chosen)
    assert [tuple(pair) for pair in pairs.of_machine.tolist()] == chosen
    i, j = np.array(every).T
    expected = [number.get(pair, NO_MACHINE) for pair in every]
    assert pairs.machine_of(i, j).tolist() == expected
    assert pairs.machine_of(*chosen[-1]) == len(chosen) - 1
    assert pairs.partner[pairs.start[0] : pairs.start[1]].tolist() == [
        j for i, j in chosen if i == 0
    ]
