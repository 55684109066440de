"""A worker killed in the middle of its work changes nothing; `make test-dask` kills many."""

import numpy as np
import pytest
from tests.dask.faults import Answer, fitted, killed_in_fit, killed_in_prediction, problem

from dcsvm import DCSVC


@pytest.fixture(scope="module")
def known():
    X, y = problem()
    return X, y, DCSVC(C=10.0).fit(X, y)


def test_a_worker_is_killed_in_training(client, known):
    assert killed_in_fit(client, *known)


def test_a_worker_is_killed_in_prediction(client, known):
    X, y, local = known
    clf = fitted(client, X[:600], y[:600], C=10.0)
    expected = DCSVC(C=10.0).fit(X[:600], y[:600])
    assert killed_in_prediction(client, clf, X, expected)
    assert np.array_equal(local.classes_, clf.classes_)


def failing(A, B):
    raise RuntimeError("no such kernel")


def test_an_error_on_a_worker_is_that_of_the_fit(client, known):
    answer = Answer(lambda: fitted(client, *(a[:100] for a in known[:2]), kernel=failing))
    with pytest.raises(RuntimeError, match="no such kernel"):
        answer.get()
