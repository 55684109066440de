"""The vote at few rows, against that of the compiled engine."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from dcsvm import OneVsOneSVC
from dcsvm.estimators.search import few_rows
from dcsvm.estimators.voting import vote_of_machines


@pytest.mark.parametrize("scaling", [None, "global"])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
def test_votes_are_those_of_the_engine(kernel, scaling):
    X, y = load_digits(return_X_y=True)
    fitted = OneVsOneSVC(kernel=kernel, gamma=0.02, coef0=0.5, C=0.1, scaling=scaling)
    X = X / 8 if scaling is None else X
    machines = fitted.fit(X[:150].astype(np.float32), y[:150]).machines_
    rows = X[1000:1050]
    found = few_rows.few_row_vote(machines, rows)
    np.testing.assert_array_equal(found, vote_of_machines(machines, rows, 1))
    assert (found == y[1000:1050]).mean() > 0.5


def test_many_rows_and_other_machines_need_an_engine():
    X, y = load_digits(return_X_y=True)
    machines = OneVsOneSVC(gamma=1e-3).fit(X[:300], y[:300]).machines_
    assert few_rows.few_row_vote(machines, X[:2]) is not None
    assert few_rows.few_row_vote(machines, X) is None
    own = OneVsOneSVC(scaling="pair").fit(X[:300], y[:300]).machines_
    assert few_rows.few_row_vote(own, X[:2]) is None
    given = OneVsOneSVC(kernel="precomputed").fit(X[:300] @ X[:300].T, y[:300]).machines_
    assert few_rows.few_row_vote(given, X[:2] @ X[:300].T) is None


def test_rows_at_which_values_overflow_need_an_engine():
    X, y = load_digits(return_X_y=True)
    machines = OneVsOneSVC(kernel="poly", degree=4).fit(X[:100], y[:100]).machines_
    assert few_rows.few_row_vote(machines, 1e100 * X[:2]) is None
