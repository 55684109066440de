"""Classifiers that many tests inspect."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import RidgeClassifier

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier
from dcsvm.inspection import decision_structure

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@pytest.fixture(scope="session")
def blobs():
    return make_blobs(300, centers=6, random_state=3, cluster_std=1.3)


@pytest.fixture(scope="session")
def clf(digits):
    X, y = digits
    return DCSVC(C=10, theta=0.01).fit(X[:600], y[:600])


@pytest.fixture(scope="session", params=["default", "margin", "paper"])
def drawn(request, digits):
    """A classifier whose structure is drawn or written."""
    X, y = digits
    made = {
        "default": DCSVC(C=10),
        "margin": DCSVC(C=10, shortlist=None),
        "paper": DCSVC.paper(C=10),
    }
    return made[request.param].fit(X[:600], y[:600])


@pytest.fixture(scope="session")
def strange_names():
    """Blobs of six classes with names that are hard to write."""
    names = ['say "hello"', "back\\slash", "two\nlines", "<b>&amp;", "$\\alpha$ {x|y}", "ü→\u202e"]
    X, y = make_blobs(90, centers=6, random_state=0)
    return X, np.array(names, dtype=object)[y]


CLASSIFIERS = {
    "default": DCSVC(C=10),
    "margin": DCSVC(C=10, theta=0.01, shortlist=None),
    "paper": DCSVC.paper(C=10, theta=0.01),
    "meta": DivideAndConquerClassifier(RidgeClassifier()),
    "Platt": DAGSVC(C=10),
}


@pytest.fixture(scope="session", params=list(CLASSIFIERS))
def fitted(request, digits):
    X, y = digits
    return CLASSIFIERS[request.param].fit(X[:500], y[:500])


@pytest.fixture(scope="session")
def counted(fitted, digits):
    """Rows, and the structure that they pass."""
    X = digits[0][900:1100]
    return X, decision_structure(fitted, X=X)
