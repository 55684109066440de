"""The compiled solver against libsvm: objective, optimality, and decision values."""

import threading
import time

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_wine, make_blobs
from sklearn.svm import SVC
from tests.oracles import kernel_matrix

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.data.kernels import Kernel
from dcsvm.data.rows import canonical_rows
from dcsvm.training.compiled import train_compiled
from dcsvm.training.problems import PairProblems, TrainingParameters

KERNELS = {
    "linear": Kernel("linear"),
    "poly": Kernel("poly", gamma=0.1, degree=2, coef0=1.0),
    "rbf": Kernel("rbf", gamma=0.1),
    "rbf, far apart": Kernel("rbf", gamma=3.0),
    "sigmoid": Kernel("sigmoid", gamma=0.01),
}


def parameters(**changes):
    given = {
        "C": 1.0,
        "kernel": "rbf",
        "degree": 3,
        "gamma": 1.0,
        "coef0": 0.0,
        "scaling": None,
        "tol": 1e-3,
        "cache_size": 200,
        "max_iter": -1,
        "n_jobs": None,
        "trained": lambda machines: None,
    }
    return TrainingParameters(**{**given, **changes})


def noisy(n=300, d=6, k=3, seed=0):
    X, y = make_blobs(n, d, centers=k, cluster_std=4.0, random_state=seed)
    return X / 4, y


def problems(kernel, X, y, C=2.0, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    rows = canonical_rows(X, y, weight, y.max() + 1)
    return PairProblems(rows, C * rows.weight, kernel, None)


def mostly_noise(n=4000, d=4, k=2, seed=0):
    """Classes that overlap so much that most variables end, and are left out, at a bound."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return rng.normal(size=(n, d)) + 0.3 * y[:, None], y


def dual_objective(K, b):
    return b @ K @ b / 2 - np.abs(b).sum()


def check_pair(given, i, j, fit):
    """The machine of a pair is feasible, optimal to the tolerance, and that of libsvm."""
    of_pair = given.rows.of_pair(i, j)
    sign = np.where(of_pair < given.rows.class_start[i + 1], 1.0, -1.0)
    X = given.rows.X[of_pair]
    C, K = given.C[of_pair], kernel_matrix(given.kernel, X, X)
    b = np.zeros(len(of_pair))
    b[np.searchsorted(of_pair, fit.support)] = fit.coef

    assert abs(b.sum()) < 1e-9 * C.sum()
    assert (b * sign >= 0).all()
    assert (b * sign <= C).all()
    gradient = K @ b - sign
    can_rise, can_fall = b * sign < C, b * sign > 0
    can_rise[sign < 0], can_fall[sign < 0] = b[sign < 0] < 0, -b[sign < 0] < C[sign < 0]
    violation = gradient[can_fall].max() - gradient[can_rise].min()
    assert violation <= 1.05e-3

    svc = SVC(kernel="precomputed", C=1.0).fit(K, sign < 0, sample_weight=C)
    other = np.zeros(len(b))
    other[svc.support_] = -svc.dual_coef_[0]
    ours, theirs = dual_objective(K, b), dual_objective(K, other)
    assert ours == pytest.approx(theirs, rel=1e-4)
    np.testing.assert_allclose(
        K @ b + fit.intercept, -svc.decision_function(K), atol=1e-2, rtol=1e-2
    )


def assert_same(found, expected):
    for a, b in zip(found, expected, strict=True):
        assert (a.support == b.support).all()
        assert (a.coef == b.coef).all()
        assert a.intercept == b.intercept


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("weighted", [False, True])
def test_solutions_are_optimal_and_as_good_as_those_of_libsvm(
    kernel, container, weighted, instruction_set
):
    X, y = noisy()
    weight = np.random.default_rng(0).uniform(0.2, 3, len(y)) if weighted else None
    kernel = KERNELS[kernel]
    given = problems(kernel, container(X), y, weight=weight)
    fits, inexact = train_compiled(given, parameters())
    assert len(inexact) == 0
    for (i, j), fit in zip([(0, 1), (0, 2), (1, 2)], fits, strict=True):
        assert fit.converged
        assert fit.n_iter > 0
        check_pair(given, i, j, fit)


@pytest.mark.parametrize("cache_size", [1e-3, 0.05, 200])
def test_a_small_cache_changes_nothing(cache_size):
    X, y = noisy(n=900)
    given = problems(KERNELS["rbf"], X, y)
    expected, _ = train_compiled(given, parameters())
    found, _ = train_compiled(given, parameters(cache_size=cache_size))
    assert_same(found, expected)


def test_the_bound_on_iterations_is_kept():
    X, y = noisy()
    fits, _ = train_compiled(problems(KERNELS["rbf"], X, y), parameters(max_iter=7))
    assert [fit.n_iter for fit in fits] == [7, 7, 7]
    assert not any(fit.converged for fit in fits)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "rbf, far apart"])
def test_variables_left_out_on_the_way_are_as_good_as_the_others(kernel, weighted, instruction_set):
    X, y = mostly_noise()
    weight = np.random.default_rng(0).uniform(0.2, 3, len(y)) if weighted else None
    given = problems(KERNELS[kernel], X, y, weight=weight)
    (fit,), inexact = train_compiled(given, parameters())
    assert len(inexact) == 0
    assert fit.converged
    check_pair(given, 0, 1, fit)


@pytest.mark.parametrize("changes", [{"cache_size": 1.0}, {"cache_size": 40}, {"n_jobs": 2}])
def test_leaving_variables_out_depends_on_neither_cache_nor_threads(changes):
    X, y = mostly_noise(n=7500, k=3)
    given = problems(KERNELS["rbf"], X, y)
    expected, _ = train_compiled(given, parameters(n_jobs=1))
    found, _ = train_compiled(given, parameters(**changes))
    assert_same(found, expected)


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_threads_that_help_with_one_large_machine_change_nothing(n_jobs):
    X, y = mostly_noise(n=4000, d=200)
    given = problems(Kernel("rbf", gamma=1 / 400), X, y)
    expected, _ = train_compiled(given, parameters(n_jobs=1, cache_size=10))
    assert expected[0].converged
    for cache_size in (10, 40):
        found, _ = train_compiled(given, parameters(n_jobs=n_jobs, cache_size=cache_size))
        assert_same(found, expected)


def test_the_bound_on_iterations_is_kept_while_variables_are_left_out():
    X, y = mostly_noise()
    given = problems(KERNELS["rbf, far apart"], X, y)
    ((*_, whole, _),), _ = train_compiled(given, parameters())
    for bound in (whole // 4, whole // 2, whole - 1):
        (fit,), _ = train_compiled(given, parameters(max_iter=bound))
        assert fit.n_iter == bound
        assert not fit.converged
        assert abs(fit.coef.sum()) < 1e-9 * given.C.sum()
    (fit,), _ = train_compiled(given, parameters(max_iter=whole))
    assert fit.converged


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("after", [0.05, 0.5])
def test_a_large_machine_ends_soon_when_cancelled(after, n_jobs, monkeypatch):
    X, y = mostly_noise(n=30_000, d=20)
    given = problems(KERNELS["rbf"], X, y, C=5.0)
    seconds = []

    def run_and_cancel(function, tasks, n_jobs, cancel, done):
        found = []
        thread = threading.Thread(target=lambda: found.append(function(tasks[0])))
        thread.start()
        time.sleep(after)
        assert not found
        start = time.perf_counter()
        cancel()
        thread.join()
        seconds.append(time.perf_counter() - start)
        return found

    monkeypatch.setattr("dcsvm.training.compiled.run_long", run_and_cancel)
    (fit,), _ = train_compiled(given, parameters(cache_size=50, n_jobs=n_jobs))
    assert not fit.converged
    assert seconds[0] < 0.5


def test_rows_that_cannot_be_told_apart():
    X = np.zeros((6, 2))
    y = np.array([0, 0, 0, 1, 1, 2])
    clf = DCSVC().fit(X, y)
    assert clf.machines_.converged.all()
    assert (clf.predict(X) == clf.predict(X)[0]).all()


@pytest.mark.parametrize("scaling", [None, "global", "pair"])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
def test_decision_values_are_those_of_svc(kernel, scaling):
    X, y = load_wine(return_X_y=True)
    if scaling is None:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    X = X + 3.0
    shared = {"kernel": kernel, "gamma": 0.02, "coef0": 0.1}
    compiled = OneVsOneSVC(**shared, scaling=scaling).fit(X, y)
    exact = OneVsOneSVC(**shared, scaling=scaling, tol=1e-7).fit(X, y)

    def values(clf):
        return clf.machines_.all_values(clf.machines_.prepare(X), 0, len(X))

    np.testing.assert_allclose(values(compiled), values(exact), atol=1e-2)


def test_coefficients_too_large_for_single_precision_are_trained_again():
    X, y = noisy(n=60)
    given = problems(Kernel("rbf", gamma=1e-3), X, y, C=1e8)
    _, inexact = train_compiled(given, parameters(max_iter=10**5))
    assert len(inexact) > 0


def test_real_machines_agree_with_svc():
    X, y = load_digits(return_X_y=True)
    svc = SVC(C=10, decision_function_shape="ovo").fit(X[:900], y[:900])
    clf = OneVsOneSVC(C=10).fit(X[:900], y[:900])
    found = clf.machines_.all_values(clf.machines_.prepare(X), 0, len(X))
    np.testing.assert_allclose(found, svc.decision_function(X), atol=1e-2)
    assert (clf.predict(X) == svc.predict(X)).mean() > 0.999
