"""Elimination: compiled against its rounds, and both against a few plain loops."""

from itertools import combinations
from math import ceil, inf

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from tests.tables import ScriptedMachines

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm._core import CLOSE_VALUE, MOST_ASIDE, PANEL_WIDTH
from dcsvm.data.pairs import n_pairs
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.plausibility import Levels
from dcsvm.routing.route import NO_MACHINE


class FixedShortlist:
    """Scores that are written down beforehand; the last feature of a row is its number."""

    cost = 0.0

    @staticmethod
    def compiled(machines):
        return None

    def __init__(self, scores, gap=inf):
        k = scores.shape[1]
        padded = -(-k // PANEL_WIDTH) * PANEL_WIDTH
        self.padded = np.full((len(scores), padded), np.nan, dtype=np.float32)
        self.padded[:, :k] = scores
        self.gap = gap

    def scores(self, X, machines):
        return self.padded[self.numbers(X)]

    @staticmethod
    def numbers(X):
        last = X[:, [X.shape[1] - 1]]
        last = last.toarray() if sparse.issparse(last) else last
        return np.rint(np.asarray(last)[:, 0] * 1e4).astype(int) - 1


def by_hand(k, scores, gap, value_of, levels):
    """One row, as the docstring of elimination.py has it. Also who was asked, in order."""
    best = max(scores)
    threshold = np.float32(best) - np.float32(gap)
    left = {c for c in range(k) if np.float32(scores[c]) >= threshold}
    order = sorted(range(k), key=lambda c: (-np.float32(scores[c]), c))
    pairs = list(combinations(range(k), 2))

    def plausible(m, v, c):
        x = (v - levels.origin[m]) * levels.scale[m]
        level = 0 if not x > 0 else min(255, ceil(min(x, 255.0)))
        return int(levels.low[m, c]) <= level <= int(levels.high[m, c])

    champion = order[0]
    aside, asked, known = [], [], {}
    while True:
        others = [c for c in order if c in left and c != champion and c not in aside]
        if not others:
            break
        i, j = sorted((champion, others[0]))
        m = pairs.index((i, j))
        v = value_of(m)
        asked.append(m)
        champion, loser = (i, j) if v > 0 else (j, i)
        left = {c for c in left if c in (i, j) or plausible(m, v, c)}
        aside = [c for c in aside if c in left]
        if abs(v) < CLOSE_VALUE and len(aside) < MOST_ASIDE:
            aside.append(loser)
            known[m] = v
        else:
            left.remove(loser)
    assert left == {champion, *aside}
    votes = dict.fromkeys(sorted(left), 0.0)
    for i, j in combinations(sorted(left), 2):
        m = pairs.index((i, j))
        if m not in known:
            known[m] = value_of(m)
            asked.append(m)
        v = known[m]
        votes[i if v > 0 else j] += 1
        votes[i] += 0.001 * min(max(v, -1), 1)
        votes[j] -= 0.001 * min(max(v, -1), 1)
    return max(votes, key=votes.get), asked


def random_levels(k, rng, spread=3.0):
    """Plausible ranges of every width, so that all kinds of rounds happen."""
    machines = n_pairs(k)
    padded = -(-k // PANEL_WIDTH) * PANEL_WIDTH
    levels = Levels(
        k,
        rng.normal(size=machines) - spread,
        np.full(machines, 254 / (2 * spread)),
        np.full((machines, padded), 255, dtype=np.uint8),
        np.zeros((machines, padded), dtype=np.uint8),
    )
    centre = rng.integers(0, 256, (machines, k))
    reach = rng.integers(30, 200, (machines, k))
    levels.low[:, :k] = np.clip(centre - reach, 0, 255)
    levels.high[:, :k] = np.clip(centre + reach, 0, 255)
    for m, (i, j) in enumerate(combinations(range(k), 2)):
        levels.low[m, [i, j]], levels.high[m, [i, j]] = 0, 255
    return levels


def last_round(route, machines, X, n_jobs=None):
    """The class each row ends in, round by round, and the machines asked."""
    leaf, asked = np.full(X.shape[0], -1), [[] for _ in range(X.shape[0])]
    for step in route.rounds(machines, X, n_jobs):
        assert (step.was_in | ~step.is_in).all(), "no class may come back"
        assert step.is_in.any(axis=1).all(), "somebody must be left"
        for row, m, left in zip(step.rows, step.machine, step.is_in, strict=True):
            leaf[row] = left.argmax() if left.sum() == 1 else -1
            if m != NO_MACHINE:
                asked[row].append(int(m))
    return leaf, asked


@pytest.mark.parametrize("gap", [inf, 1.0, 0.0])
@pytest.mark.parametrize("k", [3, 6, 17])
def test_rounds_are_those_of_plain_loops(k, gap):
    rng = np.random.default_rng(k)
    # Many values are close to zero, so that losers are set aside and vote.
    values = rng.normal(size=(200, n_pairs(k))) * rng.choice([0.1, 0.3, 2.0], (200, 1))
    scores = rng.normal(size=(200, k)).round(1).astype(np.float32)  # some are equal
    levels = random_levels(k, rng)
    machines = ScriptedMachines(values, k)
    X = np.arange(200)[:, np.newaxis]
    shortlist = FixedShortlist(scores, gap)
    shortlist.numbers = lambda X: np.asarray(X)[:, 0]
    route = Elimination(levels, shortlist)
    leaf, asked = last_round(route, machines, X)
    expected = [
        by_hand(k, scores[r].tolist(), gap, values[r].__getitem__, levels) for r in range(200)
    ]
    assert leaf.tolist() == [c for c, _ in expected]
    assert asked == [path for _, path in expected]
    counts = np.zeros(200, dtype=np.int64)
    assert route.predict(machines, X, None, counts).tolist() == leaf.tolist()
    assert counts.tolist() == [len(path) for path in asked]
    if gap == inf and k > 3:
        assert (leaf != scores.argmax(axis=1)).any()
    if gap == 0.0:
        only = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) == 1
        assert (leaf[only] == scores.argmax(axis=1)[only]).all()


def test_a_close_loser_may_win_the_vote():
    # 0 beats 1 closely, loses to 2 closely; 1 beats 2 clearly: one vote each, and the sum of
    # values decides.
    k = 3
    levels = random_levels(k, np.random.default_rng(0))
    levels.low[:, :k], levels.high[:, :k] = 0, 255
    script = np.array([[0.1, -0.1, 0.9], [0.5, -0.1, 0.9], [0.1, 0.1, 0.9]])
    shortlist = FixedShortlist(np.tile(np.array([[3.0, 2.0, 1.0]]), (3, 1)))
    shortlist.numbers = lambda X: np.asarray(X)[:, 0]
    X = np.arange(3)[:, np.newaxis]
    leaf, asked = last_round(Elimination(levels, shortlist), ScriptedMachines(script, k), X)
    # Row 1: class 1 loses clearly and is out; 0 and 2 are left, and 2 beat 0.
    assert leaf.tolist() == [1, 2, 0]
    assert asked == [[0, 1, 2], [0, 1], [0, 1, 2]]


def guided(k, n_features, rng, **parameters):
    """A classifier, rows to ask about, and random rules by which much happens."""
    n = 12 * k
    y = np.arange(n) % k
    centres = rng.normal(size=(k, n_features))
    X = centres[y] + rng.normal(size=(n, n_features)) * 1.5
    clf = DCSVC.paper(kernel="rbf", gamma=0.5 / n_features, **parameters).fit(X, y)
    asked = centres[rng.integers(0, k, 300)] + rng.normal(size=(300, n_features)) * 1.5
    asked[np.abs(asked) < 0.4] = 0.0
    # The number of the row; small, so that it says little else.
    asked[:, -1] = (np.arange(300) + 1) * 1e-4
    scores = rng.normal(size=(300, k)).astype(np.float32)
    return clf.machines_, asked, scores


@pytest.mark.parametrize(
    ("k", "n_features", "scaling"),
    [(3, 5, None), (7, 20, "pair"), (16, 48, "global"), (18, 3, None), (46, 50, None)],
)
def test_compiled_elimination_is_that_of_the_rounds(k, n_features, scaling, arithmetic):
    rng = np.random.default_rng(k)
    machines, X, scores = guided(k, n_features, rng, scaling=scaling)
    levels = random_levels(k, rng, spread=1.0)
    for gap in (inf, 0.7):
        route = Elimination(levels, FixedShortlist(scores, gap))
        leaf, asked = last_round(route, machines, X)
        assert (route.predict(machines, X, 1) == leaf).all()
        counts = np.zeros(300, dtype=np.int64)
        assert (route.predict(machines, X, 2, counts) == leaf).all()
        assert counts.tolist() == [len(path) for path in asked]
        assert (route.predict(machines, sparse.csr_array(X), 1) == leaf).all()
        one_by_one = [int(route.predict(machines, X[r : r + 1], 1)[0]) for r in range(100)]
        assert one_by_one == leaf[:100].tolist()
        assert (route.predict(machines, X[37:42], 1) == leaf[37:42]).all()
        query = machines.prepare(X)
        for r in range(0, 300, 15):

            def value_of(m, r=r, query=query):
                found = machines.values(query, np.array([r]), np.array([m], dtype=np.int32))
                return float(found[0])

            expected = by_hand(k, scores[r].tolist(), gap, value_of, levels)
            assert (int(leaf[r]), asked[r]) == expected


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("routing", ["margin", "sign"])
def test_all_ways_to_a_digit_are_one(kernel, routing, arithmetic):
    X, y = load_digits(return_X_y=True)
    X = X / 16
    clf = DCSVC(kernel=kernel, gamma=0.05, coef0=0.5, routing=routing).fit(X[:500], y[:500])
    asked = X[500:900]
    labels = clf.predict(asked)
    assert (clf.classes_[clf.decision_function(asked).argmax(axis=1)] == labels).all()
    assert (clf.predict(sparse.csr_array(asked)) == labels).all()
    assert (clf.predict(asked.astype(np.float32)) == labels).mean() > 0.99
    assert [clf.predictor_.predict(x) for x in asked[:60]] == labels[:60].tolist()
    assert (clf.set_params(n_jobs=2).predict(asked) == labels).all()
    vote = OneVsOneSVC.from_machines(clf).predict(asked)
    if routing == "margin":
        assert (labels == y[500:900]).mean() > (vote == y[500:900]).mean() - 0.01


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_scores_that_are_no_numbers_leave_a_decision(value, instruction_set):
    rng = np.random.default_rng(0)
    machines, X, scores = guided(7, 5, rng)
    scores[::2, 3] = value
    scores[::3] = value
    for gap in (inf, 0.7):
        route = Elimination(random_levels(7, rng), FixedShortlist(scores, gap))
        leaf, _ = last_round(route, machines, X)
        assert (leaf >= 0).all()
        assert (route.predict(machines, X, 1) == leaf).all()
        assert [int(route.predict(machines, X[r : r + 1], 1)[0]) for r in range(30)] == (
            leaf[:30].tolist()
        )
