"""The cost on training rows, against the cost of predicting them."""

import numpy as np
from sklearn.datasets import load_digits

from dcsvm import DCSVC
from dcsvm.data.rows import canonical_rows
from dcsvm.routing.elimination.linear import linear_shortlist
from dcsvm.routing.elimination.measuring import ROWS_TO_COMPARE, cost_with
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.plausibility import PlausibleRanges, margin_levels


def test_cost_is_that_of_predicting_the_rows_with_these_scores():
    X, y = load_digits(return_X_y=True)
    X, y = X[:ROWS_TO_COMPARE], y[:ROWS_TO_COMPARE]
    clf = DCSVC(C=10, gamma=1e-3).fit(X, y)
    rows = canonical_rows(X, y.astype(np.int64), np.ones(len(y)), 10)
    fitted = linear_shortlist(rows, clf.machines_)
    # As predicting has them: scores of the rows themselves, and not those when left out.
    scores = fitted.shortlist.scores(rows.X, clf.machines_)[:, :10]
    ranges = PlausibleRanges(10, clf.table_.values, 0.01)
    found = cost_with(fitted._replace(left_out=scores), rows, clf.machines_, ranges, 0.01)
    other = clf.rethreshold(theta=0.01)
    other._route = Elimination(margin_levels(clf.table_, 0.01), fitted.shortlist.at(0.01))
    expected = other.decision_cost(rows.X).kernel_evaluations.mean()
    assert abs(found / expected - 1) < 0.03  # the levels of `margin_levels` are rounded
