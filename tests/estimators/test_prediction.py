"""Paths, costs and decision values of rows, by the shortlist or along a structure."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LogisticRegression
from tests.oracles import by_pair, exact_table, machine_values

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC
from dcsvm._util import batches


@pytest.fixture(scope="module")
def fitted(digits):
    return DCSVC.paper(C=10).fit(digits[0], digits[1])


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:900], y[:900], X[900:], y[900:]


def blobs(k, per_class=12, d=8, seed=0, spread=1.0):
    centres = np.random.default_rng(seed).normal(size=(k, d)) * 3
    return make_blobs(k * per_class, centers=centres, cluster_std=spread, random_state=seed)


@pytest.fixture(scope="module")
def all_digits():
    X, y = load_digits(return_X_y=True)
    return X[:900], y[:900], X[900:], y[900:]


def halved_blobs(k=14, seed=0, n=700, d=3):
    centres = np.random.default_rng(seed).normal(size=(k, d)) * 3
    X, y = make_blobs(n, centers=centres, cluster_std=1.5, random_state=seed)
    return X[::2], y[::2], X[1::2], y[1::2]


OTHER = [
    {"theta": 0.02},
    {"routing": "sign"},
    {"shortlist": None},
    {"shortlist": None, "criterion": "purity", "routing": "sign", "theta": 0.001},
    {"shortlist": None, "criterion": "score"},
]


@pytest.mark.parametrize("routing", ["margin", "sign"])
def test_a_bound_on_the_structure_changes_no_prediction(routing):
    X, y, asked, _ = halved_blobs()
    free = DCSVC(routing=routing, shortlist=None).fit(X, y)
    expected, decision = free.predict(asked), free.decision_function(asked)
    cost = free.decision_cost(asked)
    assert free.dag_.n_nodes > 80, "the comparison must mean something"
    bound = DCSVC(routing=routing, shortlist=None, max_nodes=40).fit(X, y)
    # The step that reaches the bound is the last.
    after_fit = bound.dag_
    assert after_fit.n_nodes < free.dag_.n_nodes
    assert after_fit.n_nodes >= 40
    for n_jobs in (1, 2):
        bound.set_params(n_jobs=n_jobs)
        assert (bound.predict(asked) == expected).all()
        assert (bound.decision_function(asked) == decision).all()
        assert (bound.decision_cost(asked).decisions == cost.decisions).all()
    assert [bound.predictor_.predict(x) for x in asked[:50]] == expected[:50].tolist()
    path = bound.decision_path(asked)
    assert (cost.decisions + 1 == path.sum(axis=1).A1).all()
    assert bound.dag_ is after_fit, "once full it grows no more"


def test_beyond_the_bound_a_column_is_still_one_set_of_candidates(monkeypatch):
    X, y, asked, _ = halved_blobs()
    monkeypatch.setattr(batches, "MOST_ROWS_AT_ONCE", 16)
    free = DCSVC.paper().fit(X, y).decision_path(asked)
    bound = DCSVC.paper(max_nodes=40).fit(X, y).decision_path(asked)
    shared = (free @ free.T).toarray()
    assert ((bound @ bound.T).toarray() == shared).all(), "rows share as many nodes"


@pytest.mark.parametrize("shortlist", ["auto", LogisticRegression(tol=0.1)])
@pytest.mark.parametrize("changes", OTHER)
def test_rethreshold_is_a_fresh_fit(changes, shortlist, all_digits):
    X, y, asked, _ = (part[:500] for part in all_digits)
    first = DCSVC(C=10, shortlist=shortlist).fit(X, y)
    moved = first.rethreshold(**changes)
    afresh = DCSVC(**{"C": 10, "shortlist": shortlist, **changes}).fit(X, y)
    assert moved.get_params() == afresh.get_params()
    assert moved.theta_ == afresh.theta_
    assert getattr(moved.shortlist_, "name", None) == getattr(afresh.shortlist_, "name", None)
    assert getattr(moved.shortlist_, "gap", None) == getattr(afresh.shortlist_, "gap", None)
    assert (moved.decision_function(asked) == afresh.decision_function(asked)).all()
    assert (moved.predict(asked) == afresh.predict(asked)).all()
    assert moved.machines_ is first.machines_
    if changes == OTHER[3]:
        paper = DCSVC.paper(C=10).fit(X, y)
        assert (moved.decision_function(asked) == paper.decision_function(asked)).all()
        oracle = exact_table(first.table_, 0.001)
        values = machine_values(first.machines_, asked)
        expected = [oracle.classify(by_pair(v, 10), "purity")[0] for v in values]
        assert moved.predict(asked).tolist() == expected


def test_costs_add_up_along_the_path(digits, fitted):
    X = digits[2]
    cost, machines, dag = fitted.decision_cost(X), fitted.machines_, fitted.dag_
    path = fitted.decision_path(X)
    for row in range(0, len(X), 50):
        inner = [n for n in path[row].indices if n >= dag.root]
        support = [
            set(machines.index[machines.start[m] : machines.start[m + 1]].tolist())
            for m in dag.machine[inner]
        ]
        assert cost.decisions[row] == len(inner)
        assert cost.support_vectors[row] == sum(map(len, support))
        assert cost.kernel_evaluations[row] == len(set.union(*support))
    assert cost["decisions"] is cost.decisions


def test_pair_scaling_shares_no_kernel_evaluations(digits):
    clf = DCSVC.paper(scaling="pair").fit(digits[0], digits[1])
    for method in (clf, OneVsOneSVC.from_machines(clf), DAGSVC.from_machines(clf)):
        cost = method.decision_cost(digits[2])
        assert (cost.kernel_evaluations == cost.support_vectors).all()
    guided = DCSVC(scaling="pair").fit(digits[0], digits[1])
    cost = guided.decision_cost(digits[2])
    of_scores = cost.kernel_evaluations - cost.support_vectors
    assert of_scores == pytest.approx(guided.shortlist_.cost, abs=1e-9)


def test_paths_are_indicators_from_the_root_to_the_leaf(digits, fitted):
    X = digits[2]
    path = fitted.decision_path(X)
    assert path.format == "csr"
    assert path.shape == (len(X), fitted.dag_.n_nodes)
    assert set(path.data.tolist()) == {1}
    assert (path[:, [fitted.dag_.root]].toarray() == 1).all()
    leaf_part = path[:, : len(fitted.classes_)].toarray()
    assert (leaf_part.sum(axis=1) == 1).all()
    assert (leaf_part.argmax(axis=1) == fitted.apply(X)).all()
    assert path.has_sorted_indices
    for row in range(0, len(X), 100):
        nodes = sorted(path[row].indices, key=lambda n: -len(fitted.dag_.classes_at(n)))
        for parent, child in pairwise(nodes):
            assert child in fitted.dag_.children(parent)


@pytest.mark.parametrize("make", [DCSVC, DCSVC.paper, OneVsOneSVC, DAGSVC])
@pytest.mark.parametrize("k", [2, 3, 10])
def test_decision_function_agrees_with_predict(make, k):
    X, y = blobs(k, d=2, spread=3.0)
    clf = make().fit(X, y)
    decision = clf.decision_function(X)
    if k == 2:
        assert decision.shape == (len(X),)
        assert (clf.classes_[(decision > 0).astype(int)] == clf.predict(X)).all()
    else:
        assert decision.shape == (len(X), k)
        assert (clf.classes_[decision.argmax(axis=1)] == clf.predict(X)).all()
        best_two = np.sort(decision, axis=1)[:, -2:]
        assert (best_two[:, 1] > best_two[:, 0]).all()


@pytest.mark.parametrize("make", [DCSVC, DCSVC.paper, OneVsOneSVC, DAGSVC])
def test_a_value_of_exactly_zero_goes_to_the_second_class(make):
    clf = make(kernel="linear").fit([[-1.0], [1.0]], ["a", "b"])
    assert clf.predict([[0.0]]) == ["b"]
    assert clf.decision_function([[0.0]]) > 0
    assert clf.decision_function([[-2.0]]) < 0


@pytest.mark.parametrize("make", [DCSVC, DCSVC.paper])
@pytest.mark.parametrize("k", [2, 4])
def test_values_that_overflow_leave_a_decision(make, k):
    X, y = blobs(k, d=3)
    clf = make(kernel="poly", degree=5).fit(X, y)
    huge = np.array([[1e150, -1e150, 1e150]])
    with np.errstate(all="ignore"), pytest.warns(RuntimeWarning, match="Check the units"):
        decision = clf.decision_function(huge)
    with pytest.warns(RuntimeWarning, match="Check the units"):
        labels = clf.predict(huge)
    if k == 2:
        assert (clf.classes_[(decision > 0).astype(int)] == labels).all()
    else:
        assert (clf.classes_[decision.argmax(axis=1)] == labels).all()


def test_decision_function_tells_when_a_class_was_dropped():
    X, y = blobs(6, d=2, spread=2.5)
    clf = DCSVC.paper().fit(X, y)
    decision, path, dag = clf.decision_function(X), clf.decision_path(X), clf.dag_
    for row in range(len(X)):
        nodes = sorted(path[row].indices, key=lambda n: -len(dag.classes_at(n)))
        for c in range(6):
            nodes_without = sum(c not in dag.classes_at(n) for n in nodes)
            assert np.ceil(decision[row, c] - 1 / 3) == -nodes_without


@pytest.mark.parametrize(
    "changes",
    [{}, {"shortlist": None, "criterion": "purity"}, {"shortlist": None, "criterion": "score"}],
)
@pytest.mark.parametrize("theta", [0.0, 0.05])
def test_rethreshold_is_a_fit_without_the_training(digits, theta, changes):
    X, y, asked, _ = digits
    first = DCSVC(C=10, theta=0.01).fit(X, y)
    moved = first.rethreshold(theta=theta, **changes)
    afresh = DCSVC(C=10, theta=theta, **changes).fit(X, y)
    assert (moved.decision_function(asked) == afresh.decision_function(asked)).all()
    assert moved.machines_ is first.machines_
    assert moved.table_ is first.table_
    assert moved.get_params() == afresh.get_params()
    assert first.theta == 0.01
    assert (first.predict(asked) == DCSVC(C=10, theta=0.01).fit(X, y).predict(asked)).all()
    assert first.rethreshold().get_params() == first.get_params()
