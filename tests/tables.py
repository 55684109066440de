"""Tables for tests: the paper's worked example, and random ones."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from dcsvm import PredictionTable
from dcsvm.routing.dag.splitting import Cuts

GLASS = (1, 2, 3, 5, 6, 7)

# (purity, balance) of each machine at the root for θ = 0, from the paper.
GLASS_MEASURES = {
    (1, 2): (0, 1), (1, 3): (4, 1), (1, 5): (3, 1), (1, 6): (3, 1), (1, 7): (3, 1),
    (2, 3): (3, 1), (2, 5): (1, 2), (2, 6): (3, 1), (2, 7): (2, 1), (3, 5): (2, 1),
    (3, 6): (1, 1), (3, 7): (3, 1), (5, 6): (0, 2), (5, 7): (0, 2), (6, 7): (4, 1),
}  # fmt: skip

# The same in the left child {1, 2, 3, 5}.
GLASS_LEFT_MEASURES = {
    (1, 2): (0, 1), (1, 3): (2, 1), (1, 5): (1, 1), (2, 3): (1, 1), (2, 5): (0, 1), (3, 5): (2, 1),
}  # fmt: skip

# Which classes lie wholly on one side of each machine; all others are undecided. The paper
# prints a part of its table; this is one that agrees with all it prints and measures.
GLASS_DECIDED = {
    (1, 2): {3: 2, 5: 2, 6: 2, 7: 2},
    (1, 3): {},
    (1, 5): {3: 5},
    (1, 6): {3: 1},
    (1, 7): {5: 7},
    (2, 3): {5: 3},
    (2, 5): {1: 2, 3: 2, 6: 5},
    (2, 6): {5: 6},
    (2, 7): {1: 2, 3: 2},
    (3, 5): {6: 5, 7: 5},
    (3, 6): {1: 3, 2: 3, 5: 3},
    (3, 7): {2: 3},
    (5, 6): {1: 5, 2: 5, 3: 5, 7: 6},
    (5, 7): {1: 5, 2: 5, 3: 5, 6: 7},
    (6, 7): {},
}


def glass_table():
    to_i = []
    for (i, j), decided in GLASS_DECIDED.items():
        side = {i: i, j: j, **decided}
        to_i.append([{i: 1.0, j: 0.0}.get(side.get(c), 0.6) for c in GLASS])
    to_i[list(GLASS_DECIDED).index((1, 6))][GLASS.index(2)] = 0.918
    return PredictionTable.from_likelihoods(GLASS, to_i)


@st.composite
def random_fractions(draw, max_classes=7):
    """Fractions to i, from clean to hopeless, with machines that err on their own classes too."""
    k = draw(st.integers(2, max_classes))
    shape = (k * (k - 1) // 2, k)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    undecided = draw(st.sampled_from([0.0, 0.2, 0.5, 0.9]))
    own_errors = draw(st.sampled_from([0.0, 0.05, 0.5]))
    # Steps of 1/64 are exact, so that thresholds are met exactly and scores tie.
    noise = rng.integers(0, 65, shape) / 64
    to_i = np.where(rng.random(shape) < undecided, noise, rng.integers(0, 2, shape))
    for m, (i, j) in enumerate(combinations(range(k), 2)):
        to_i[m, i] = noise[m, i] if rng.random() < own_errors else 1.0
        to_i[m, j] = noise[m, j] if rng.random() < own_errors else 0.0
    return to_i


thetas = st.sampled_from([0.0, 1 / 64, 0.02, 0.125, 0.49])
criteria = st.sampled_from(["purity", "score"])


class ScriptedMachines:
    """Machines whose values at every row are written down beforehand."""

    def __init__(self, values, n_classes):
        self.script = np.asarray(values, dtype=np.float64)
        self.n_classes = n_classes

    def query_width(self, X):
        return X.shape[1]

    def prepare(self, X):
        return np.asarray(X)

    def values(self, query, row, machine, n_jobs=None):
        return self.script[query[row, 0], machine]


def to_words(bits, words):
    """A set, an integer with a bit per class, as a row of words."""
    return np.frombuffer(bits.to_bytes(8 * words, "little"), dtype="<u8")


def from_words(words):
    """The inverse of `to_words`."""
    return int.from_bytes(words.astype("<u8", copy=False).tobytes(), "little")


class OneByOneSplitter:
    """A rule written for one set of candidates, an integer, at a time."""

    def choose(self, candidates):
        machines = [self.choose_one(from_words(words)) for words in candidates]
        return np.array(machines, dtype=np.int32)

    def cuts(self, machine, candidates):
        each = [self.divide(m, from_words(w))[0] for m, w in zip(machine, candidates, strict=True)]
        n_cuts = np.array([len(cuts) for cuts in each], dtype=np.int64)
        return Cuts(n_cuts, np.array([cut for cuts in each for cut in cuts], dtype=float))

    def children(self, machine, candidates, interval):
        sets = [
            self.divide(m, from_words(w))[1][t]
            for m, w, t in zip(machine, candidates, interval, strict=True)
        ]
        return np.array([to_words(s, candidates.shape[1]) for s in sets], dtype=np.uint64)
