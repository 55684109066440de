"""The compiled engine: every precision, instruction set and kind of support vectors."""

import os
import pickle
import subprocess
import sys
import tracemalloc
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from tests.kernel_problems import KERNELS, problem
from tests.oracles import by_pair, exact_table, kernel_matrix, machine_values, vote

from dcsvm import DCSVC, OneVsOneSVC, _core
from dcsvm._core import EngineDouble, EngineFloat
from dcsvm.data.kernels import Kernel
from dcsvm.data.rows import canonical_rows
from dcsvm.machines.compiled import columns_of_given
from dcsvm.machines.pairwise import COMPUTED, PairwiseMachines
from dcsvm.machines.precision import plan
from dcsvm.machines.query import core_rows
from dcsvm.routing.dag.walking import leaves, walk
from dcsvm.routing.elimination.linear import landmark_shortlist, linear_shortlist


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scaling", [None, "global", "pair"])
@pytest.mark.parametrize("theta", [0.0, 0.02])
def test_labels_are_those_of_double_precision_but_for_values_at_a_cut(
    kernel, scaling, theta, arithmetic
):
    X, y, asked, _ = problem()
    clf = DCSVC.paper(**KERNELS[kernel], scaling=scaling, theta=theta).fit(X, y)
    values = machine_values(clf.machines_, asked)
    tolerance = 1e-11 if arithmetic == "double" else 4 * plan(clf.machines_).error
    close = (np.abs(values) <= tolerance).any(axis=1)
    assert close.mean() < 0.05, "the comparison must mean something"
    outcomes = [by_pair(v, 7) for v in values]
    oracle = exact_table(clf.table_, theta)
    expected = np.array([oracle.classify(o, "purity")[0] for o in outcomes])
    assert (clf.predict(asked)[~close] == expected[~close]).all()
    votes = np.array([vote(o, 7) for o in outcomes])
    found = OneVsOneSVC.from_machines(clf).predict(asked)
    assert (found[~close] == votes[~close]).all()


def one_vector(form, real, name, degree=3, coef0=0.0):
    """An engine of a single machine whose value is its kernel value with the vector 1."""
    engine = EngineDouble if real is np.float64 else EngineFloat
    return engine(
        instruction_set=name,
        form=form,
        coef0=coef0,
        degree=degree,
        centre=np.zeros(1),
        scale=np.ones(1),
        query_bias=0.0,
        query_factor=1.0,
        vectors=np.ones((1, 1), dtype=real),
        vector_bias=np.zeros(1, dtype=real),
        stored=None,
        column=None,
        start=np.array([0, 1]),
        index=np.zeros(1, dtype=np.int32),
        coef=np.ones(1, dtype=real),
        intercept=np.zeros(1),
        own_centre=None,
        own_scale=None,
        panel_budget=0,
    )


def kernel_of(engine, x):
    """Both ways to the value: by panels of vectors, and by panels of rows."""
    rows, found, together = core_rows(x[:, np.newaxis]), np.empty(len(x)), np.empty((1, len(x)))
    engine.values(rows, np.arange(len(x)), np.zeros(len(x), dtype=np.int32), found)
    engine.all_values(rows, 0, len(x), together)
    assert (found == together[0]).all()
    return found


@pytest.mark.parametrize(("real", "exact_to"), [(np.float32, 4e-7), (np.float64, 6e-16)])
def test_functions_of_kernels_against_numpy(real, exact_to, instruction_set):
    limit = 126 if real is np.float32 else 1022
    x = np.concatenate([np.linspace(-limit, limit, 5001), np.linspace(-2, 2, 2001), [0.0, -0.0]])
    x = x.astype(real).astype(np.float64)
    found = kernel_of(one_vector("exp_dot", real, instruction_set), x)
    np.testing.assert_allclose(found, np.exp2(x), rtol=exact_to)
    beyond = np.array([-1e30, -limit - 1.0, limit + 1.0, 1e30])
    found = kernel_of(one_vector("exp_dot", real, instruction_set), beyond)
    np.testing.assert_allclose(found, np.exp2(np.clip(beyond, -limit, limit)), rtol=exact_to)
    found = kernel_of(one_vector("tanh", real, instruction_set), x)
    np.testing.assert_allclose(found, np.tanh(x), rtol=0, atol=2 * exact_to)
    for degree in (0, 1, 2, 5, 8):
        found = kernel_of(one_vector("power", real, instruction_set, degree, 0.5), x[5001:])
        expected = (x[5001:] + 0.5) ** degree
        np.testing.assert_allclose(found, expected, rtol=8 * exact_to, atol=1e-30)


@pytest.mark.parametrize("stored_as", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scaling", [None, "global", "pair"])
def test_support_vectors_that_stay_as_they_are_stored(
    kernel, scaling, stored_as, instruction_set, monkeypatch
):
    if stored_as is sparse.csr_array and scaling is not None and "rbf" not in kernel:
        return  # such kernels notice where sparse rows are centred: they are refused
    monkeypatch.setattr("dcsvm.machines.compiled.POOL_BUDGET", 0)
    X, y, asked, _ = problem()
    X, asked = X * (np.abs(X) > 0.5), asked * (np.abs(asked) > 0.5)
    clf = DCSVC.paper(**KERNELS[kernel], scaling=scaling).fit(stored_as(X), y)
    machines = clf.machines_
    assert isinstance(machines.engine, EngineDouble)
    assert machines.engine.panel_bytes == 0
    expected = machine_values(machines, asked)
    row, machine = np.indices(expected.shape)
    for rows in (asked, sparse.csr_array(asked)):
        query = machines.prepare(rows)
        together = machines.all_values(query, 0, len(asked))
        found = machines.values(query, row.ravel(), machine.ravel().astype(np.int32))
        np.testing.assert_allclose(together, expected, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(found, expected.ravel(), rtol=1e-11, atol=1e-11)
    outcomes = [by_pair(v, 7) for v in expected]
    oracle = exact_table(clf.table_, clf.theta)
    assert clf.predict(asked).tolist() == [oracle.classify(o, "purity")[0] for o in outcomes]
    assert [clf.predictor_.predict(x) for x in asked] == clf.predict(asked).tolist()
    assert OneVsOneSVC.from_machines(clf).predict(asked).tolist() == [vote(o, 7) for o in outcomes]


def test_shortlists_of_support_vectors_that_stay_as_they_are_stored(monkeypatch):
    X, y = load_digits(return_X_y=True)
    X = X / 16
    dense = DCSVC(gamma=0.05).fit(X[:600], y[:600])
    monkeypatch.setattr("dcsvm.machines.compiled.POOL_BUDGET", 0)
    stored = pickle.loads(pickle.dumps(dense))
    assert isinstance(stored.machines_.engine, EngineDouble)
    for fitted in (linear_shortlist, partial(landmark_shortlist, n_landmarks=32)):
        rows = canonical_rows(X[:600], y[:600].astype(np.int64), np.ones(600), 10)
        shortlist = fitted(rows, dense.machines_).shortlist
        found = shortlist.scores(X[600:700], stored.machines_)[:, :10]
        expected = shortlist.scores(X[600:700], dense.machines_)[:, :10]
        np.testing.assert_allclose(found, expected, atol=1e-3)
    assert (stored.predict(X[600:]) == dense.predict(X[600:])).all()


def test_no_sparse_support_vector_is_made_dense(monkeypatch):
    rng = np.random.default_rng(0)
    X = sparse.random(90, 30_000, density=0.002, random_state=rng, format="csr")
    y = np.arange(90) % 3
    monkeypatch.setattr("dcsvm.machines.compiled.POOL_BUDGET", 2**15)
    for kernel in ("rbf", "linear"):
        clf = DCSVC(kernel=kernel).fit(X, y)
        expected = machine_values(clf.machines_, X)
        tracemalloc.start()
        found = clf.machines_.all_values(clf.machines_.prepare(X), 0, 90)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        np.testing.assert_allclose(found, expected, atol=1e-11)
        assert peak < 30_000 * 8 * 10


def rbf_function(A, B):
    return kernel_matrix(Kernel("rbf", gamma=0.1), A, B)


@pytest.mark.parametrize("scaling", [None, "global", "pair"])
def test_kernel_values_that_are_given_are_those_of_the_compiled_kernel(
    scaling, instruction_set, monkeypatch
):
    monkeypatch.setattr("dcsvm.machines.precision.ALLOWED_ERROR", -1.0)
    X, y, asked, _ = problem()
    built_in = DCSVC.paper(gamma=0.1, scaling=scaling).fit(X, y)
    machines = built_in.machines_
    given = PairwiseMachines(
        **{
            name: value
            for name, value in vars(machines).items()
            if name not in ("kernel", *COMPUTED)
        },
        kernel=Kernel("callable", function=rbf_function),
    )
    n_columns = len(machines.index) if scaling == "pair" else machines.n_distinct_support
    assert given.query_width(asked) == n_columns
    expected = machines.all_values(machines.prepare(asked), 0, len(asked))
    np.testing.assert_allclose(
        given.all_values(given.prepare(asked), 0, len(asked)), expected, rtol=1e-11, atol=1e-11
    )
    grower = built_in._route.grower
    assert (leaves(given, grower, asked, None) == leaves(machines, grower, asked, None)).all()
    stepwise = np.empty(len(asked), dtype=int)
    for step in walk(given, grower, asked, None):
        stepwise[step.rows] = step.children
    assert (stepwise == leaves(machines, grower, asked, 2)).all()
    weight, edges = np.ones(len(asked)), np.array([0, len(asked)])
    for found, wanted in zip(
        given.observe(asked, weight, edges, keep_signs=True),
        machines.observe(asked, weight, edges, keep_signs=True),
        strict=True,
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-11)


def test_a_precomputed_kernel_is_read_at_the_columns_of_its_support_vectors(instruction_set):
    X, y, asked, _ = problem()
    gram = rbf_function(asked, X)
    built_in = DCSVC.paper(gamma=0.1).fit(X, y)
    clf = DCSVC.paper(kernel="precomputed").fit(rbf_function(X, X), y)
    machines = clf.machines_
    assert (columns_of_given(machines) == machines.pool).all()
    assert machines.query_width(gram) == machines.n_distinct_support < len(X)
    found = machines.all_values(machines.prepare(gram), 0, len(gram))
    columns = [
        gram[:, machines.pool[own]] @ coef
        for own, coef in zip(
            np.split(machines.index, machines.start[1:-1]),
            np.split(machines.coef, machines.start[1:-1]),
            strict=True,
        )
    ]
    np.testing.assert_allclose(found, np.column_stack(columns) + machines.intercept, atol=1e-12)
    assert (clf.predict(gram) == built_in.predict(asked)).mean() > 0.99
    assert [clf.predictor_.predict(row) for row in gram] == clf.predict(gram).tolist()
    with pytest.raises(ValueError, match="another number of features"):
        clf.predictor_.predict(gram[0, :5])


@pytest.mark.parametrize("scaling", [None, "pair"])
def test_panels_that_are_not_kept_change_nothing(scaling, monkeypatch):
    X, y, asked, _ = problem()
    kept = DCSVC(scaling=scaling, theta=0.005).fit(X, y)
    expected = kept.decision_function(asked)
    assert kept.machines_.engine.panel_bytes > 0
    for budget in (0, kept.machines_.engine.panel_bytes // 2):
        monkeypatch.setattr("dcsvm.machines.compiled.PANEL_BUDGET", budget)
        clf = DCSVC(scaling=scaling, theta=0.005).fit(X, y)
        assert (clf.decision_function(asked) == expected).all()
        assert (clf.predict(asked) == kept.predict(asked)).all()
        assert clf.machines_.engine.panel_bytes <= budget


def test_sparse_rows_are_not_made_dense_all_at_once():
    rng = np.random.default_rng(0)
    X = sparse.random(60, 20_000, density=0.002, random_state=rng, format="csr")
    clf = DCSVC(kernel="linear").fit(X, np.arange(60) % 3)
    asked = sparse.random(20_000, 20_000, density=0.0005, random_state=rng, format="csr")
    clf.predict(asked[:5])
    tracemalloc.start()
    clf.predict(asked)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < asked.nnz * 30  # as a dense matrix it would have 3.2 GB


@pytest.mark.parametrize(
    ("parameters", "safe"),
    [
        ({"C": 1.0}, True),
        ({"C": 1e9, "gamma": 1e-4}, False),
        ({"kernel": "poly", "degree": 9, "gamma": 10.0}, False),
        ({"kernel": "linear", "C": 1.0}, True),
    ],
)
def test_double_precision_where_single_is_not_enough(parameters, safe):
    X, y, asked, _ = problem()
    clf = DCSVC(**parameters, max_iter=20_000, tol=0.1)
    clf = clf.fit(X, y) if safe else _ignoring_convergence(clf.fit, X, y)
    assert isinstance(clf.machines_.engine, EngineFloat if safe else EngineDouble)
    expected = machine_values(clf.machines_, asked)
    found = clf.machines_.all_values(clf.machines_.prepare(asked), 0, len(asked))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


def _ignoring_convergence(function, *arguments):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments)


def test_an_offset_of_all_rows_costs_no_accuracy():
    X, y, asked, _ = problem()
    clf, moved = DCSVC.paper(gamma=0.1).fit(X, y), DCSVC.paper(gamma=0.1).fit(X + 1e6, y)
    assert isinstance(moved.machines_.engine, EngineFloat)
    np.testing.assert_allclose(
        moved.decision_function(asked + 1e6), clf.decision_function(asked), atol=1e-3
    )
    clf, moved = DCSVC(gamma=0.1).fit(X, y), DCSVC(gamma=0.1).fit(X + 1e6, y)
    scores, expected = (
        linear_shortlist(
            canonical_rows(X + by, y, np.ones(len(y)), 7), of.machines_
        ).shortlist.scores(asked + by, of.machines_)[:, :7]
        for by, of in ((1e6, moved), (0.0, clf))
    )
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    assert (moved.predict(asked + 1e6) == clf.predict(asked)).all()


def test_an_unknown_instruction_set_is_refused():
    code = "from dcsvm.machines.compiled import instruction_set; instruction_set()"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "DCSVM_SIMD": "mmx"},
        capture_output=True,
        text=True,
    )
    assert "DCSVM_SIMD='mmx', but this processor has only" in run.stderr
    assert "baseline" in run.stderr


ENGINE = {
    "instruction_set": "baseline",
    "form": "exp_dot",
    "coef0": 0.0,
    "degree": 3,
    "centre": np.zeros(2),
    "scale": np.ones(2),
    "query_bias": -1.0,
    "query_factor": 1.0,
    "vectors": np.zeros((3, 2), dtype=np.float32),
    "vector_bias": np.zeros(3, dtype=np.float32),
    "start": np.array([0, 2]),
    "index": np.array([0, 2], dtype=np.int32),
    "coef": np.ones(2, dtype=np.float32),
    "intercept": np.zeros(1),
    "own_centre": None,
    "own_scale": None,
    "stored": None,
    "column": None,
    "panel_budget": 1000,
}


OWN = np.zeros((1, 2), dtype=np.float32)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"instruction_set": "mmx"}, "no instruction set mmx"),
        ({"form": "cosine"}, "unknown form"),
        ({"centre": np.zeros(3)}, "one entry per feature"),
        ({"vector_bias": np.zeros(2, dtype=np.float32)}, "a bias per vector"),
        ({"start": np.array([0, 3])}, "start must rise"),
        ({"start": np.array([1, 2])}, "start must rise"),
        ({"start": np.array([0, -1])}, "start must rise"),
        ({"start": np.array([0, 2, 2])}, "start must fit the machines"),
        ({"index": np.array([-1, 0], dtype=np.int32)}, "not in the pool"),
        ({"index": np.array([0, 3], dtype=np.int32)}, "not in the pool"),
        ({"coef": np.ones(1, dtype=np.float32)}, "as many coefficients"),
        ({"form": "identity"}, "a weight vector per machine"),
        ({"own_centre": OWN}, "go together"),
        ({"own_centre": OWN, "own_scale": OWN}, "knows no scaling"),
        ({"form": "tanh", "own_centre": OWN[:, :1], "own_scale": OWN}, "a column per feature"),
    ],
)
def test_the_engine_refuses_arrays_that_do_not_fit_together(bad, message):
    EngineFloat(**ENGINE)
    with pytest.raises(ValueError, match=message):
        EngineFloat(**{**ENGINE, **bad})


DAG = {
    "n_classes": 2,
    "machine": np.array([-1, -1, 0], dtype=np.int32),
    "first_cut": np.array([0, 0, 0, 1]),
    "first_child": np.array([0, 0, 0, 2]),
    "cuts": np.zeros(1),
    "child": np.array([1, 0], dtype=np.int32),
}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"n_classes": 3}, "a root and a leaf per class"),
        ({"machine": np.array([-1, -1, -1], dtype=np.int32)}, "an inner node needs a machine"),
        ({"first_cut": np.array([0, 0, 1, 1])}, "one child more than cuts"),
        ({"first_child": np.array([0, 0, 0, 1])}, "first_child must rise"),
        ({"child": np.array([1, 3], dtype=np.int32)}, "a child is not a node"),
        ({"cuts": np.zeros(2)}, "first_cut must rise"),
    ],
)
def test_the_engine_refuses_structures_that_do_not_hold_together(bad, message):
    _core.Dag(**DAG)
    with pytest.raises(ValueError, match=message):
        _core.Dag(**{**DAG, **bad})


def test_the_engine_refuses_machines_and_nodes_that_are_not_there():
    engine, rows = EngineFloat(**ENGINE), core_rows(np.zeros((2, 2)))
    other = _core.Dag(**{**DAG, "machine": np.array([-1, -1, 5], dtype=np.int32)})
    node, slot, row = np.array([2], dtype=np.int32), np.zeros(1, dtype=np.int64), np.array([0])
    with pytest.raises(ValueError, match="no such machine"):
        engine.walk(other, rows, row, node, slot)
    with pytest.raises(ValueError, match="no such machine"):
        engine.walk_one(other, np.zeros(2))
    with pytest.raises(ValueError, match="no such node"):
        engine.walk(_core.Dag(**DAG), rows, row, node + 1, slot)
    with pytest.raises(ValueError, match="a row is not in X"):
        engine.walk(_core.Dag(**DAG), rows, row + 2, node, slot)
    values = np.empty(1)
    with pytest.raises(ValueError, match="a row is not in X"):
        engine.values(rows, row + 2, node * 0, values)
    with pytest.raises(ValueError, match="a row is not in X"):
        engine.values(rows, row - 1, node * 0, values)
    with pytest.raises(ValueError, match="no such machine"):
        engine.values(rows, row, node * 0 + 1, values)
    with pytest.raises(ValueError, match="of one length"):
        engine.values(rows, row, node * 0, np.empty(2))
    with pytest.raises(ValueError, match="another number of features"):
        engine.values(core_rows(np.zeros((3, 5))), row, node * 0, values)
    with pytest.raises(ValueError, match="a machine per pair"):
        engine.vote(rows, 0, 1, 3, slot)
    with pytest.raises(ValueError, match="rows are not in X"):
        engine.vote(rows, 0, 3, 2, np.zeros(3, dtype=np.int64))


@pytest.mark.parametrize(
    ("kernel", "scaling", "form"),
    [
        ("rbf", None, "exp_dot"),
        ("rbf, far apart", None, "exp_distance"),
        ("rbf", "pair", "exp_distance"),
        ("poly", None, "power"),
        ("sigmoid", "pair", "tanh"),
        ("linear", "pair", "identity"),
    ],
)
def test_kernels_here_go_through_every_form(kernel, scaling, form):
    X, y, _, _ = problem()
    machines = DCSVC(**KERNELS[kernel], scaling=scaling).fit(X, y).machines_
    assert plan(machines).parts["form"] == form
