"""The cost on training rows, against elimination round by round with ranges computed in NumPy."""

from typing import NamedTuple

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

from dcsvm import DCSVC
from dcsvm.data.pairs import class_pairs, machine_of
from dcsvm.data.rows import canonical_rows
from dcsvm.routing.elimination.linear import linear_shortlist
from dcsvm.routing.elimination.measuring import ROWS_TO_COMPARE, Trials, mean_evaluations
from dcsvm.routing.elimination.rounds import Elimination, eliminate, within_gap
from dcsvm.routing.plausibility import margin_levels, plausible_range
from dcsvm.routing.select import Rule, make_levels


class PlausibleRanges(NamedTuple):
    """The exact ranges of all machines."""

    n_classes: int
    low: np.ndarray
    high: np.ndarray

    def machine_of(self, i, j):
        return machine_of(i, j, self.n_classes)

    def plausible(self, machine, values):
        value = values[:, np.newaxis]
        plausible = (self.low[machine] <= value) & (value <= self.high[machine])
        own = class_pairs(self.n_classes)[machine]
        plausible[np.arange(len(machine))[:, np.newaxis], own] = True
        return plausible


def cost_by_rounds(fitted, rows, machines, levels, theta):
    """The same cost, all machines of a round at a time."""
    chosen = np.unique(np.linspace(0, len(fitted.rows) - 1, ROWS_TO_COMPARE).astype(int))
    query = machines.prepare(rows.take(fitted.rows[chosen]))
    scores = fitted.left_out[chosen].astype(np.float32)
    candidates = within_gap(scores, fitted.shortlist.at(theta).gap)
    rounds = eliminate(machines, levels, query, scores, candidates)
    return mean_evaluations(rounds, machines, len(chosen)) + fitted.shortlist.cost


def blobs(k, n, **changes):
    X, y = make_blobs(n, centers=k, n_features=6, cluster_std=2.5, random_state=0)
    clf = DCSVC(**{"C": 10, "shortlist": None, **changes}).fit(X, y)
    return clf, canonical_rows(X, y.astype(np.int64), np.ones(n), k)


@pytest.mark.parametrize("scaling", [None, "pair"])
@pytest.mark.parametrize(("k", "n"), [(12, 400), (30, 100), (8, 8)])
def test_cost_by_values_is_that_of_the_rounds(k, n, scaling):
    clf, rows = blobs(k, n, scaling=scaling)
    fitted = linear_shortlist(rows, clf.machines_)
    trials = Trials(rows, clf.machines_, clf.table_, "margin")
    costs = []
    for theta in (0.1, 0.003, 1e-5):
        ranges = PlausibleRanges(k, *plausible_range(clf.table_.values, theta))
        costs.append(cost_by_rounds(fitted, rows, clf.machines_, ranges, theta))
        assert trials.cost(fitted, theta) == pytest.approx(costs[-1], rel=1e-12)
    assert n == 8 or max(costs) > min(costs)


def test_cost_by_signs_is_that_of_the_rounds():
    clf, rows = blobs(12, 400)
    fitted = linear_shortlist(rows, clf.machines_)
    levels = make_levels(clf.table_, Rule(0.01, "sign"))
    expected = cost_by_rounds(fitted, rows, clf.machines_, levels, 0.01)
    trials = Trials(rows, clf.machines_, clf.table_, "sign")
    assert trials.cost(fitted, 0.01) == pytest.approx(expected, rel=1e-12)


def test_a_cost_is_measured_once_for_each_shortlist_and_theta(monkeypatch):
    clf, rows = blobs(12, 400)
    fitted = linear_shortlist(rows, clf.machines_)
    trials = Trials(rows, clf.machines_, clf.table_, "margin")
    known = trials.mean_cost(fitted, 0.01)
    other = fitted._replace(left_out=-fitted.left_out)
    assert trials.mean_cost(other, 0.01) != known
    assert trials.mean_cost(fitted, 1e-5) != known

    def measure_again(rows):
        raise AssertionError("it is known")

    monkeypatch.setattr(clf.machines_, "prepare", measure_again)
    assert trials.mean_cost(fitted, 0.01) is known


def test_rows_too_long_for_single_precision_are_tried_in_double():
    clf, rows = blobs(6, 100, kernel="poly", degree=3)
    rows.X[3] *= 1e12
    fitted = linear_shortlist(rows, clf.machines_)
    ranges = PlausibleRanges(6, *plausible_range(clf.table_.values, 0.01))
    expected = cost_by_rounds(fitted, rows, clf.machines_, ranges, 0.01)
    trials = Trials(rows, clf.machines_, clf.table_, "margin", n_jobs=2)
    assert trials.cost(fitted, 0.01) == pytest.approx(expected, rel=1e-12)


def test_cost_is_that_of_predicting_the_rows_with_these_scores():
    X, y = load_digits(return_X_y=True)
    X, y = X[:ROWS_TO_COMPARE], y[:ROWS_TO_COMPARE]
    clf = DCSVC(C=10, gamma=1e-3).fit(X, y)
    rows = canonical_rows(X, y.astype(np.int64), np.ones(len(y)), 10)
    fitted = linear_shortlist(rows, clf.machines_)
    # As predicting has them: scores of the rows themselves, and not those when left out.
    scores = fitted.shortlist.scores(rows.X, clf.machines_)[:, :10]
    trials = Trials(rows, clf.machines_, clf.table_, "margin")
    found = trials.cost(fitted._replace(left_out=scores), 0.01)
    other = clf.rethreshold(theta=0.01)
    other._route = Elimination(margin_levels(clf.table_, 0.01), fitted.shortlist.at(0.01))
    expected = other.decision_cost(rows.X).kernel_evaluations.mean()
    assert abs(found / expected - 1) < 0.03  # the levels of `margin_levels` are rounded
