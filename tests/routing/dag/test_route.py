"""A decision structure as a route."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from tests.tables import ScriptedMachines

from dcsvm import DCSVC, DivideAndConquerClassifier
from dcsvm.routing.dag.route import DagRoute


@pytest.fixture(scope="module")
def problem():
    X, y = make_blobs(300, centers=6, n_features=4, cluster_std=2.5, random_state=0)
    return X[::2], y[::2], X[1::2]


def test_rounds_end_in_what_is_predicted(problem, arithmetic):
    X, y, asked = problem
    clf = DCSVC.paper().fit(X, y)
    route, machines = clf._route, clf.machines_
    assert isinstance(route, DagRoute)
    assert route.cost == 0.0
    counts = np.zeros(len(asked), dtype=np.int64)
    leaf = route.predict(machines, asked, 2, counts)
    left = np.ones((len(asked), 6), dtype=bool)
    n_rounds = np.zeros(len(asked), dtype=np.int64)
    for round_ in route.rounds(machines, asked, None):
        assert (round_.was_in == left[round_.rows]).all()
        assert (round_.is_in <= round_.was_in).all()
        left[round_.rows] = round_.is_in
        n_rounds[round_.rows] += 1
    assert (left.sum(axis=1) == 1).all()
    assert (left.argmax(axis=1) == leaf).all()
    assert (n_rounds == counts).all()
    of_vector = route.of_vector(machines)
    assert [of_vector(x) for x in asked] == leaf.tolist()


def test_what_is_not_compiled_says_so(problem):
    X, y, _ = problem
    route = DCSVC.paper().fit(X, y)._route
    assert route.of_vector(ScriptedMachines(np.zeros((1, 15)), 6)) is None
    by_function = DCSVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    assert route.of_vector(by_function.machines_) is None
    any_classifier = DivideAndConquerClassifier(DCSVC()).fit(X, y)
    assert any_classifier._route.of_vector(any_classifier.machines_) is None
