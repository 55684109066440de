"""The pairs that need a machine, against plain loops, and what is promised on rows held out."""

from math import inf

import numpy as np
import pytest

from dcsvm.data.rows import canonical_rows
from dcsvm.routing.elimination import needed
from dcsvm.routing.elimination.needed import Scored, confused_pairs, needed_pairs
from dcsvm.routing.elimination.prototypes import class_scores


def overlapping(k, n, rng, spread=0.6, n_features=4):
    """Rows of classes around centres, some of which are near each other."""
    centres = np.random.default_rng(1).normal(size=(k, n_features)) * 2
    y = rng.permutation(np.arange(n) % k)
    return centres[y] + rng.normal(size=(n, n_features)) * spread, y


def pairs_by_hand(scores, codes, gap, theta):
    """As the docstring of needed.py has it, with a loop for every sentence."""
    n, k = scores.shape
    own = scores[np.arange(n), codes]
    in_gap = [bool(scores[r].max() - own[r] <= gap) for r in range(n)]

    def e(first, second, without):
        """The highest score of one class less that of the other, which is the row's own."""
        found = [-inf]
        for r in np.flatnonzero(np.isin(codes, (first, second))):
            if in_gap[r] and r != without:
                other = second if codes[r] == first else first
                excess = scores[r, other] - own[r]
                found.append(excess if excess >= -gap else -inf)
        return max(found)

    needs = np.zeros(n)
    for r in range(n):
        for c in range(k):
            if in_gap[r] and c != codes[r] and scores[r, c] >= own[r]:
                needs[r] = max(needs[r], -e(codes[r], c, r))
    place = int(np.ceil((n + 1) * (1 - theta) - 1e-9))
    slack = min(gap, np.sort(needs)[place - 1] if place <= n else inf)
    pairs = {(i, j) for i in range(k) for j in range(i + 1, k) if e(i, j, None) >= -slack}
    lost = [not in_gap[r] or needs[r] > slack for r in range(n)]
    return pairs, float(np.mean(lost))


@pytest.mark.parametrize("gap", [0.5, 2.0])
@pytest.mark.parametrize("theta", [0.3, 0.1, 0.001])
def test_pairs_are_those_of_plain_loops(theta, gap):
    rng = np.random.default_rng(0)
    X, y = overlapping(12, 90, rng)
    rows = canonical_rows(X, y, np.ones(90), 12)
    codes = rows.codes(np.arange(90))
    scores = rng.normal(size=(90, 12)).astype(np.float32)
    scores[np.arange(90), codes] += 1.5
    parts = [
        Scored(np.arange(a, a + 30), np.arange(12), scores[a : a + 30], own)
        for a in (0, 30, 60)
        for own in [scores[np.arange(a, a + 30), codes[a : a + 30]]]
    ]
    pairs, lost = confused_pairs(rows, parts, gap, theta)
    expected = pairs_by_hand(scores, codes, gap, theta)
    assert ({(int(i), int(j)) for i, j in pairs}, lost) == expected
    assert 0 < len(pairs) < 66 or theta == 0.001


@pytest.mark.parametrize("n_prototypes", [1, 4])
def test_classes_out_of_reach_are_left_out_and_no_others(n_prototypes, monkeypatch):
    monkeypatch.setattr(needed, "N_PROTOTYPES", (n_prototypes,))
    monkeypatch.setattr(needed, "CLASSES_AT_ONCE", 7)
    X, y = overlapping(40, 400, np.random.default_rng(0), spread=0.4)
    rows = canonical_rows(X, y, np.ones(400), 40)
    grouped = needed._best_groups(rows)
    every = class_scores(grouped.Z, grouped.padded_prototypes)
    every[np.arange(400), rows.codes(np.arange(400))] = grouped.own_score
    seen, n_scored = np.zeros(400, dtype=int), 0
    for part in needed._near(grouped, 1.0):
        seen[part.rows] += 1
        n_scored += part.scores.size
        np.testing.assert_allclose(part.scores, every[np.ix_(part.rows, part.classes)], rtol=1e-4)
        others = np.setdiff1d(np.arange(40), part.classes)
        far = every[np.ix_(part.rows, others)]
        assert (far < part.own[:, np.newaxis] - 1.0).all()
    assert (seen == 1).all()
    assert n_scored < every.size / 2


@pytest.mark.parametrize("theta", [0.01, 0.05])
def test_of_rows_held_out_no_more_are_lost_than_promised(theta):
    k, n_lost, n_cut, n_asked, estimates = 45, 0, 0, 0, []
    for split in range(4):
        rng = np.random.default_rng(split)
        X, y = overlapping(k, 2700, rng)
        rows = canonical_rows(X, y, np.ones(len(y)), k)
        found = needed_pairs(rows, theta)
        assert found.pairs is not None
        assert len(found.pairs) < k * (k - 1) / 4
        asked, right = overlapping(k, 4500, rng)
        scores = found.shortlist.scores(asked, None)[:, :k]
        own = scores[np.arange(len(right)), right]
        cut = scores.max(axis=1) - own > found.shortlist.gap
        row, above = np.nonzero(scores > own[:, np.newaxis])
        i, j = np.minimum(right[row], above), np.maximum(right[row], above)
        lacks = np.zeros(len(right), dtype=bool)
        lacks[row[found.pairs.machine_of(i, j) < 0]] = True
        n_cut += cut.sum()
        n_lost += (lacks & ~cut).sum()
        n_asked += len(right)
        estimates.append(found.missed)
    # Three standard errors, and what rows of a split have in common.
    room = 3 * np.sqrt(theta / n_asked) + 0.1 * theta
    assert n_cut / n_asked <= theta + room
    assert n_lost / n_asked <= theta + room
    assert (n_cut + n_lost) / n_asked == pytest.approx(np.mean(estimates), abs=room + theta / 4)


def test_every_class_has_a_machine_and_few_are_trained_where_classes_are_far_apart():
    X, y = overlapping(60, 600, np.random.default_rng(0), spread=0.01)
    found = needed_pairs(canonical_rows(X, y, np.ones(600), 60), 0.01)
    assert set(found.pairs.of_machine.ravel().tolist()) == set(range(60))
    assert len(found.pairs) <= 60
    assert found.missed == 0
    assert found.shortlist.accuracy == 1


def test_all_pairs_are_needed_where_nothing_may_be_left_out():
    X, y = overlapping(40, 400, np.random.default_rng(0))
    rows = canonical_rows(X, y, np.ones(400), 40)
    assert needed_pairs(rows, 0.0).pairs is None
    few = rows.sample(1, np.random.RandomState(0))
    assert needed_pairs(few, 0.01).pairs is None, "rows that are alone say nothing about scores"


def test_candidates_and_machines_are_bounded(monkeypatch):
    monkeypatch.setattr(needed, "MOST_CANDIDATES", 5)
    X, y = overlapping(60, 1200, np.random.default_rng(0), spread=2.0)
    rows = canonical_rows(X, y, np.ones(1200), 60)
    found = needed_pairs(rows, 0.001)
    scores = found.shortlist.scores(X, None)[:, :60]
    near = scores >= scores.max(axis=1, keepdims=True) - found.shortlist.gap
    assert 3 < near.sum(axis=1).mean() < 7
    assert 0.05 < found.missed < 1
    monkeypatch.setattr(needed, "MOST_PARTNERS", 4)
    fewer = needed_pairs(rows, 0.001)
    assert 60 < len(fewer.pairs) <= 120 + 60
    assert fewer.missed > found.missed


def test_rows_that_are_alone_in_their_class_do_not_count():
    X, y = overlapping(40, 400, np.random.default_rng(0))
    rows = canonical_rows(X, y, np.ones(400), 40)
    alone = canonical_rows(
        np.concatenate([X, X[:5] + 0.01]), np.concatenate([y, 40 + np.arange(5)]), np.ones(405), 45
    )
    found, with_alone = needed_pairs(rows, 0.05), needed_pairs(alone, 0.05)
    assert with_alone.shortlist.gap == pytest.approx(found.shortlist.gap, abs=1.0)
    assert with_alone.missed == pytest.approx(found.missed, abs=0.05)
    assert set(range(40, 45)) <= set(with_alone.pairs.of_machine.ravel().tolist())
