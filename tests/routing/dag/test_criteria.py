"""Purity, balance, score and choice against the paper's example and the definitions."""

import numpy as np
import pytest
from hypothesis import given
from tests.oracles import Table
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
from dcsvm.routing.dag.criteria import balance, choose, machines_within, purity, score
from dcsvm.routing.dag.splitting import SignSplitter
from dcsvm.routing.sides import sides

ROOT = list(range(6))
LEFT = [0, 1, 2, 3]  # classes 1, 2, 3, 5


@pytest.mark.parametrize(
    ("candidates", "expected"), [(ROOT, GLASS_MEASURES), (LEFT, GLASS_LEFT_MEASURES)]
)
def test_measures_of_the_worked_example(candidates, expected):
    at_zero = sides(glass_table(), 0.0)
    measured = list(
        zip(
            purity(at_zero, candidates).tolist(), balance(at_zero, candidates).tolist(), strict=True
        )
    )
    assert measured == list(expected.values())
    assert score(at_zero, candidates).tolist() == [1.0] * len(expected)


def test_choices_of_the_worked_example():
    table = glass_table()
    at_zero = sides(table, 0.0)

    def chosen(candidates):
        i, j = table.pairs[choose(at_zero, candidates)]
        return GLASS[i], GLASS[j]

    assert chosen(ROOT) == (5, 6)
    assert chosen([4, 5]) == (6, 7)
    assert chosen(LEFT) == (1, 2)


def test_row_16_of_the_worked_example_at_5_per_cent():
    table = glass_table()
    at_5 = sides(table, 0.05)
    rows = list(GLASS_MEASURES)
    assert purity(at_5, ROOT)[rows.index((1, 6))] == 3
    assert balance(at_5, ROOT)[rows.index((1, 2))] == 1
    assert balance(at_5, ROOT)[rows.index((5, 6))] == 2
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
        assert purity(at_theta, S).tolist() == [oracle.purity(i, j, candidates) for i, j in pairs]
        assert balance(at_theta, S).tolist() == [oracle.balance(i, j, candidates) for i, j in pairs]
        assert score(at_theta, S).tolist() == [oracle.score(i, j) for i, j in pairs]
        best = pairs[machines_within(S, k).tolist().index(choose(at_theta, S, criterion))]
        assert best == oracle.choose(candidates, criterion)
        words = pack(np.isin(np.arange(k), S)[np.newaxis])
        (compiled,) = SignSplitter(at_theta, criterion).choose(words)
        assert compiled == choose(at_theta, S, criterion)


def test_more_than_64_classes_take_more_than_one_word():
    k = 130
    rng = np.random.default_rng(0)
    to_i = rng.integers(0, 2, (k * (k - 1) // 2, k)).astype(float)
    at_zero = sides(PredictionTable.from_likelihoods(range(k), to_i), 0.0)
    S = [0, 1, 62, 63, 64, 65, 127, 128, 129]
    oracle = Table(to_i, 0.0)
    pairs = [(i, j) for i in S for j in S if i < j]
    assert purity(at_zero, S).tolist() == [oracle.purity(i, j, set(S)) for i, j in pairs]
    assert balance(at_zero, S).tolist() == [oracle.balance(i, j, set(S)) for i, j in pairs]


@pytest.mark.parametrize("criterion", ["purity", "score"])
def test_the_compiled_choice_is_the_choice(criterion, instruction_set):
    k = 130
    rng = np.random.default_rng(0)
    to_i = rng.choice([0.0, 0.5, 1.0], (k * (k - 1) // 2, k), p=[0.45, 0.1, 0.45])
    at_zero = sides(PredictionTable.from_likelihoods(range(k), to_i), 0.0)
    sets = rng.random((60, k)) < rng.uniform(0.05, 1, (60, 1))
    sets[:, [3, 100]] = True
    found = SignSplitter(at_zero, criterion).choose(pack(sets))
    expected = [choose(at_zero, np.flatnonzero(s), criterion) for s in sets]
    assert found.tolist() == expected


@pytest.mark.parametrize("theta", [-0.01, 0.5, 2.0, np.nan])
def test_theta_must_be_a_fraction_below_a_half(theta):
    with pytest.raises(ValueError, match="theta must be a fraction"):
        sides(glass_table(), theta)


def test_unknown_criterion():
    with pytest.raises(ValueError, match="criterion must be one of"):
        choose(sides(glass_table(), 0.0), ROOT, "entropy")
