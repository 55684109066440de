"""The digits, and the paper's rule fitted to half of them."""

import pytest
from sklearn.datasets import load_digits

from dcsvm import DCSVC


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:900], y[:900], X[900:], y[900:]


@pytest.fixture(scope="module")
def fitted(digits):
    return DCSVC.paper(C=10).fit(digits[0], digits[1])
