"""Machines of folds, each against those that are trained on the rows of the fold alone."""

from itertools import chain

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC
from tests.kernel_problems import problem
from tests.training.test_compiled import parameters

from dcsvm import OneVsOneSVC
from dcsvm.estimators.search.fold_machines import fold_problem, shares_kernel, train_folds
from dcsvm.estimators.search.folds import Rows, make_folds
from dcsvm.estimators.search.grid import Setting

CS = [0.3, 3.0, 30.0]


def made(X, y, cv=3, weight=None, class_weights=np.ones_like, precomputed=False):
    rows = Rows(X, y, X, y, np.unique(y), weight)
    return fold_problem(rows, make_folds(cv, rows, None), precomputed, class_weights)


def values_of_own_machines(svc, X, y, k):
    """From all values of SVC, those of the machines of each row's class, as DCSVC signs them."""
    all_values = svc.decision_function(X)
    if k == 2:
        all_values = -all_values[:, np.newaxis]
    found = np.full((len(y), k), np.nan)
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    for m, (i, j) in enumerate(pairs):
        found[y == i, j] = all_values[y == i, m]
        found[y == j, i] = all_values[y == j, m]
    return found


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_values_at_test_rows_are_those_of_svc(k, container):
    X, y, *_ = problem(k=k, n=300)
    given = parameters(tol=1e-5)
    found = train_folds(made(container(X), y), Setting("rbf", 0.1), CS, [0, 2], given)
    for fold, of_fold in zip([0, 2], found, strict=True):
        train, test = made(X, y).folds[fold]
        for C, (machines, values) in zip(CS, of_fold, strict=True):
            svc = SVC(C=C, gamma=0.1, decision_function_shape="ovo", tol=1e-5)
            svc.fit(X[train], y[train])
            expected = values_of_own_machines(svc, X[test], y[test], k)
            np.testing.assert_allclose(values, expected, atol=5e-3)
            values = machines.all_values(machines.prepare(X[test]), 0, len(test))
            sign = -1 if k == 2 else 1
            np.testing.assert_allclose(
                values, sign * svc.decision_function(X[test]).reshape(len(test), -1), atol=5e-3
            )


@pytest.mark.parametrize("scaling", ["global", "pair"])
def test_scaling_is_that_of_the_training_rows(scaling):
    """A leak of test rows into the scaling would change the values by far more than `atol`."""
    X, y, *_ = problem(k=3, n=480)
    X = X * [1, 5, 20, 0.1, 3]
    cv = [(np.arange(0, 80), np.arange(80, 240))]
    X[80:] *= 7  # the scale of the test rows
    setting = Setting("rbf", "scale")
    assert not shares_kernel(setting, scaling)
    given = parameters(scaling=scaling, tol=1e-5)
    ((first, _, last),) = train_folds(made(X, y, cv), setting, CS, [0], given)
    for C, found in ((CS[0], first), (CS[2], last)):
        alone = OneVsOneSVC(C=C, scaling=scaling, tol=1e-5).fit(X[:80], y[:80])
        query = alone.machines_.prepare(X[80:])
        expected = alone.machines_.all_values(query, 0, 160)
        values = found.machines.all_values(found.machines.prepare(X[80:]), 0, 160)
        np.testing.assert_allclose(values, expected, atol=2e-3)
        for m, (i, j) in enumerate(alone.machines_.pairs):
            np.testing.assert_allclose(
                found.values[y[80:] == i, j], expected[y[80:] == i, m], atol=2e-3
            )
    leaking = OneVsOneSVC(C=CS[2], scaling=scaling, tol=1e-5).fit(X, y)
    leaked = leaking.machines_.all_values(leaking.machines_.prepare(X[80:]), 0, 160)
    assert np.abs(leaked - expected).max() > 0.1


def test_gamma_scale_is_that_of_the_training_rows():
    X, y, *_ = problem(k=3, n=480)
    X[80:] *= 7
    cv = [(np.arange(0, 80), np.arange(80, 240))]
    ((found,),) = train_folds(made(X, y, cv), Setting("rbf", "scale"), [1.0], [0], parameters())
    assert found.machines.kernel.gamma == pytest.approx(1 / (X.shape[1] * X[:80].var()))
    assert shares_kernel(Setting("rbf", 0.1), None)


def test_weights_repeated_rows_and_weights_of_classes():
    X, y, *_ = problem(k=3, n=400)
    weight = np.random.default_rng(0).uniform(0.5, 2, 200)
    train = np.r_[np.arange(100), np.arange(50)]  # some rows twice
    cv = [(train, np.arange(100, 200))]

    def balanced(total):
        return total.sum() / (3 * total)

    ((found,),) = train_folds(
        made(X, y, cv, weight, balanced), Setting("rbf", 0.1), [3.0], [0], parameters(tol=1e-5)
    )
    alone = OneVsOneSVC(C=3.0, gamma=0.1, class_weight="balanced", tol=1e-5)
    machines = alone.fit(X[train], y[train], weight[train]).machines_
    expected = machines.all_values(machines.prepare(X), 0, 200)
    values = found.machines.all_values(found.machines.prepare(X), 0, 200)
    np.testing.assert_allclose(values, expected, atol=2e-3)


def test_precomputed_and_callable_kernels():
    X, y, *_ = problem(k=3, n=150)

    def kernel(A, B):
        return np.exp(-0.1 * ((A[:, None] - B) ** 2).sum(axis=2))

    given = parameters(tol=1e-5)
    expected = train_folds(made(X, y), Setting("rbf", 0.1), CS, [0, 1], given)
    by_function = train_folds(made(X, y), Setting(kernel, None), CS, [0, 1], given)
    problem_of_matrix = made(kernel(X, X), y, precomputed=True)
    by_matrix = train_folds(problem_of_matrix, Setting("precomputed", None), CS, [0, 1], given)
    for found in (by_function, by_matrix):
        for ours, theirs in zip(chain(*found), chain(*expected), strict=True):
            np.testing.assert_allclose(ours.values, theirs.values, atol=5e-3)
