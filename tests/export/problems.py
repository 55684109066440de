"""Fitted classifiers of all kinds, to be exported."""

from functools import cache

import numpy as np
from tests.kernel_problems import KERNELS, problem

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC

RULES = ("default", "paper", "margin structure", "vote", "DAGSVM")
SCALINGS = (None, "global", "pair")


@cache
def rows():
    """Rows in single precision, and their classes."""
    X, y, X_test, _ = problem()
    return X.astype(np.float32), y, X_test.astype(np.float32)


@cache
def fitted(kernel="rbf", scaling=None):
    X, y, _ = rows()
    return DCSVC(theta=0.002, **KERNELS[kernel], scaling=scaling).fit(X.astype(np.float64), y)


def by_rule(clf, rule):
    """The same machines by another rule."""
    match rule:
        case "paper":
            options = {"theta": 0.001, "routing": "sign", "criterion": "purity"}
            return clf.rethreshold(shortlist=None, **options)
        case "margin structure":
            return clf.rethreshold(shortlist=None)
        case "vote":
            return OneVsOneSVC.from_machines(clf)
        case "DAGSVM":
            return DAGSVC.from_machines(clf)
    return clf


def expected(clf, X):
    """The index of the class that Python predicts, for rows in double precision."""
    return np.searchsorted(clf.classes_, clf.predict(X.astype(np.float64)))
