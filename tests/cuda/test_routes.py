import numpy as np
import pytest
from tests.cuda.problems import classes_in_plane

from dcsvm import DCSVC
from dcsvm.cuda import routes
from dcsvm.cuda.evaluation import DeviceMachines
from dcsvm.cuda.routes import route_on
from dcsvm.estimators.access import route_of

CASES = {
    "default": {"theta": 0.002},
    "tight": {"theta": 0.3, "C": 0.01},
    "sign": {"routing": "sign"},
    "structure": {"shortlist": None, "theta": 0.2},
    "structure by sign": {"shortlist": None, "routing": "sign"},
    "needed": {"machines": "needed", "theta": 0.05},
    "linear": {"kernel": "linear", "theta": 0.002},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("k", [3, 34])
def test_rows_go_the_way_that_they_go_on_the_host(device, case, k):
    X, y = classes_in_plane(k=k, per_class=6)
    X_test = classes_in_plane(k=k, per_class=6, seed=1)[0][:70] * 0.7
    clf = DCSVC(**CASES[case]).fit(X, y)
    route = route_on(DeviceMachines(device, clf.machines_), route_of(clf))
    found = route.answers(X_test, X_test, with_decisions=True)
    labels, counts = clf.predict_with_decisions(X_test)
    assert np.array_equal(clf.classes_[found.leaf], labels)
    assert np.array_equal(found.n_evaluated, counts)
    assert np.allclose(found.decisions, clf.decision_function(X_test), atol=1e-4)


def test_close_decisions_are_voted_on(device):
    X, y = classes_in_plane(k=12, per_class=10)
    X_test = np.random.default_rng(0).normal(size=(80, 3))
    clf = DCSVC(C=0.05, theta=0.0).fit(X, y)
    route = route_on(DeviceMachines(device, clf.machines_), route_of(clf))
    found = route.answers(X_test, X_test, with_decisions=False)
    labels, counts = clf.predict_with_decisions(X_test)
    assert counts.max() > 11  # more than candidates: some are asked for the vote alone
    assert np.array_equal(clf.classes_[found.leaf], labels)
    assert np.array_equal(found.n_evaluated, counts)


def test_the_order_in_which_rows_are_looked_at_does_not_matter(device, monkeypatch):
    X, y = classes_in_plane(k=5)
    clf = DCSVC(theta=0.002).fit(X, y)
    monkeypatch.setattr(routes, "FEWEST_TO_ORDER", 1)
    found = route_on(DeviceMachines(device, clf.machines_), route_of(clf)).answers(X, X, False)
    assert np.array_equal(clf.classes_[found.leaf], clf.predict(X))
