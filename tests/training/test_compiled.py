"""The compiled solver against libsvm and a slow one: objective, optimality, and decision values."""

import threading
import time

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.svm import SVC
from tests.oracles import kernel_matrix, solve_dual

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.data.kernels import Kernel
from dcsvm.data.rows import canonical_rows
from dcsvm.data.scaling import pair_standardisation
from dcsvm.training.compiled import DOUBLE, SINGLE, precisions, prepare, train_compiled, train_in
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
        "on_trained": lambda machines: None,
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


def train_single(given, parameters):
    """The machines in single precision, which is enough for all of them."""
    machines = given.largest_first()
    fits = train_in(SINGLE, given, prepare(given), machines, parameters)
    assert sorted(fits) == sorted(machines)
    return [fits[m] for m in range(len(fits))]


def train_double(given, parameters):
    fits = train_in(DOUBLE, given, prepare(given), given.largest_first(), parameters)
    return [fits[m] for m in range(len(fits))]


TRAIN = {"single": train_single, "double": train_double}


def assert_same(found, expected):
    for a, b in zip(found, expected, strict=True):
        assert (a.support == b.support).all()
        assert (a.coef == b.coef).all()
        assert a.intercept == b.intercept


@pytest.mark.parametrize("precision", TRAIN)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("weighted", [False, True])
def test_solutions_are_optimal_and_as_good_as_those_of_libsvm(
    kernel, container, weighted, precision, instruction_set
):
    X, y = noisy()
    weight = np.random.default_rng(0).uniform(0.2, 3, len(y)) if weighted else None
    kernel = KERNELS[kernel]
    given = problems(kernel, container(X), y, weight=weight)
    fits = TRAIN[precision](given, parameters())
    for (i, j), fit in zip([(0, 1), (0, 2), (1, 2)], fits, strict=True):
        assert fit.converged
        assert fit.n_iter > 0
        check_pair(given, i, j, fit)


@pytest.mark.parametrize("cache_size", [1e-3, 0.05, 200])
def test_a_small_cache_changes_nothing(cache_size):
    X, y = noisy(n=900)
    given = problems(KERNELS["rbf"], X, y)
    expected = train_single(given, parameters())
    found = train_single(given, parameters(cache_size=cache_size))
    assert_same(found, expected)


def test_the_bound_on_iterations_is_kept():
    X, y = noisy()
    fits = train_single(problems(KERNELS["rbf"], X, y), parameters(max_iter=7))
    assert [fit.n_iter for fit in fits] == [7, 7, 7]
    assert not any(fit.converged for fit in fits)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("precision", TRAIN)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "rbf, far apart"])
def test_variables_left_out_on_the_way_are_as_good_as_the_others(
    kernel, weighted, precision, instruction_set
):
    X, y = mostly_noise()
    weight = np.random.default_rng(0).uniform(0.2, 3, len(y)) if weighted else None
    given = problems(KERNELS[kernel], X, y, weight=weight)
    (fit,) = TRAIN[precision](given, parameters())
    assert fit.converged
    check_pair(given, 0, 1, fit)


@pytest.mark.parametrize("changes", [{"cache_size": 1.0}, {"cache_size": 40}, {"n_jobs": 2}])
def test_leaving_variables_out_depends_on_neither_cache_nor_threads(changes):
    X, y = mostly_noise(n=7500, k=3)
    given = problems(KERNELS["rbf"], X, y)
    expected = train_single(given, parameters(n_jobs=1))
    found = train_single(given, parameters(**changes))
    assert_same(found, expected)


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_threads_that_help_with_one_large_machine_change_nothing(n_jobs):
    X, y = mostly_noise(n=4000, d=200)
    given = problems(Kernel("rbf", gamma=1 / 400), X, y)
    expected = train_single(given, parameters(n_jobs=1, cache_size=10))
    assert expected[0].converged
    for cache_size in (10, 40, 400):  # rows one by one, and several together
        found = train_single(given, parameters(n_jobs=n_jobs, cache_size=cache_size))
        assert_same(found, expected)


def test_the_bound_on_iterations_is_kept_while_variables_are_left_out():
    X, y = mostly_noise()
    given = problems(KERNELS["rbf, far apart"], X, y)
    ((*_, whole, _),) = train_single(given, parameters())
    for bound in (whole // 4, whole // 2, whole - 1):
        (fit,) = train_single(given, parameters(max_iter=bound))
        assert fit.n_iter == bound
        assert not fit.converged
        assert abs(fit.coef.sum()) < 1e-9 * given.C.sum()
    (fit,) = train_single(given, parameters(max_iter=whole))
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
        start = time.process_time()  # does not depend on what else runs
        cancel()
        thread.join()
        seconds.append(time.process_time() - start)
        return found

    monkeypatch.setattr("dcsvm.training.compiled.run_long", run_and_cancel)
    (fit,) = train_single(given, parameters(cache_size=50, n_jobs=n_jobs))
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
def test_decision_values_are_those_of_svc(kernel, scaling, monkeypatch):
    X, y = load_wine(return_X_y=True)
    if scaling is None:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    X = X + 3.0
    shared = {"kernel": kernel, "gamma": 0.02, "coef0": 0.1}
    single = OneVsOneSVC(**shared, scaling=scaling).fit(X, y)
    double = OneVsOneSVC(**shared, scaling=scaling, tol=1e-7).fit(X, y)
    monkeypatch.setattr("dcsvm.training.compiled.POOL_BUDGET", 0)  # leaves all to libsvm
    svc = OneVsOneSVC(**shared, scaling=scaling, tol=1e-7).fit(X, y)

    def values(clf):
        return clf.machines_.all_values(clf.machines_.prepare(X), 0, len(X))

    np.testing.assert_allclose(values(single), values(svc), atol=1e-2)
    np.testing.assert_allclose(values(double), values(svc), atol=1e-4)


@pytest.mark.parametrize(("gamma", "C"), [(1e-3, 1e8), (0.1, 1e4), (0.1, 1e6)])
def test_machines_beyond_single_precision_are_those_of_double_precision(gamma, C):
    X, y = mostly_noise(n=300, k=3)
    given = problems(Kernel("rbf", gamma=gamma), X, y, C=C)
    asked = parameters(max_iter=10**6)
    single = train_in(SINGLE, given, prepare(given), given.largest_first(), asked)
    assert len(single) < 3
    found = train_compiled(given, asked)
    for m, expected in enumerate(train_double(given, asked)):
        assert_same([found[m]], [single.get(m, expected)])


def test_real_machines_agree_with_svc():
    X, y = load_digits(return_X_y=True)
    svc = SVC(C=10, decision_function_shape="ovo").fit(X[:900], y[:900])
    clf = OneVsOneSVC(C=10).fit(X[:900], y[:900])
    found = clf.machines_.all_values(clf.machines_.prepare(X), 0, len(X))
    np.testing.assert_allclose(found, svc.decision_function(X), atol=1e-2)
    assert (clf.predict(X) == svc.predict(X)).mean() > 0.999


def dense_dual(given, i, j, fit):
    """What the dual problem of a pair is made of, in extended precision, and the machine's b."""
    of_pair = given.rows.of_pair(i, j)
    sign = np.where(of_pair < given.rows.class_start[i + 1], 1.0, -1.0)
    X = given.rows.X[of_pair]
    b = np.zeros(len(of_pair), dtype=np.longdouble)
    b[np.searchsorted(of_pair, fit.support)] = fit.coef
    return kernel_matrix(given.kernel, X, X).astype(np.longdouble), sign, given.C[of_pair], b


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [0.5, 100.0])
def test_double_precision_is_exact(kernel, C, instruction_set):
    X, y = noisy(n=60)
    given = problems(KERNELS[kernel], X, y, C=C)
    fits = train_double(given, parameters(tol=1e-9))
    for (i, j), fit in zip([(0, 1), (0, 2), (1, 2)], fits, strict=True):
        K, sign, bound, b = dense_dual(given, i, j, fit)
        exact, intercept = solve_dual(K, sign, bound, tol=1e-11)
        assert fit.converged
        assert dual_objective(K, b) == pytest.approx(dual_objective(K, exact), rel=1e-10)
        np.testing.assert_allclose(
            K @ b + fit.intercept, K @ exact + intercept, rtol=1e-6, atol=1e-6
        )


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_double_precision_gives_the_values_of_svc(kernel, container):
    X, y = noisy(n=200, k=2)
    given = problems(KERNELS[kernel], container(X), y)
    (fit,) = train_double(given, parameters(tol=1e-8))
    kernel = given.kernel
    svc = SVC(kernel=kernel.name, gamma=kernel.gamma, degree=2, coef0=kernel.coef0, C=2.0, tol=1e-8)
    svc.fit(X, y)
    K = kernel_matrix(kernel, X, given.rows.X[fit.support])
    # libsvm keeps kernel values in single precision.
    np.testing.assert_allclose(
        K @ fit.coef + fit.intercept, -svc.decision_function(X), rtol=0, atol=1e-6 * K.max()
    )


@pytest.mark.parametrize("C", [1e4, 1e6])
def test_overlapping_classes_converge_at_a_large_cost(C):
    X, y = mostly_noise(n=200, k=3)
    given = problems(KERNELS["rbf"], X, y, C=C)
    fits = train_compiled(given, parameters())
    for m, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        K, sign, bound, b = dense_dual(given, i, j, fits[m])
        assert fits[m].converged
        gradient = K @ b - sign
        can_rise = np.where(sign > 0, b < bound, b < 0)
        can_fall = np.where(sign > 0, b > 0, b > -bound)
        assert gradient[can_fall].max() - gradient[can_rise].min() <= 1.001e-3


@pytest.mark.parametrize("changes", [{"n_jobs": 2}, {"n_jobs": 4}, {"cache_size": 0.05}])
def test_double_precision_depends_on_neither_threads_nor_cache(changes):
    X, y = mostly_noise(n=900, k=3)
    given = problems(KERNELS["rbf"], X, y, C=1e3)
    expected = train_compiled(given, parameters(n_jobs=1))
    found = train_compiled(given, parameters(**changes))
    assert len(train_in(SINGLE, given, prepare(given), given.largest_first(), parameters())) < 3
    assert_same([found[m] for m in range(3)], [expected[m] for m in range(3)])


@pytest.mark.parametrize(
    ("kernel", "tol", "expected"),
    [
        (Kernel("rbf", gamma=0.1), 1e-3, [SINGLE, DOUBLE]),
        (Kernel("rbf", gamma=0.1), 1e-6, [DOUBLE]),
        (Kernel("rbf", gamma=1e-8), 1e-3, [DOUBLE]),
        (Kernel("poly", gamma=1e-8, degree=2, coef0=1.0), 1e-3, [DOUBLE]),
        (Kernel("sigmoid", gamma=1e-8), 1e-3, [DOUBLE]),
        (Kernel("linear"), 1e-3, [SINGLE, DOUBLE]),
    ],
)
def test_single_precision_is_tried_where_it_tells_kernel_values_apart(kernel, tol, expected):
    given = problems(kernel, *noisy())
    assert precisions(prepare(given), tol) == expected
    if kernel.name != "linear":
        given = given._replace(scaling=pair_standardisation(given.rows))
        assert precisions(prepare(given), tol) == expected


@pytest.mark.parametrize(
    "kernel", [*KERNELS.values(), Kernel("poly", gamma=1e-3, degree=3, coef0=1.0)]
)
@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_the_contrast_of_a_kernel_is_what_its_values_differ_by(kernel, shift):
    X, y = noisy()
    X = (X - X.mean(axis=0)) / X.std(axis=0) + shift
    K = kernel_matrix(kernel, X, X)
    found = prepare(problems(kernel, X, y)).contrast
    assert found == pytest.approx(np.diag(K).mean() - K.mean(), rel=1.0, abs=1e-6)


@pytest.mark.parametrize(("C", "gamma"), [(1e8, 1e-8), (1.0, 1e-9)])
def test_kernel_values_that_differ_by_less_than_single_precision_are_no_obstacle(C, gamma):
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    given = problems(Kernel("rbf", gamma=gamma), X, y, C=C)
    fits = train_compiled(given, parameters(max_iter=10**5))
    for m, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        fit, of_pair = fits[m], given.rows.of_pair(i, j)
        K, sign, _, b = dense_dual(given, i, j, fit)
        assert fit.converged
        assert len(fit.support) > 0
        right = np.sign(K @ b + fit.intercept) == sign
        svc = SVC(C=C, gamma=gamma).fit(given.rows.X[of_pair], sign)
        assert right.mean() >= svc.score(given.rows.X[of_pair], sign) - 0.02


def test_a_pair_of_near_classes_among_far_ones_is_trained_in_double_precision():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3)) * 1e-4
    y = np.repeat([0, 1, 2], 30)
    X[y == 1] += 2e-4
    X[y == 2] += 3.0
    given = problems(Kernel("rbf", gamma=1.0), X, y)
    kernel, machines = prepare(given), given.largest_first()
    assert precisions(kernel, 1e-3) == [SINGLE, DOUBLE]
    assert sorted(train_in(SINGLE, given, kernel, machines, parameters())) == [1, 2]
    K, sign, _, b = dense_dual(given, 0, 1, fit := train_compiled(given, parameters())[0])
    assert (np.sign(K @ b + fit.intercept) == sign).mean() > 0.9


@pytest.mark.parametrize("C", [1.0, 1e4])
def test_every_machine_is_reported_once(C):
    X, y = mostly_noise(n=300, k=4)
    reported = []
    given = problems(KERNELS["rbf"], X, y, C=C)
    train_compiled(given, parameters(on_trained=reported.extend))
    assert sorted(reported) == list(range(6))


def test_machines_that_memory_does_not_suffice_for_are_left(monkeypatch):
    X, y = mostly_noise(n=300, k=3)
    given = problems(KERNELS["rbf"], X, y, C=1e4)
    single = train_in(SINGLE, given, prepare(given), given.largest_first(), parameters())
    assert len(single) < 3
    monkeypatch.setattr("dcsvm.training.compiled.POOL_BUDGET", 300 * 4 * 4)
    assert sorted(train_compiled(given, parameters())) == sorted(single)
    monkeypatch.setattr("dcsvm.training.compiled.POOL_BUDGET", 300 * 4 * 4 - 1)
    assert train_compiled(given, parameters()) == {}


@pytest.mark.parametrize(
    ("gamma", "distance", "C", "seed"), [(0.1, 1e-4, 10, 2), (0.3, 1e-5, 100, 3)]
)
def test_rounding_that_leads_in_circles_is_noticed(gamma, distance, C, seed):
    """Rows so near to each other that single precision takes them for equal, yet not quite."""
    rng = np.random.default_rng(seed)
    spread = 1.0 if C == 10 else 0.3
    first = rng.normal(size=(30, 5)) * spread + 5
    near = np.repeat(rng.normal(size=(10, 5)) * spread, 4, axis=0)
    near += rng.normal(size=near.shape) * distance + 5
    X = np.vstack([first, near, -first, -near])
    y = np.repeat([0, 1, 2], [30, 40, 70])
    given = problems(Kernel("rbf", gamma=gamma), X, y, C=C)
    bounded = parameters(max_iter=10_000)
    single = train_in(SINGLE, given, prepare(given), given.largest_first(), bounded)
    assert 0 not in single
    fit = train_compiled(given, bounded)[0]
    assert fit.converged
    exact = train_in(DOUBLE, given, prepare(given), given.largest_first(), bounded)[0]
    assert fit.coef.tolist() == exact.coef.tolist()
