"""Training against scikit-learn's SVC."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "poly", "gamma": "auto"},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "sigmoid", "gamma": 0.01},
]


def values(clf, X):
    return clf.machines_.all_values(clf.machines_.prepare(X), 0, X.shape[0])


def values_of_svc(svc, X):
    """SVC with decision_function_shape="ovo": positive for i, in the same order of pairs."""
    return svc.set_params(decision_function_shape="ovo").decision_function(X)


@pytest.mark.parametrize("parameters", KERNELS)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_machines_are_those_of_svc(parameters, container):
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.2, 3, len(y))
    shared = {"C": 0.5, "tol": 1e-7, **parameters}
    if shared.get("gamma", "scale") == "scale":
        # SVC takes the variance without the weights.
        shared["gamma"] = 1 / (X.shape[1] * X.var())
    svc = SVC(**shared).fit(container(X), y, sample_weight=weight)
    clf = OneVsOneSVC(**shared).fit(container(X), y, sample_weight=weight)
    np.testing.assert_allclose(values(clf, X), values_of_svc(svc, container(X)), atol=1e-4)


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.3])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gamma_is_that_of_svc(gamma, container, dtype):
    X, y = load_digits(return_X_y=True)
    X = container((X[:200] + 1000 * (container is np.asarray)).astype(dtype))
    svc = SVC(gamma=gamma).fit(X, y[:200])
    clf = OneVsOneSVC(gamma=gamma).fit(X, y[:200])
    assert clf.machines_.kernel.gamma == pytest.approx(svc._gamma, rel=1e-9)


def test_gamma_of_constant_features_is_one():
    clf = DCSVC().fit(np.ones((4, 2)), [0, 1, 0, 1])
    assert clf.machines_.kernel.gamma == 1.0


@pytest.mark.parametrize("class_weight", ["balanced", {0: 5.0}, {0: 0.2, 1: 3.0, 2: 1.0}])
def test_class_weight_is_that_of_svc(class_weight):
    X, y = load_iris(return_X_y=True)
    X, y = X[20:140], y[20:140]
    shared = {"class_weight": class_weight, "gamma": 0.1, "tol": 1e-7}
    svc, clf = SVC(**shared).fit(X, y), OneVsOneSVC(**shared).fit(X, y)
    np.testing.assert_allclose(values(clf, X), values_of_svc(svc, X), atol=1e-4)


def test_precomputed_and_callable_kernels_are_the_kernel_they_compute():
    X, y = make_blobs(150, 4, centers=4, cluster_std=3.0, random_state=0)
    asked, _ = make_blobs(50, 4, centers=4, cluster_std=3.0, random_state=1)
    weight = np.random.default_rng(0).integers(0, 3, 150)

    def kernel(A, B):
        return rbf_kernel(A, B, gamma=0.1)

    built_in = DCSVC.paper(gamma=0.1, tol=1e-8).fit(X, y, sample_weight=weight)
    called = DCSVC.paper(kernel=kernel, tol=1e-8).fit(X, y, sample_weight=weight)
    computed = DCSVC.paper(kernel="precomputed", tol=1e-8).fit(
        kernel(X, X), y, sample_weight=weight
    )
    expected = values(built_in, asked)
    np.testing.assert_allclose(values(called, asked), expected, atol=1e-4)
    np.testing.assert_allclose(values(computed, kernel(asked, X)), expected, atol=1e-4)
    for other, rows in ((called, asked), (computed, kernel(asked, X))):
        assert (other.predict(rows) == built_in.predict(asked)).all()
        cost, reference = other.decision_cost(rows), built_in.decision_cost(asked)
        assert (cost.decisions == reference.decisions).all()
        assert (cost.kernel_evaluations == reference.kernel_evaluations).all()


def test_callable_kernel_on_sparse_rows_with_pair_scaling_off():
    X, y = load_iris(return_X_y=True)
    rows = sparse.csr_array(X)
    clf = DCSVC(kernel=lambda A, B: A @ B.T).fit(rows, y)
    assert clf.score(rows, y) > 0.95


def test_callable_kernel_with_pair_scaling():
    X, y = load_iris(return_X_y=True)
    called = DCSVC(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.2), scaling="pair", tol=1e-8)
    built_in = DCSVC(gamma=0.2, scaling="pair", tol=1e-8)
    np.testing.assert_allclose(
        values(called.fit(X, y), X), values(built_in.fit(X, y), X), atol=1e-4
    )


@pytest.mark.parametrize("make", [DCSVC, OneVsOneSVC, DAGSVC])
def test_rows_of_a_precomputed_kernel_do_not_depend_on_their_batch(make):
    X, y = load_digits(return_X_y=True)
    gram, asked = rbf_kernel(X[:300]), rbf_kernel(X[300:400], X[:300])
    clf = make(kernel="precomputed", C=10).fit(gram, y[:300])
    whole = clf.decision_function(asked)
    alone = np.vstack([clf.decision_function(asked[r : r + 1]) for r in range(100)])
    assert (alone == whole).all()


def test_a_vote_computes_a_callable_kernel_once_per_support_vector():
    X, y = load_iris(return_X_y=True)
    asked = []

    def kernel(A, B):
        asked.append(A.shape[0] * B.shape[0])
        return rbf_kernel(A, B)

    clf = OneVsOneSVC(kernel=kernel).fit(X, y)
    asked.clear()
    clf.predict(X)
    assert sum(asked) == clf.decision_cost(X).kernel_evaluations.sum()


def test_stored_zeros_are_no_part_of_a_sparse_row():
    X, y = load_digits(return_X_y=True)
    clean = sparse.csr_matrix(X[:200])
    full = sparse.csr_matrix(X[:200])
    full.data[::7] = 0.0
    clean.data[::7] = 0.0
    clean.eliminate_zeros()
    one, other = DCSVC().fit(clean, y[:200]), DCSVC().fit(full, y[:200])
    assert (one.decision_function(X) == other.decision_function(X)).all()
    assert full.nnz > clean.nnz, "the caller's matrix must not change"


def test_each_machine_sees_the_rows_of_its_pair_alone():
    X, y = make_blobs(200, 3, centers=4, cluster_std=3.0, random_state=3)
    machines = DCSVC().fit(X, y).machines_
    of_class = [{row.tobytes() for row in X[y == c]} for c in range(4)]
    for m, (i, j) in enumerate(combinations(range(4), 2)):
        assert machines.pairs[m].tolist() == [i, j]
        support = machines.pool[machines.index[machines.start[m] : machines.start[m + 1]]]
        assert all(row.tobytes() in of_class[i] | of_class[j] for row in support)
    assert machines.n_machines == 6
    assert len(machines.n_iter) == 6


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_do_not_change_the_result(n_jobs):
    X, y = load_digits(return_X_y=True)
    one, many = DCSVC().fit(X[:600], y[:600]), DCSVC(n_jobs=n_jobs).fit(X[:600], y[:600])
    assert (values(one, X) == values(many, X)).all()
    assert (one.table_.counts == many.table_.counts).all()
    assert (one.decision_function(X) == many.decision_function(X)).all()


def test_a_class_with_a_single_row():
    X, y = load_iris(return_X_y=True)
    X, y = np.vstack([X, [[20.0, 20, 20, 20]]]), np.append(y, 3)
    for clf in (DCSVC(), DCSVC(scaling="pair"), OneVsOneSVC(scaling="global")):
        assert clf.fit(X, y).predict([[20.0, 20, 20, 20]]) == [3]


def test_machines_that_stop_early_are_named():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    with pytest.warns(ConvergenceWarning, match=r"\(max_iter=2\).* of 3 machines .*'setosa'"):
        clf = DCSVC(max_iter=2).fit(X, names)
    assert clf.n_iter_.tolist() == [2, 2, 2]


def test_a_float32_matrix_stays_float32(monkeypatch):
    X, y = load_digits(return_X_y=True)
    clf = DCSVC().fit(X.astype(np.float32), y)
    assert clf.machines_.pool.dtype == np.float32
    asked = X.astype(np.float32)
    tracemalloc.start()
    clf.machines_.prepare(asked)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < asked.nbytes / 10, "rows are read as they are, without a copy"


@pytest.mark.parametrize(
    "changes",
    [{"C": 1e4, "gamma": 0.2}, {"tol": 1e-7}, {"gamma": 1e-9}, {"tol": 1e-6, "n_jobs": 2}],
)
def test_compiled_kernels_need_no_libsvm(changes, monkeypatch):
    monkeypatch.setattr("dcsvm.training.train.train_by_libsvm", None)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(3, size=200)
    assert OneVsOneSVC(**changes).fit(X, y).machines_.converged.all()


def test_rows_beyond_the_memory_budget_are_trained_by_libsvm(monkeypatch):
    X, y = load_iris(return_X_y=True)
    compiled = OneVsOneSVC(gamma=0.1, tol=1e-7).fit(X, y)
    monkeypatch.setattr("dcsvm.training.compiled.POOL_BUDGET", 0)
    monkeypatch.setattr("dcsvm.training.compiled.Trainer", None)
    by_libsvm = OneVsOneSVC(gamma=0.1, tol=1e-7).fit(X, y)
    np.testing.assert_allclose(values(by_libsvm, X), values(compiled, X), atol=1e-5)


@pytest.mark.parametrize("factor", [2.0**-400, 2.0**-70, 2.0**70, 2.0**400])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_unit_of_the_features_does_not_matter(factor, kernel, container):
    X, y = load_digits(return_X_y=True)
    X, asked, y = X[:600:2], X[1:600:2], y[:600:2]
    clf = DCSVC(kernel=kernel).fit(container(X), y)
    other = DCSVC(kernel=kernel).fit(container(X * factor), y)
    np.testing.assert_allclose(
        values(other, container(asked * factor)), values(clf, container(asked)), atol=5e-3
    )
    labels = other.predict(container(asked * factor))
    assert (labels == SVC(kernel=kernel).fit(X, y).predict(asked)).mean() > 0.98


@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "linear", "C": 2.0**-140},
        {"kernel": "rbf", "gamma": 2.0**-140},
        {"kernel": "sigmoid", "gamma": 2.0**-145},
        {"kernel": "rbf", "scaling": "global"},
        {"kernel": "linear", "scaling": "pair"},
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_parameters_mean_the_same_in_any_unit(parameters, dtype):
    X, y = load_iris(return_X_y=True)
    unit = dict(parameters)
    if "scaling" not in parameters:
        name = "C" if parameters["kernel"] == "linear" else "gamma"
        unit[name] *= 2.0**140
    clf = DCSVC(**unit).fit(X.astype(dtype), y)
    large = (X.astype(dtype) * 2.0**70).astype(dtype)
    other = DCSVC(**parameters).fit(large, y)
    np.testing.assert_allclose(values(other, large), values(clf, X.astype(dtype)), atol=1e-5)


@pytest.mark.parametrize("size", [1e8, 1e11, 1e20, 1e100])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_one_enormous_row_does_not_blur_the_others(size, container):
    X, y = load_digits(return_X_y=True)
    X, asked, y = X[:600:2].copy(), X[1:600:2], y[:600:2]
    X[5] = size
    svc = SVC(gamma=1e-3, tol=1e-5).fit(X, y)
    clf = OneVsOneSVC(gamma=1e-3, tol=1e-5).fit(container(X), y)
    np.testing.assert_allclose(values(clf, container(asked)), values_of_svc(svc, asked), atol=1e-3)


def test_features_too_large_for_gamma_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="too large for C or gamma"):
        DCSVC(gamma=1.0).fit(X * 1e120, y)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_features_whose_squares_overflow_are_refused_as_by_svc(kernel):
    X, y = load_iris(return_X_y=True)
    for make in (SVC, DCSVC):
        for size in (1e200, np.finfo(float).max / X.max()):
            with np.errstate(all="ignore"), pytest.raises(ValueError, match="are not finite"):
                make(kernel=kernel).fit(X * size, y)
    assert DCSVC(kernel=kernel, scaling="global").fit(X * 1e200, y).score(X * 1e200, y) > 0.9
