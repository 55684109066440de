"""Purity, balance, score and choice against the paper's example and the definitions."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import Table
from tests.routing.test_plausibility import random_table
from tests.tables import (
    GLASS,
    GLASS_LEFT_MEASURES,
    GLASS_MEASURES,
    criteria,
    glass_table,
    random_fractions,
    thetas,
)

from dcsvm import PredictionTable
from dcsvm.routing.candidate_sets import pack
from dcsvm.routing.dag.criteria import choose, measures
from dcsvm.routing.dag.splitting import SignSplitter
from dcsvm.routing.sides import sides

ROOT = list(range(6))


LEFT = [0, 1, 2, 3]  # classes 1, 2, 3, 5


def words_of(classes, k):
    return pack(np.isin(np.arange(k), classes)[np.newaxis])


def best_of(found, criterion):
    """The machine that is best by purity, balance and score, found by sorting."""
    keys = (found.purity, -found.balance, -found.score)
    keys = keys if criterion == "purity" else (keys[2], keys[0], keys[1])
    return int(found.machine[np.lexsort(keys[::-1])[0]])


@pytest.mark.parametrize(
    ("candidates", "expected"), [(ROOT, GLASS_MEASURES), (LEFT, GLASS_LEFT_MEASURES)]
)
def test_measures_of_the_worked_example(candidates, expected):
    at_zero = sides(glass_table(), 0.0)
    found = measures(at_zero, candidates)
    measured = list(zip(found.purity.tolist(), found.balance.tolist(), strict=True))
    assert measured == list(expected.values())
    assert found.score.tolist() == [1.0] * len(expected)


def test_choices_of_the_worked_example():
    table = glass_table()
    at_zero = sides(table, 0.0)

    def chosen(candidates):
        (machine,) = choose(at_zero, words_of(candidates, 6), "purity")
        i, j = table.pairs[machine]
        return GLASS[i], GLASS[j]

    assert chosen(ROOT) == (5, 6)
    assert chosen([4, 5]) == (6, 7)
    assert chosen(LEFT) == (1, 2)


def test_row_16_of_the_worked_example_at_5_per_cent():
    table = glass_table()
    at_5 = sides(table, 0.05)
    rows = list(GLASS_MEASURES)
    found = measures(at_5, ROOT)
    assert found.purity[rows.index((1, 6))] == 3
    assert found.balance[rows.index((1, 2))] == 1
    assert found.balance[rows.index((5, 6))] == 2
    to_frame = table.to_frame()
    assert to_frame.loc["1 vs 6", 2] == "91.8, 8.2"


def test_separation_of_the_worked_example():
    assert glass_table().separation(0.0) == pytest.approx(58 / 90)


@given(random_fractions(), thetas, criteria)
def test_measures_and_choice_follow_the_definitions(to_i, theta, criterion):
    k = to_i.shape[1]
    oracle = Table(to_i, theta)
    at_theta = sides(PredictionTable.from_likelihoods(range(k), to_i), theta)
    rng = np.random.default_rng(k)
    for size in range(2, k + 1):
        S = np.sort(rng.choice(k, size, replace=False))
        pairs = [(i, j) for i in S.tolist() for j in S.tolist() if i < j]
        candidates = set(S.tolist())
        found = measures(at_theta, S)
        assert found.purity.tolist() == [oracle.purity(i, j, candidates) for i, j in pairs]
        assert found.balance.tolist() == [oracle.balance(i, j, candidates) for i, j in pairs]
        assert found.score.tolist() == [oracle.score(i, j) for i, j in pairs]
        (chosen,) = choose(at_theta, words_of(S, k), criterion)
        assert pairs[found.machine.tolist().index(chosen)] == oracle.choose(candidates, criterion)


def test_more_than_64_classes_take_more_than_one_word():
    k = 130
    rng = np.random.default_rng(0)
    to_i = rng.integers(0, 2, (k * (k - 1) // 2, k)).astype(float)
    at_zero = sides(PredictionTable.from_likelihoods(range(k), to_i), 0.0)
    S = [0, 1, 62, 63, 64, 65, 127, 128, 129]
    oracle = Table(to_i, 0.0)
    pairs = [(i, j) for i in S for j in S if i < j]
    found = measures(at_zero, S)
    assert found.purity.tolist() == [oracle.purity(i, j, set(S)) for i, j in pairs]
    assert found.balance.tolist() == [oracle.balance(i, j, set(S)) for i, j in pairs]


@pytest.mark.parametrize("criterion", ["purity", "score"])
def test_the_choice_is_the_best_by_the_measures(criterion, instruction_set):
    k = 130
    rng = np.random.default_rng(0)
    to_i = rng.choice([0.0, 0.5, 1.0], (k * (k - 1) // 2, k), p=[0.45, 0.1, 0.45])
    at_zero = sides(PredictionTable.from_likelihoods(range(k), to_i), 0.0)
    sets = rng.random((60, k)) < rng.uniform(0.05, 1, (60, 1))
    sets[:, [3, 100]] = True
    found = choose(at_zero, pack(sets), criterion)
    assert found.tolist() == [
        best_of(measures(at_zero, s), criterion) for s in map(np.flatnonzero, sets)
    ]


@pytest.mark.parametrize("theta", [-0.01, 0.5, 2.0, np.nan])
def test_theta_must_be_a_fraction_below_a_half(theta):
    with pytest.raises(ValueError, match="theta must be a fraction"):
        sides(glass_table(), theta)


def test_unknown_criterion():
    with pytest.raises(ValueError, match="criterion must be one of"):
        choose(sides(glass_table(), 0.0), words_of(ROOT, 6), "entropy")


@settings(max_examples=40)
@given(
    st.sampled_from([2, 3, 7, 20, 64, 65]), st.integers(0, 1000), st.sampled_from([0.0, 0.02, 0.3])
)
def test_the_compiled_criterion_by_cost_is_that_of_the_definition(k, seed, theta):
    table = random_table(k, seed=seed, rows=6)
    rng = np.random.default_rng(seed)
    cost = rng.integers(1, 30, len(table.counts)).astype(float)
    at_theta = sides(table, theta, cost)
    is_in = rng.random((5, k)) < 0.6
    is_in[:, :2] = True
    machine = SignSplitter(at_theta, "cost").choose(pack(is_in))
    pairs = list(combinations(range(k), 2))
    to_i, to_j = table.exceeds(0, theta), table.exceeds(1, theta)
    for m, members in zip(machine, is_in, strict=True):
        classes = np.flatnonzero(members)
        worth = {}
        for i, j in combinations(classes.tolist(), 2):
            p = pairs.index((i, j))
            a = 1 + sum(to_i[p, c] for c in classes if c not in (i, j))
            b = 1 + sum(to_j[p, c] for c in classes if c not in (i, j))
            worth[p] = np.log(len(classes) * (a + b) / (a**2 + b**2)) / cost[p]
        assert worth[m] == pytest.approx(max(worth.values()), rel=1e-12)
