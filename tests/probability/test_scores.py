"""Routes for machines other than those a shortlist was fitted with."""

import numpy as np
from sklearn.datasets import load_digits

from dcsvm import DCSVC
from dcsvm.estimators.access import route_of
from dcsvm.probability.scores import route_with_scores_of, scores_of_all


def test_scores_stay_those_of_the_machines_they_were_fitted_with():
    X, y = load_digits(return_X_y=True)
    clf, other = DCSVC().fit(X[:500], y[:500]), DCSVC(C=0.1).fit(X[500:900], y[500:900])
    expected = scores_of_all(route_of(clf), clf.machines_, X[900:950])
    route = route_with_scores_of(route_of(clf), clf.machines_)
    np.testing.assert_array_equal(scores_of_all(route, other.machines_, X[900:950]), expected)
    assert expected.shape == (50, 10)
    assert route.cost == route_of(clf).cost
    np.testing.assert_array_equal(route.predict(clf.machines_, X[900:], 1), clf.apply(X[900:]))
    assert (route.predict(other.machines_, X[900:], 1) == y[900:]).mean() > 0.8


def test_routes_without_scores_stay_as_they_are():
    X, y = load_digits(return_X_y=True)
    route = route_of(DCSVC.paper().fit(X[:500], y[:500]))
    assert route_with_scores_of(route, None) is route
    assert scores_of_all(route, None, X) is None
