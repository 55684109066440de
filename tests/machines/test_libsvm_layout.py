"""libsvm's layout against that of scikit-learn's SVC, coefficient by coefficient."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.svm import SVC

from dcsvm import OneVsOneSVC
from dcsvm.machines.libsvm_layout import (
    classes_of_support,
    dual_coefficients,
    libsvm_order,
    support_vectors,
    weights_and_intercepts,
)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(y))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X[order], y[order]


def test_coefficients_stand_where_svc_has_them(wine):
    shared = {"gamma": 0.05, "C": 0.5, "tol": 1e-9}
    svc, machines = SVC(**shared).fit(*wine), OneVsOneSVC(**shared).fit(*wine).machines_
    order = libsvm_order(machines)
    assert (machines.origin[order] == svc.support_).all()
    assert (classes_of_support(machines)[order] == wine[1][svc.support_]).all()
    np.testing.assert_allclose(dual_coefficients(machines), svc.dual_coef_, atol=1e-5)
    assert (support_vectors(machines) == svc.support_vectors_).all()


def test_weights_are_those_of_svc(wine):
    shared = {"kernel": "linear", "tol": 1e-9}
    svc, machines = SVC(**shared).fit(*wine), OneVsOneSVC(**shared).fit(*wine).machines_
    weights, intercepts = weights_and_intercepts(machines)
    np.testing.assert_allclose(weights, svc.coef_, atol=1e-5)
    np.testing.assert_allclose(intercepts, svc.intercept_, atol=1e-5)
