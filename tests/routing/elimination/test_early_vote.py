"""A vote that ends early, against the vote of all candidates."""

from itertools import combinations

import numpy as np
import pytest

from dcsvm.data.pairs import class_pairs, n_pairs
from dcsvm.routing.elimination.early_vote import vote_early
from dcsvm.routing.plausibility import Levels, padded
from dcsvm.routing.route import Phase


class Given:
    """Machines whose values are given, and which count what they are asked."""

    def __init__(self, values):
        self.given = values
        self.asked = set()

    def values(self, query, row, machine, n_jobs=None):
        asked = set(zip(row.tolist(), machine.tolist(), strict=True))
        assert not asked & self.asked, "nothing is evaluated twice"
        self.asked |= asked
        return self.given[row, machine]


def all_plausible(k):
    m = n_pairs(k)
    low = np.full((m, padded(k)), 255, dtype=np.uint8)
    high = np.zeros((m, padded(k)), dtype=np.uint8)
    low[:, :k], high[:, :k] = 0, 255
    return Levels(k, np.full(m, -4.0), np.full(m, 30.0), low, high)


def vote(values, candidates, scores, can_win):
    """The obvious way: count every loss among the candidates."""
    k = len(scores)
    lost, total = np.zeros(k), np.zeros(k)
    for m, (i, j) in enumerate(combinations(range(k), 2)):
        if candidates[i] and candidates[j]:
            lost[j if values[m] > 0 else i] += 1
            total[i] += values[m]
            total[j] -= values[m]
    return min(np.flatnonzero(can_win), key=lambda c: (lost[c], -total[c], -scores[c]))


@pytest.mark.parametrize("two_levels", [False, True])
@pytest.mark.parametrize("k", [3, 8, 20])
def test_the_outcome_is_that_of_the_vote_of_all_candidates(k, two_levels):
    rng = np.random.default_rng(k)
    n = 150
    strength, scores = 1.5 * rng.normal(size=(2, n, k))
    i, j = class_pairs(k).T
    values = strength[:, i] - strength[:, j] + rng.normal(size=(n, len(i)))
    values = np.clip(np.where(two_levels, np.sign(values), values), -4, 4)
    candidates = rng.random((n, k)) < 0.8
    candidates[:, 0] = True
    machines = Given(values)
    label = candidates.argmax(axis=1)
    for round_ in vote_early(machines, all_plausible(k), None, scores, candidates):
        label[round_.rows] = round_.is_in.argmax(axis=1)
    for r in range(n):
        assert label[r] == vote(values[r], candidates[r], scores[r], candidates[r])
    of_candidates = candidates.sum(axis=1)
    assert len(machines.asked) <= (of_candidates * (of_candidates - 1) / 2).sum()
    if k == 20:
        assert len(machines.asked) < 0.5 * (of_candidates * (of_candidates - 1) / 2).sum()


def test_a_class_without_loss_is_found_by_its_own_machines():
    k = 12
    values = np.ones((1, n_pairs(k)))  # the first of two classes always wins
    scores = np.arange(k)[np.newaxis] * 1.0
    scores[0, 0] = 99
    machines = Given(values)
    *rounds, last = vote_early(
        machines, all_plausible(k), None, scores, np.ones((1, k), dtype=bool)
    )
    assert [r.machine.tolist() for r in rounds] == [[m] for m in range(k - 2, -1, -1)]
    assert last.phase is Phase.VOTE
    assert last.is_in[0].tolist() == [True] + [False] * (k - 1)


def test_dropped_classes_cannot_win_but_count_as_opponents():
    rng = np.random.default_rng(1)
    k, n = 9, 300
    m = n_pairs(k)
    values = rng.choice([-1.0, 1.0], size=(n, m))
    levels = all_plausible(k)
    third = rng.random((m, k)) < 0.1  # values of one sign are implausible for these classes
    third[np.arange(m)[:, np.newaxis], class_pairs(k)] = False
    levels.high[:, :k][third] = 100  # −1 is level 90, 1 is level 150
    machines, scores = Given(values), rng.normal(size=(n, k))
    label, left = np.zeros(n, dtype=int), np.ones((n, k), dtype=bool)
    for round_ in vote_early(machines, levels, None, scores, np.ones((n, k), dtype=bool)):
        label[round_.rows] = round_.is_in.argmax(axis=1)
        if round_.phase is Phase.MACHINE:
            dropped = round_.was_in & ~round_.is_in
            out = (values[round_.rows, round_.machine] > 0)[:, np.newaxis] & third[round_.machine]
            assert (dropped == (round_.was_in & out)).all()
            left[round_.rows] = round_.is_in
    assert 1 < left.sum(axis=1).mean() < k
    for r in range(n):
        assert label[r] == vote(values[r], np.ones(k, dtype=bool), scores[r], left[r])


def test_a_value_that_the_table_has_seen_is_plausible():
    """The table holds values in half precision: log(5) is not among them."""
    k, seen = 3, np.log(5)
    as_held = float(np.float16(seen))
    levels = all_plausible(k)._replace(
        origin=np.full(3, as_held - 1e-3), scale=np.full(3, 254 / 1e-3)
    )
    levels.high[0, 2] = np.ceil((as_held - levels.origin[0]) * levels.scale[0])
    assert as_held < seen
    scores = np.array([[3.0, 2.0, 1.0]])
    first = next(
        vote_early(Given(np.full((1, 3), seen)), levels, None, scores, np.ones((1, 3), dtype=bool))
    )
    assert first.is_in.tolist() == [[True, True, True]]
