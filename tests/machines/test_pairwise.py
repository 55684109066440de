"""Decision values, in double and in single precision, against scikit-learn's kernels."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from tests.oracles import dense64, machine_values

from dcsvm import DCSVC
from dcsvm._core import EngineDouble, EngineFloat
from dcsvm.machines.precision import plan

KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "gamma": 0.2, "coef0": 1.0, "degree": 3},
    "poly of degree 0": {"kernel": "poly", "degree": 0},
    "rbf": {"kernel": "rbf", "gamma": 0.3},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.05, "coef0": -0.1},
}


def data(n_features=11, seed=0):
    X, y = make_blobs(120, n_features, centers=4, cluster_std=3.0, random_state=seed)
    rng = np.random.default_rng(seed)
    return X / 4 * (rng.random(X.shape) < 0.7), y


def as_csr(X, dtype, index):
    X = sparse.csr_array(X.astype(dtype))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X


FORMS = {
    "dense float64": lambda X: X,
    "dense float32": lambda X: X.astype(np.float32),
    "Fortran order": np.asfortranarray,
    "csr float64": lambda X: as_csr(X, np.float64, np.int32),
    "csr float32": lambda X: as_csr(X, np.float32, np.int32),
    "csr, 64-bit indices": lambda X: as_csr(X, np.float64, np.int64),
    "csr float32, 64-bit indices": lambda X: as_csr(X, np.float32, np.int64),
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "csr matrix": sparse.csr_matrix,
}


def assert_close(machines, rows, arithmetic):
    """All values, both ways of asking for them, against the oracle."""
    assert isinstance(machines.engine, EngineDouble if arithmetic == "double" else EngineFloat)
    expected = machine_values(machines, rows)
    tolerance = 1e-11 if arithmetic == "double" else 4 * plan(machines).error
    query = machines.prepare(rows)
    np.testing.assert_allclose(
        machines.all_values(query, 0, rows.shape[0]), expected, atol=tolerance, rtol=1e-6
    )
    row, machine = np.indices(expected.shape, dtype=np.int64)
    found = machines.values(query, row.ravel(), machine.ravel().astype(np.int32))
    np.testing.assert_allclose(found, expected.ravel(), atol=tolerance, rtol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("form", FORMS)
def test_values_of_every_kernel_and_storage(kernel, form, arithmetic):
    X, y = data()
    trained_on = FORMS[form](X)
    clf = DCSVC(**KERNELS[kernel]).fit(trained_on, y)
    assert_close(clf.machines_, clf._check_rows(trained_on), arithmetic)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scaling", ["global", "pair"])
@pytest.mark.parametrize("form", ["dense float64", "dense float32"])
def test_values_with_scaling(kernel, scaling, form, arithmetic):
    X, y = data()
    X = FORMS[form](X)
    machines = DCSVC(**KERNELS[kernel], scaling=scaling).fit(X, y).machines_
    if X.dtype == np.float64 or arithmetic != "double":
        assert_close(machines, X, arithmetic)


@pytest.mark.parametrize("scaling", [None, "global", "pair"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("fitted", FORMS)
@pytest.mark.parametrize("asked", ["dense float64", "csr float64", "csr, 64-bit indices"])
def test_rows_may_be_stored_otherwise_than_the_training_rows(
    scaling, kernel, fitted, asked, arithmetic
):
    X, y = data()
    clf = DCSVC(kernel=kernel, scaling=scaling).fit(FORMS[fitted](X + 1.0), y)
    assert_close(clf.machines_, FORMS[asked](X + 1.0), arithmetic)


def test_sparse_rows_for_a_callable_kernel_that_was_scaled_on_dense_ones():
    X, y = data()
    for scaling in ("global", "pair"):
        clf = DCSVC(kernel=lambda A, B: dense64(A) @ dense64(B).T, scaling=scaling).fit(X + 1, y)
        np.testing.assert_allclose(
            clf.decision_function(sparse.csr_array(X + 1)), clf.decision_function(X + 1), atol=1e-9
        )


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scaling", [None, "global", "pair"])
def test_a_value_has_the_same_bits_wherever_it_is_computed(kernel, scaling, arithmetic):
    X, y = data()
    machines = DCSVC(**KERNELS[kernel], scaling=scaling).fit(X, y).machines_
    query = machines.prepare(X)
    together = machines.all_values(query, 0, len(X))
    row, machine = np.indices(together.shape)
    order = np.random.default_rng(0).permutation(together.size)
    row, machine = row.ravel()[order], machine.ravel()[order].astype(np.int32)
    values = machines.values(query, row, machine)
    if arithmetic == "double":
        np.testing.assert_allclose(values, together[row, machine], rtol=1e-12, atol=1e-12)
    assert (machines.values(query, row, machine, n_jobs=3) == values).all()
    for part in (slice(0, 1), slice(5, 8), slice(100, 233)):
        assert (machines.values(query, row[part], machine[part]) == values[part]).all()
    alone = machines.all_values(machines.prepare(X[17:18]), 0, 1)
    assert (alone == together[17]).all()


def test_support_vectors_shared_by_machines_are_counted_once():
    X, y = data()
    machines = DCSVC(C=0.1).fit(X, y).machines_
    paths = [[0, 1, 2], [3], [], [5, 5], list(range(6))]
    start = np.cumsum([0, *map(len, paths)])
    flat = np.array([m for p in paths for m in p], dtype=np.int32)

    def support(m):
        return machines.index[machines.start[m] : machines.start[m + 1]].tolist()

    cost = machines.path_cost(start, flat)
    assert cost["support_vectors"].tolist() == [sum(len(support(m)) for m in p) for p in paths]
    distinct = [len({s for m in p for s in support(m)}) for p in paths]
    assert cost["kernel_evaluations"].tolist() == distinct
    assert distinct[-1] == machines.n_distinct_support
    assert machines.n_support.tolist() == [len(support(m)) for m in range(6)]


def test_machines_survive_pickling():
    X, y = data()
    machines = DCSVC().fit(X, y).machines_
    machines.all_values(machines.prepare(X), 0, 3)  # so that there is compiled state to leave out
    copy = pickle.loads(pickle.dumps(machines))
    assert (
        copy.all_values(copy.prepare(X), 0, 9) == machines.all_values(machines.prepare(X), 0, 9)
    ).all()
