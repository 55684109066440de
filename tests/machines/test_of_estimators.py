"""Binary classifiers of any kind as machines."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from dcsvm.machines.of_estimators import EstimatorMachines


def fitted(estimator, columns=None):
    """One classifier per pair of the three classes of iris, positive for the first."""
    X, y = load_iris(return_X_y=True)
    each = []
    for m, (i, j) in enumerate(itertools.combinations(range(3), 2)):
        own = np.isin(y, (i, j))
        used = slice(None) if columns is None else columns[m]
        each.append(type(estimator)().fit(X[own][:, used], y[own] == i))
    return X, EstimatorMachines(3, each, columns)


@pytest.mark.parametrize("columns", [None, [np.array([0, 2]), np.array([1]), np.array([2, 3])]])
@pytest.mark.parametrize("estimator", [LinearSVC(), GaussianNB()])
def test_values_are_those_of_the_classifiers(estimator, columns):
    X, machines = fitted(estimator, columns)
    together = machines.all_values(machines.prepare(X), 30, 130)
    row, machine = np.indices((len(X), 3))
    one_by_one = machines.values(machines.prepare(X), row.ravel(), machine.ravel())
    assert (one_by_one.reshape(-1, 3)[30:130] == together).all()
    for m, of_pair in enumerate(machines.estimators):
        used = X if columns is None else X[:, columns[m]]
        positive = of_pair.predict(used)[30:130]
        assert ((together[:, m] > 0) == positive).all()


def test_many_machines_see_fewer_rows_at_a_time():
    one = GaussianNB()
    assert EstimatorMachines(2, [one], None).rows_per_call == 2048
    assert EstimatorMachines(200, [one] * 19900, None).rows_per_call == 2**22 // 19900


def test_statistics_and_costs():
    X, machines = fitted(GaussianNB())
    seen = machines.observe(X, np.full(150, 2.0), np.array([0, 50, 100, 150]), keep_signs=False)
    values = machines.all_values(X, 0, 150)
    assert (seen.to_i[1] == 2 * (values[50:100] > 0).sum(axis=0)).all()
    assert (seen.to_i + seen.to_j == 100).all()
    assert seen.signs is None
    assert machines.path_cost(np.array([0, 1]), np.array([0])) == {}
