"""A fit whose rows lie elsewhere gives what it gives here."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from dcsvm import DCSVC
from dcsvm.data.rows import TrainingRows, canonical_rows
from dcsvm.estimators.access import fit_elsewhere
from dcsvm.estimators.stages import StagesHere


class Elsewhere:
    """A matrix of which nothing is here but its shape."""

    def __init__(self, shape):
        self.shape = shape


@dataclass(frozen=True)
class DistantRows(TrainingRows):
    source: Any = None

    def take(self, numbers):
        return self.source.X[numbers]


class Stages(StagesHere):
    def __init__(self):
        self.asked = []

    def train(self, rows, class_weight, parameters, some_pairs):
        self.asked.append("train")
        return StagesHere.train(rows.source, class_weight, parameters, some_pairs)

    def table(self, machines, rows, classes, n_jobs, want_signs, kept):
        self.asked.append("table")
        return StagesHere.table(machines, rows.source, classes, n_jobs, want_signs, kept)

    def in_memory(self, rows):
        self.asked.append("rows")
        return getattr(rows, "source", rows)


def make_problem(k=5, n=300):
    rng = np.random.default_rng(0)
    y = np.arange(n) % k
    return rng.normal(size=(n, 4)) + 2 * rng.normal(size=(k, 4))[y], y


@pytest.mark.parametrize(
    ("parameters", "asked"),
    [
        ({}, ["train", "table"]),
        ({"scaling": "pair"}, ["train", "table"]),
        ({"routing": "sign", "shortlist": None}, ["train", "table", "rows", "rows"]),
        ({"machines": "needed", "theta": 0.01}, ["rows", "train"]),
    ],
)
def test_the_fit_is_the_same(parameters, asked):
    X, y = make_problem()
    here = DCSVC(**parameters).fit(X, y)
    there, stages = DCSVC(**parameters), Stages()
    rows = canonical_rows(X, y, np.ones(len(y)), 5)
    distant = DistantRows(Elsewhere(X.shape), rows.weight, rows.class_start, source=rows)
    fit_elsewhere(there, X[:1], lambda: (distant, np.unique(y), stages))
    assert stages.asked == asked
    assert np.array_equal(there.decision_function(X), here.decision_function(X))
    assert there.theta_ == here.theta_
    assert there.n_features_in_ == 4


def test_what_stops_it_leaves_the_estimator_as_it_was():
    X, y = make_problem()
    clf = DCSVC().fit(X, y)
    before = vars(clf).copy()

    def fail():
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        fit_elsewhere(clf, X[:1, :3], fail)
    assert vars(clf) == before
