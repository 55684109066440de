"""Training by libsvm against SVC on the rows of each pair."""

import _thread
import threading
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.svm import SVC
from tests import patience
from tests.oracles import dense64
from tests.training.test_compiled import parameters, problems

from dcsvm.data.kernels import Kernel
from dcsvm.data.rows import rows_in_place
from dcsvm.data.scaling import pair_standardisation
from dcsvm.training.libsvm import train_by_libsvm
from dcsvm.training.problems import PairProblems

PAIRS = list(combinations(range(3), 2))


def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def laplacian(A, B):
    return laplacian_kernel(A, B, gamma=0.1)


def assert_is_machine_of(fit, svc, of_pair):
    assert fit.support.tolist() == of_pair[svc.support_].tolist()
    np.testing.assert_allclose(fit.coef, -np.asarray(svc.dual_coef_)[0], rtol=1e-12)
    assert fit.intercept == pytest.approx(-svc.intercept_[0], rel=1e-12)
    assert fit.n_iter == svc.n_iter_[0]
    assert fit.converged == (svc.fit_status_ == 0)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("kernel", [Kernel("rbf", gamma=0.1), Kernel("linear")])
def test_machines_are_those_of_svc_on_each_pair(kernel, container):
    X, y = wine()
    weight = np.random.default_rng(0).uniform(0.2, 3, len(y))
    given = problems(kernel, container(X), y, weight=weight)
    found = train_by_libsvm(given, [2, 0, 1], parameters())
    assert list(found) == [2, 0, 1]
    for m, (i, j) in enumerate(PAIRS):
        of_pair = given.rows.of_pair(i, j)
        svc = SVC(kernel=kernel.name, gamma=kernel.gamma, C=1.0)
        dense = dense64(given.rows.X)
        is_j = of_pair >= given.rows.class_start[j]
        svc.fit(dense[of_pair], is_j, sample_weight=given.C[of_pair])
        assert_is_machine_of(found[m], svc, of_pair)


@pytest.mark.parametrize("scaled", [False, True])
def test_a_callable_kernel_is_called_with_the_rows_of_a_pair(scaled):
    given = problems(Kernel("callable", function=laplacian), *wine())
    if scaled:
        given = given._replace(scaling=pair_standardisation(given.rows))
    found = train_by_libsvm(given, [0, 1, 2], parameters())
    for m, (i, j) in enumerate(PAIRS):
        of_pair = given.rows.of_pair(i, j)
        X = given.rows.X[of_pair]
        if scaled:
            X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
        is_j = of_pair >= given.rows.class_start[j]
        svc = SVC(kernel="precomputed", C=2.0).fit(laplacian(X, X), is_j)
        np.testing.assert_array_equal(found[m].support, of_pair[svc.support_])
        np.testing.assert_allclose(found[m].coef, -svc.dual_coef_[0], rtol=1e-6, atol=1e-9)


def test_a_precomputed_kernel_is_that_of_its_rows():
    X, y = wine()
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    gram = rbf_kernel(X, gamma=0.1)
    rows = rows_in_place(gram, y, np.ones(len(y)), 3)
    given = PairProblems(rows, np.full(len(y), 2.0), Kernel("precomputed"), None)
    found = train_by_libsvm(given, [0, 1, 2], parameters())
    for m, (i, j) in enumerate(PAIRS):
        own = np.concatenate([np.flatnonzero(y == i), np.flatnonzero(y == j)])
        svc = SVC(gamma=0.1, C=2.0).fit(X[own], y[own])
        np.testing.assert_array_equal(rows.place[found[m].support], own[svc.support_])
        np.testing.assert_allclose(found[m].coef, -svc.dual_coef_[0], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_machines_are_reported_and_do_not_depend_on_threads(n_jobs):
    given, reported = problems(Kernel("rbf", gamma=0.1), *wine()), []
    expected = train_by_libsvm(given, [0, 1, 2], parameters())
    found = train_by_libsvm(given, [0, 1, 2], parameters(n_jobs=n_jobs, on_trained=reported.extend))
    assert sorted(reported) == [0, 1, 2]
    for m in range(3):
        assert (found[m].coef == expected[m].coef).all()
        assert found[m].intercept == expected[m].intercept


def test_the_bound_on_iterations_is_kept_without_a_warning():
    found = train_by_libsvm(
        problems(Kernel("rbf", gamma=0.1), *wine()), [1], parameters(max_iter=3)
    )
    assert found[1].n_iter == 3
    assert not found[1].converged


def test_an_interrupt_does_not_wait_for_the_end_of_a_machine():
    end, ended = threading.Event(), []

    def endless(A, B):
        threading.Timer(0.1, _thread.interrupt_main).start()
        end.wait(patience.SECONDS)
        ended.append(True)
        return A @ B.T

    given = problems(Kernel("callable", function=endless), *wine())
    try:
        with pytest.raises(KeyboardInterrupt):
            train_by_libsvm(given, [0], parameters())
        assert not ended
    finally:
        end.set()
