"""The choice of θ."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from dcsvm import DCSVC
from dcsvm.estimators.search.theta_choice import cheapest, theta_results, thetas_tried
from dcsvm.estimators.theta_search import THETAS


def test_scores_and_costs_are_those_of_fits_with_each_theta():
    X, y = load_digits(return_X_y=True)
    X, y, X_test, y_test = X[:500], y[:500], X[500:800], y[500:800]
    fitted = DCSVC(theta=0.0).fit(X, y)

    def score(classifier, X, y, weight):
        return classifier.score(X, y, weight)

    thetas = [0.0, 0.01]
    found = theta_results([fitted, fitted], [(X_test, y_test, None)] * 2, thetas, score)
    assert found["theta"].tolist() == thetas
    for t, theta in enumerate(thetas):
        other = DCSVC(theta=theta).fit(X, y)
        assert found["mean_test_score"][t] == pytest.approx(other.score(X_test, y_test))
        cost = other.decision_cost(X_test).kernel_evaluations.mean()
        assert found["mean_kernel_evaluations"][t] == pytest.approx(cost)


def test_the_cheapest_that_is_good_enough():
    results = {
        "theta": np.array([0.0, 0.001, 0.01]),
        "mean_test_score": np.array([0.97, 0.9695, 0.95]),
        "mean_kernel_evaluations": np.array([500.0, 300.0, 100.0]),
    }
    assert cheapest(results, 0.001) == 0.001
    assert cheapest(results, 0.0) == 0.0
    assert cheapest(results, 0.05) == 0.01


def test_values_that_are_tried():
    assert thetas_tried("auto") == thetas_tried(None) == list(THETAS)
    assert thetas_tried([0.1, 0, 0.1]) == [0.0, 0.1]
    for refused in ([], [-0.1], [0.5]):
        with pytest.raises(ValueError, match="thetas must be"):
            thetas_tried(refused)
