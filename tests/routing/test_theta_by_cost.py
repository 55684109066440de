"""θ chosen by cost, against trying every θ."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

from dcsvm import DCSVC
from dcsvm.data.rows import canonical_rows
from dcsvm.routing.elimination.linear import linear_shortlist
from dcsvm.routing.elimination.measuring import Trials
from dcsvm.routing.theta_by_cost import (
    MORE,
    SHARES,
    SMALLER_ALONG_STRUCTURE,
    largest_theta,
    theta_by_cost,
)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300] / 16, y[:300]


def test_the_smallest_theta_whose_cost_is_little_more():
    X, y = make_blobs(300, centers=20, n_features=6, cluster_std=2.0, random_state=0)
    clf = DCSVC(C=10).fit(X, y)
    rows = canonical_rows(X, y.astype(np.int64), np.ones(len(y)), 20)
    fitted, values = linear_shortlist(rows, clf.machines_), clf.table_.values
    largest = largest_theta(values.n_rows)
    trials = Trials(rows, clf.machines_, clf.table_, "margin")
    cost = {share: trials.cost(fitted, share * largest) for share in SHARES}
    affordable = [share for share in SHARES if cost[share] <= MORE * cost[1.0]]
    assert 1 < len(affordable) < len(SHARES)
    found = theta_by_cost(fitted, trials, largest)
    assert found == largest * min(affordable)
    assert clf.theta == "cost"
    assert 0 < clf.theta_ <= largest


def test_theta_begins_larger_with_fewer_rows():
    assert largest_theta(np.array([4, 100, 10_000])) == pytest.approx(0.002)
    assert largest_theta(np.array([25])) == pytest.approx(0.004)


def test_classes_far_apart_have_a_small_theta():
    X, y = make_blobs(200, centers=10, cluster_std=0.1, center_box=(-20, 20), random_state=0)
    clf = DCSVC(table_rows=20).fit(X, y)  # not by the vote
    assert clf.theta_ == pytest.approx(largest_theta(np.array([20])) * SHARES[-1])


def test_without_a_shortlist_theta_depends_on_the_number_of_rows_alone(digits):
    clf = DCSVC(C=10, shortlist=None).fit(*digits)
    n_rows = clf.table_.values.n_rows
    assert clf.theta_ == largest_theta(n_rows) / SMALLER_ALONG_STRUCTURE
