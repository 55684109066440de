"""Models and the content of reports about them."""

import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from tests.report.content import gather

from dcsvm import DCSVC, DivideAndConquerClassifier


@pytest.fixture(scope="session")
def digits():
    """Training rows, their labels, test rows and their labels."""
    X, y = load_digits(return_X_y=True)
    X = X / 16
    return X[:600], y[:600], X[600:800], y[600:800]


@pytest.fixture(scope="session")
def fitted(digits):
    return DCSVC(C=10).fit(*digits[:2])


@pytest.fixture(scope="session", params=["default", "paper", "meta"])
def case(request, digits):
    """A model, test rows, their labels, and the content of a report about them."""
    X, y, X_test, y_test = digits
    model = {
        "default": lambda: DCSVC(C=10),
        "paper": lambda: DCSVC.paper(C=10),
        "meta": lambda: DivideAndConquerClassifier(RidgeClassifier()),
    }[request.param]().fit(X, y)
    return model, X_test, y_test, gather(model, X_test, y_test)
