"""The compiled engine: walks and votes on every instruction set, and when it stands back."""

import os
import pickle
import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, make_blobs
from tests.oracles import by_pair, exact_table, machine_values, vote
from tests.tables import OneByOneSplitter

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC, _core
from dcsvm._core import EngineDouble, EngineFloat
from dcsvm.machines.precision import plan
from dcsvm.machines.query import core_rows
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.walking import leaves, walk

# "rbf, far apart" cannot be expanded without loss: it goes by distances.
KERNELS = {
    "linear": {"kernel": "linear", "C": 0.1},
    "poly": {"kernel": "poly", "gamma": 0.1, "coef0": 1.0},
    "rbf": {"kernel": "rbf", "gamma": 0.1},
    "rbf, far apart": {"kernel": "rbf", "gamma": 2.0},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.02},
}


def problem(k=7, d=5, n=420, seed=0):
    centres = np.random.default_rng(seed).normal(size=(k, d)) * 2
    X, y = make_blobs(n, centers=centres, cluster_std=1.5, random_state=seed)
    return X[::2], y[::2], X[1::2], y[1::2]


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


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scaling", [None, "global", "pair"])
@pytest.mark.parametrize("n_features", [1, 5, 16, 33])
def test_all_ways_to_a_leaf_are_one(kernel, scaling, n_features, arithmetic):
    X, y, asked, _ = problem(d=n_features)
    clf = DCSVC.paper(**KERNELS[kernel], scaling=scaling).fit(X, y)
    labels = clf.predict(asked)
    stepwise = np.empty(len(asked), dtype=int)
    for step in walk(clf.machines_, clf._route.grower, asked, None):
        stepwise[step.rows] = step.children
    assert (clf.classes_[stepwise] == labels).all()
    assert (clf.classes_[clf.decision_function(asked).argmax(axis=1)] == labels).all()
    one = clf.predictor_
    assert [one.predict(x) for x in asked] == labels.tolist()
    assert (clf.predict(asked[50:53]) == labels[50:53]).all()
    assert (clf.set_params(n_jobs=3).predict(asked) == labels).all()
    assert (clf.predict(sparse.csr_array(asked)) == labels).all()


def test_single_precision_rows_need_no_other_precision(arithmetic):
    X, y, asked, _ = problem()
    X, asked = X.astype(np.float32), asked.astype(np.float32)
    clf = DCSVC.paper().fit(X, y)
    assert (clf.predict(asked) == clf.predict(asked.astype(np.float64))).all()
    assert [clf.predictor_.predict(x) for x in asked] == clf.predict(asked).tolist()


class FourWaySplitter(OneByOneSplitter):
    """Nodes with three cuts each, drawn at random but always the same for the same candidates."""

    def __init__(self, n_classes):
        self.n_classes = n_classes

    def choose_one(self, candidates):
        return candidates % (self.n_classes * (self.n_classes - 1) // 2)

    def divide(self, machine, candidates):
        rng = np.random.default_rng(candidates)
        members = [c for c in range(self.n_classes) if candidates >> c & 1]
        children = []
        for _ in range(4):
            left = rng.choice(members, rng.integers(1, len(members)), replace=False)
            children.append(sum(1 << int(c) for c in left))
        return tuple(np.sort(rng.normal(size=3))), tuple(children)


def test_walks_through_nodes_with_several_cuts(arithmetic):
    X, y, asked, _ = problem()
    machines = DCSVC().fit(X, y).machines_
    grower = Grower(FourWaySplitter(7))
    found = leaves(machines, grower, asked, None)
    stepwise = np.empty(len(asked), dtype=int)
    values = machines.values(
        machines.prepare(asked),
        np.repeat(np.arange(len(asked)), 21),
        np.tile(np.arange(21, dtype=np.int32), len(asked)),
    ).reshape(-1, 21)
    dag = grower.dag
    for row, v in enumerate(values):
        node = dag.root
        while node >= 7:
            interval = np.searchsorted(dag.cuts_of(node), v[dag.machine[node]], side="left")
            node = dag.children(node)[interval]
        stepwise[row] = node
    assert (found == stepwise).all()
    assert len(np.unique(found)) > 3


@pytest.mark.parametrize("scaling", [None, "pair"])
def test_panels_that_are_not_kept_change_nothing(scaling, monkeypatch):
    X, y, asked, _ = problem()
    kept = DCSVC(scaling=scaling).fit(X, y)
    expected = kept.decision_function(asked)
    assert kept.machines_.engine.panel_bytes > 0
    for budget in (0, kept.machines_.engine.panel_bytes // 2):
        monkeypatch.setattr("dcsvm.machines.compiled.PANEL_BUDGET", budget)
        clf = DCSVC(scaling=scaling).fit(X, y)
        assert (clf.decision_function(asked) == expected).all()
        assert (clf.predict(asked) == kept.predict(asked)).all()
        assert clf.machines_.engine.panel_bytes <= budget


def test_threads_that_pack_and_grow_together_agree():
    X, y, asked, _ = problem(k=12, n=1200)
    trained = DCSVC.paper(theta=0.0).fit(X, y)
    expected = trained.predict(asked)
    for _ in range(5):
        fresh = pickle.loads(pickle.dumps(trained)).rethreshold(theta=0.0)
        found = {}

        def ask(t, fresh=fresh, found=found):
            found[t] = fresh.predict(asked)

        threads = [threading.Thread(target=ask, args=(t,)) for t in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all((found[t] == expected).all() for t in range(8))


def test_the_number_of_threads_does_not_change_the_numbers_of_nodes():
    X, y, asked, _ = problem(k=12, n=1200)
    trained = DCSVC.paper(theta=0.0).fit(X, y)
    one, many = (trained.rethreshold(theta=0.0).set_params(n_jobs=n) for n in (1, 4))
    one.predict(asked), many.predict(asked)
    assert (one.dag_.candidates == many.dag_.candidates).all()
    assert (one.dag_.child == many.dag_.child).all()


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
    scores = moved.shortlist_.scores(asked + 1e6, moved.machines_)[:, :7]
    expected = clf.shortlist_.scores(asked, clf.machines_)[:, :7]
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    assert (moved.predict(asked + 1e6) == clf.predict(asked)).all()


def test_a_row_predictor_is_immutable_picklable_and_free_of_checks():
    X, y = load_digits(return_X_y=True)
    names = np.array([f"digit {c}" for c in range(10)])[y]
    for clf in (DCSVC(), DAGSVC(), DCSVC(kernel=lambda A, B: A @ B.T)):
        clf.fit(X[:300], names[:300])
        one = clf.predictor_
        expected = clf.predict(X[300:330])
        for copy in (one, pickle.loads(pickle.dumps(one)) if clf.kernel == "rbf" else one):
            assert [copy.predict(x) for x in X[300:330]] == expected.tolist()
        assert (one.predict(X[300:330]) == expected).all()
        assert one.predict(X[300].tolist()) == expected[0]
        assert one.predict(X[300].astype(int)) == expected[0]
        assert one.predict(np.repeat(X[300], 2)[::2]) == expected[0]
        assert one.predict(np.full(64, np.nan)) in names
        with pytest.raises(ValueError, match=r"features|mismatch|operands|aligned"):
            one.predict(X[300, :5])
        with pytest.raises(AttributeError, match="cannot be changed"):
            one.classes = ()


def test_a_row_predictor_over_any_classifier():
    X, y = load_digits(return_X_y=True)
    clf = DivideAndConquerClassifier(DCSVC()).fit(X[:200], y[:200])
    assert clf.predictor_.predict(X[250]) == clf.predict(X[250:251])[0]


def test_a_row_predictor_grows_what_it_meets():
    X, y, asked, _ = problem(k=12, n=1200)
    clf = DCSVC.paper(theta=0.0).fit(X, y).rethreshold(theta=0.0)
    assert clf.dag_.n_nodes == 13
    one = clf.predictor_
    assert [one.predict(x) for x in asked] == clf.rethreshold().predict(asked).tolist()
    assert clf.dag_.n_nodes > 13


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


@pytest.mark.parametrize("scaling", [None, "pair"])
def test_signs_that_were_kept_grow_what_a_walk_would(scaling, arithmetic, monkeypatch):
    X, y, _, _ = problem(k=12, n=1200)
    by_signs = DCSVC.paper(theta=0.0, scaling=scaling).fit(X, y)
    monkeypatch.setattr("dcsvm.table.building.SIGNS_BUDGET", 0)
    by_walking = DCSVC.paper(theta=0.0, scaling=scaling).fit(X, y)

    def sets(clf):
        return {clf.dag_.candidate_set(n) for n in range(clf.dag_.n_nodes)}

    assert sets(by_signs) == sets(by_walking)
    assert by_signs.dag_.n_nodes > 100
