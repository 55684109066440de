"""Elimination where some pairs have no machine, against plain loops."""

from functools import cache
from itertools import combinations
from math import inf

import numpy as np
import pytest
from tests.oracles import machine_values
from tests.routing.elimination.test_rounds import FixedShortlist, last_round
from tests.tables import ScriptedMachines

from dcsvm import OneVsOneSVC
from dcsvm._core import CLOSE_VALUE, MOST_ASIDE
from dcsvm._core import Levels as CompiledLevels
from dcsvm.data.some_pairs import SomePairs
from dcsvm.routing.elimination.own_classes import OwnClasses
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.route import Phase


def by_hand(scores, gap, value_of):
    """One row: its class, and the machines evaluated. `value_of` is by pair."""
    best = np.float32(max(scores))
    order = sorted(range(len(scores)), key=lambda c: (-np.float32(scores[c]), c))
    order = [c for c in order if np.float32(scores[c]) >= best - np.float32(gap)]
    champion, aside, evaluated = order[0], [], []
    for challenger in order[1:]:
        pair = (min(champion, challenger), max(champion, challenger))
        if pair not in value_of:
            continue
        v = value_of[pair]
        evaluated.append(pair)
        champion, loser = pair if v > 0 else pair[::-1]
        if abs(v) < CLOSE_VALUE and len(aside) < MOST_ASIDE:
            aside.append(loser)
    votes = dict.fromkeys(sorted({champion, *aside}), 0.0)
    if not aside:
        return champion, evaluated
    for pair in combinations(votes, 2):
        if pair in value_of:
            v = value_of[pair]
            votes[pair[0] if v > 0 else pair[1]] += 1
            votes[pair[0]] += 0.001 * min(max(v, -1), 1)
            votes[pair[1]] -= 0.001 * min(max(v, -1), 1)
            if pair not in evaluated:
                evaluated.append(pair)
    return max(votes, key=votes.get), evaluated


def some_pairs(k, share, rng):
    every = np.array(list(combinations(range(k), 2)))
    chosen = every[rng.random(len(every)) < share]
    return SomePairs(k, chosen if len(chosen) else every[:1])


@pytest.mark.parametrize("gap", [inf, 1.0])
@pytest.mark.parametrize(("k", "share"), [(3, 0.5), (17, 0.3), (17, 0.8), (40, 0.1)])
def test_rounds_are_those_of_plain_loops(k, share, gap):
    rng = np.random.default_rng(k)
    pairs = some_pairs(k, share, rng)
    values = rng.normal(size=(150, len(pairs))) * rng.choice([0.1, 0.3, 2.0], (150, 1))
    scores = rng.normal(size=(150, k)).round(1).astype(np.float32)  # some are equal
    shortlist = FixedShortlist(scores, gap)
    shortlist.numbers = lambda X: np.asarray(X)[:, 0]
    route = Elimination(OwnClasses(pairs), shortlist)
    X = np.arange(150)[:, np.newaxis]
    leaf, evaluated = last_round(route, ScriptedMachines(values, k), X)
    of_machine = [tuple(pair) for pair in pairs.of_machine.tolist()]
    for r in range(150):
        value_of = dict(zip(of_machine, values[r], strict=True))
        expected = by_hand(scores[r].tolist(), gap, value_of)
        assert (leaf[r], [of_machine[m] for m in evaluated[r]]) == expected
    phases = {step.phase for step in route.rounds(ScriptedMachines(values, k), X, None)}
    assert Phase.UNTRAINED in phases


@cache
def machines_of_all_pairs(k, n_features):
    rng = np.random.default_rng(k)
    y = np.arange(8 * k) % k
    X = rng.normal(size=(k, n_features))[y] + rng.normal(size=(8 * k, n_features)) * 1.5
    return OneVsOneSVC(gamma=0.5 / n_features).fit(X, y).machines_


# With a thousand machines and many features the engine keeps kernel values.
@pytest.mark.parametrize(("k", "n_features", "share"), [(4, 3, 0.5), (18, 5, 0.5), (50, 50, 0.9)])
def test_compiled_elimination_is_that_of_plain_loops(k, n_features, share, arithmetic):
    rng = np.random.default_rng(0)
    machines = machines_of_all_pairs(k, n_features)
    pairs = some_pairs(k, share, rng)
    numbers = machines.machine_of(*pairs.of_machine.T)
    # The same machines without those that are left out.
    parts = [np.arange(machines.start[m], machines.start[m + 1]) for m in numbers]
    entries = np.concatenate(parts)
    fewer = type(machines)(
        n_classes=k, kernel=machines.kernel, pool=machines.pool,
        start=np.cumsum([0, *map(len, parts)]), index=machines.index[entries],
        coef=machines.coef[entries], intercept=machines.intercept[numbers],
        n_iter=machines.n_iter[numbers], converged=machines.converged[numbers], some_pairs=pairs,
    )  # fmt: skip
    scores = rng.normal(size=(60, k)).astype(np.float32)
    query = rng.normal(size=(60, n_features))
    query[:, -1] = (np.arange(60) + 1) * 1e-4
    values = machine_values(machines, query)[:, numbers]
    of_machine = [tuple(pair) for pair in pairs.of_machine.tolist()]
    for gap in (inf, 1.5):
        route = Elimination(OwnClasses(pairs), FixedShortlist(scores, gap))
        expected = [
            by_hand(scores[r], gap, dict(zip(of_machine, values[r], strict=True)))
            for r in range(60)
        ]
        counts = np.zeros(60, dtype=np.int64)
        assert route.predict(fewer, query, 1, counts).tolist() == [c for c, _ in expected]
        assert counts.tolist() == [len(evaluated) for _, evaluated in expected]
        assert last_round(route, fewer, query)[0].tolist() == [c for c, _ in expected]


@pytest.mark.parametrize(
    ("start", "partner"),
    [([0, 1, 1], [1, 2]), ([0, 2, 2, 2], [2, 1]), ([0, 1, 1, 1], [3]), ([0, 0, 1, 1], [1])],
)
def test_pairs_that_are_none_are_refused(start, partner):
    with pytest.raises(ValueError, match=r"class|machines"):
        CompiledLevels.of_pairs(
            n_classes=3, start=np.array(start), partner=np.array(partner, dtype=np.int32)
        )
