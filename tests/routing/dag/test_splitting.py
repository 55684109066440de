"""Who is left after an answer: against the definitions, one class at a time."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.routing.test_plausibility import random_table
from tests.tables import ScriptedMachines

from dcsvm.routing.candidate_sets import pack, unpack
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.splitting import MOST_CUTS, MarginSplitter
from dcsvm.routing.dag.walking import leaves
from dcsvm.routing.plausibility import margin_levels
from dcsvm.routing.sides import sides


def splitter_of(k, seed, theta, criterion="cost"):
    table = random_table(k, seed=seed)
    cost = np.random.default_rng(seed).integers(1, 50, len(table.counts)).astype(float)
    return MarginSplitter(margin_levels(table, theta), sides(table, theta, cost), criterion)


@settings(max_examples=40)
@given(st.integers(2, 9), st.integers(0, 1000), st.sampled_from([0.0, 0.001, 0.05]))
def test_children_keep_what_is_plausible_and_are_proper_subsets(k, seed, theta):
    splitter = splitter_of(k, seed, theta)
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(k), 2))
    is_in = rng.random((30, k)) < 0.7
    is_in[:, :2] = True
    candidates = pack(is_in)
    machine = splitter.choose(candidates)
    n_cuts, cuts = splitter.cuts(machine, candidates)
    assert n_cuts.max() <= MOST_CUTS
    first = np.concatenate([[0], np.cumsum(n_cuts)])
    for t, m in enumerate(machine):
        own = cuts[first[t] : first[t + 1]]
        assert (np.diff(own) >= 0).all()
        assert 0.0 in own, "the sign must be told"
        i, j = pairs[m]
        assert is_in[t, [i, j]].all()
        for v in [*rng.normal(size=20) * 4, 0.0]:
            interval = int((v > own).sum())
            child = splitter.children(machine[[t]], candidates[[t]], np.array([interval]))
            left = unpack(child, k)[0]
            assert (left <= is_in[t]).all()
            assert 1 <= left.sum() < is_in[t].sum()
            assert (left[i], left[j]) == (v > 0, not v > 0)
            if (np.abs(v - own) > 1e-9).all():
                expected = is_in[t] & splitter.levels.plausible(machine[[t]], np.array([v]))[0]
                expected[[i, j]] = v > 0, not v > 0
                assert (left >= expected).all(), "what is plausible must stay"
                if n_cuts[t] < MOST_CUTS:
                    # All ends are cuts: only at the level that zero cuts in two may more stay.
                    level = np.ceil(
                        (np.array([v, 0.0]) - splitter.levels.origin[m]) * splitter.levels.scale[m]
                    )
                    if level[0] != level[1]:
                        assert (left == expected).all()


def test_walking_is_dropping_what_is_implausible_one_by_one():
    k, n = 8, 300
    splitter = splitter_of(k, 3, 0.01)
    values = np.random.default_rng(0).normal(size=(n, k * (k - 1) // 2)) * 3
    grower = Grower(splitter)
    found = leaves(ScriptedMachines(values, k), grower, np.arange(n)[:, np.newaxis], None)
    for row, v in enumerate(values):
        left = np.ones(k, dtype=bool)
        while left.sum() > 1:
            words = pack(left[np.newaxis])
            m = splitter.choose(words)
            own = splitter.cuts(m, words).cuts
            after = splitter.children(m, words, np.array([(v[m[0]] > own).sum()]))
            left = unpack(after, k)[0]
        assert found[row] == left.argmax()
