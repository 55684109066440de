"""The parameter `theta` as `fit` and `rethreshold` take it."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from dcsvm import DCSVC


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:500], y[:500]


def test_by_cost_theta_follows_the_rows_of_a_class(digits):
    X, y = digits
    largest = 0.02 / np.sqrt(len(y) / 10)
    along_structure = DCSVC(shortlist=None).fit(X, y)
    assert along_structure.theta_ == pytest.approx(largest / 10, rel=0.1)
    assert DCSVC(shortlist=None, routing="sign").fit(X, y).theta_ == pytest.approx(largest, rel=0.1)
    measured = DCSVC().fit(X, y)
    assert measured.theta == "cost"
    assert measured.theta_ <= largest * 1.1
    back = measured.rethreshold(shortlist=None).rethreshold(shortlist="auto")
    assert back.theta_ == measured.theta_
    assert measured.rethreshold(shortlist=None).theta_ == along_structure.theta_


def test_a_number_is_taken_as_it_is(digits):
    assert DCSVC(theta=0.003).fit(*digits).theta_ == 0.003
