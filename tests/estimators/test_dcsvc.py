"""`DCSVC` as its users meet it."""

import copy
import pickle
import threading
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from tests.oracles import by_pair, exact_table, machine_values

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:900], y[:900], X[900:], y[900:]


@pytest.fixture(scope="module")
def fitted(digits):
    return DCSVC.paper(C=10).fit(digits[0], digits[1])


def blobs(k, per_class=12, d=8, seed=0, spread=1.0):
    centres = np.random.default_rng(seed).normal(size=(k, d)) * 3
    return make_blobs(k * per_class, centers=centres, cluster_std=spread, random_state=seed)


@pytest.mark.parametrize("theta", [0.0, 0.001, 0.02, 0.3])
@pytest.mark.parametrize("criterion", ["purity", "score"])
@pytest.mark.parametrize("scaling", [None, "pair"])
def test_predictions_are_those_of_the_method(theta, criterion, scaling):
    X, y = blobs(8, per_class=30, d=3, spread=2.0)
    clf = DCSVC.paper(theta=theta, criterion=criterion, scaling=scaling).fit(X[::2], y[::2])
    oracle = exact_table(clf.table_, theta)
    expected = [oracle.classify(by_pair(v, 8), criterion) for v in machine_values(clf.machines_, X)]
    assert clf.predict(X).tolist() == [leaf for leaf, _ in expected]
    assert clf.apply(X).tolist() == [leaf for leaf, _ in expected]
    assert clf.decision_cost(X).decisions.tolist() == [len(path) for _, path in expected]
    labels, decisions = clf.predict_with_decisions(X)
    assert labels.tolist() == clf.predict(X).tolist()
    assert decisions.tolist() == [len(path) for _, path in expected]


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
    with np.errstate(all="ignore"):
        decision = clf.decision_function(huge)
    if k == 2:
        assert (clf.classes_[(decision > 0).astype(int)] == clf.predict(huge)).all()
    else:
        assert (clf.classes_[decision.argmax(axis=1)] == clf.predict(huge)).all()


def test_weights_of_a_tenth_are_a_tenth_of_c():
    X, y = blobs(6, per_class=50, d=2, spread=3.0)
    whole = DCSVC.paper(C=1, gamma=0.3, theta=0.02).fit(X, y)
    tenth = DCSVC.paper(C=10, gamma=0.3, theta=0.02).fit(X, y, sample_weight=np.full(len(X), 0.1))
    assert (tenth.predict(X) == whole.predict(X)).all()
    assert tenth.table_.separation(0.02) == whole.table_.separation(0.02)


def test_what_is_grown_cannot_be_written_to(fitted):
    with pytest.raises(ValueError, match="read-only"):
        fitted.dag_.child[:] = 0


def test_decision_function_tells_when_a_class_was_dropped():
    X, y = blobs(6, d=2, spread=2.5)
    clf = DCSVC.paper().fit(X, y)
    decision, path, dag = clf.decision_function(X), clf.decision_path(X), clf.dag_
    for row in range(len(X)):
        nodes = sorted(path[row].indices, key=lambda n: -len(dag.classes_at(n)))
        for c in range(6):
            nodes_without = sum(c not in dag.classes_at(n) for n in nodes)
            assert np.ceil(decision[row, c] - 1 / 3) == -nodes_without


@pytest.mark.parametrize("make", [DCSVC, DCSVC.paper, OneVsOneSVC, DAGSVC])
def test_rows_do_not_depend_on_their_batch(make, digits):
    clf = make(C=10).fit(digits[0], digits[1])
    X = digits[2][:200]
    whole = clf.decision_function(X)
    assert (np.vstack([clf.decision_function(X[r : r + 1]) for r in range(200)]) == whole).all()
    order = np.random.default_rng(0).permutation(200)
    assert (clf.decision_function(X[order]) == whole[order]).all()
    assert (clf.predict(X[order]) == clf.predict(X)[order]).all()


def test_long_input_is_walked_in_blocks(digits, fitted, monkeypatch):
    X = digits[2]
    whole = fitted.decision_function(X), fitted.decision_path(X).toarray()
    expected = fitted.predict(X)
    monkeypatch.setattr("dcsvm._util.batches.MOST_ROWS_AT_ONCE", 64)
    assert (fitted.predict(X) == expected).all()
    assert (fitted.decision_function(X) == whole[0]).all()
    assert (fitted.decision_path(X).toarray() == whole[1]).all()
    vote = OneVsOneSVC.from_machines(fitted)
    expected = vote.predict(X)
    monkeypatch.setattr("dcsvm.machines.pairwise.MOST_ROWS_PER_CALL", 7)
    assert (vote.set_params(n_jobs=2).predict(X) == expected).all()


@pytest.mark.parametrize("criterion", ["purity", "score"])
@pytest.mark.parametrize("theta", [0.0, 0.05])
def test_rethreshold_is_a_fit_without_the_training(digits, theta, criterion):
    X, y, asked, _ = digits
    first = DCSVC(C=10, theta=0.01).fit(X, y)
    moved = first.rethreshold(theta=theta, criterion=criterion)
    afresh = DCSVC(C=10, theta=theta, criterion=criterion).fit(X, y)
    assert (moved.decision_function(asked) == afresh.decision_function(asked)).all()
    assert moved.machines_ is first.machines_
    assert moved.table_ is first.table_
    assert moved.get_params() == afresh.get_params()
    assert first.theta == 0.01
    assert (first.predict(asked) == DCSVC(C=10, theta=0.01).fit(X, y).predict(asked)).all()
    assert first.rethreshold().get_params() == first.get_params()


@pytest.mark.parametrize(
    "make",
    [
        DCSVC,
        DCSVC.paper,
        partial(DCSVC, shortlist=LinearSVC(), theta=0.01),
        partial(DCSVC, shortlist=None),
    ],
)
def test_a_weight_is_a_repetition_to_the_bit(make, digits):
    X, y, asked, _ = digits
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 3, len(X))
    order = rng.permutation(weight.sum())
    twice = np.repeat(X, weight, axis=0)[order], np.repeat(y, weight)[order]
    weighted = make().fit(X, y, sample_weight=weight)
    repeated = make().fit(*twice)
    assert (weighted.predict(asked) == repeated.predict(asked)).all()
    assert (weighted.decision_function(asked) == repeated.decision_function(asked)).all()
    assert (weighted.table_.counts == repeated.table_.counts).all()
    assert hasattr(weighted, "dag_") == hasattr(repeated, "dag_")
    if weighted.shortlist is None:
        assert weighted.dag_.n_nodes == repeated.dag_.n_nodes


@pytest.mark.parametrize("duplicate", [pickle.dumps, copy.deepcopy])
def test_copies_predict_the_same_and_go_on_growing(duplicate):
    X, y = blobs(20, per_class=10, d=4, spread=3.0)
    clf = DCSVC.paper(theta=0.0).fit(X, y)
    other = duplicate(clf)
    if isinstance(other, bytes):
        other = pickle.loads(other)
    nodes = other.dag_.n_nodes
    asked = np.random.default_rng(0).normal(size=(500, 4)) * 4
    assert (other.decision_function(asked) == clf.decision_function(asked)).all()
    assert other.dag_.n_nodes == clf.dag_.n_nodes > nodes
    assert not hasattr(clone(clf), "classes_")


def test_threads_that_grow_the_structure_together_agree():
    X, y = blobs(20, per_class=10, d=4, spread=3.0)
    clf = DCSVC.paper(theta=0.0).fit(X, y)
    asked = np.random.default_rng(1).normal(size=(3000, 4)) * 4
    expected = DCSVC.paper(theta=0.0).fit(X, y).decision_function(asked)
    found = {}

    def ask(thread):
        order = np.random.default_rng(thread).permutation(len(asked))
        found[thread] = np.empty_like(expected)
        found[thread][order] = clf.decision_function(asked[order])

    threads = [threading.Thread(target=ask, args=(t,)) for t in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((found[t] == expected).all() for t in range(6))
    sets = [clf.dag_.candidate_set(n) for n in range(clf.dag_.n_nodes)]
    assert len(set(sets)) == len(sets)


def test_nodes_the_training_rows_pass_are_grown_by_fit(digits, fitted):
    assert fitted.dag_.n_nodes > len(fitted.classes_) + 1
    before = fitted.dag_
    fitted.predict(digits[0])
    assert fitted.dag_ is before


@pytest.mark.parametrize("make", [DCSVC, DCSVC.paper])
def test_two_hundred_classes(make):
    X, y = blobs(200, per_class=12, d=10, spread=0.3)
    clf = make(gamma=0.02, C=10).fit(X[::2], y[::2])
    assert clf.machines_.n_machines == 19_900
    assert clf.score(X[1::2], y[1::2]) > 0.9
    assert clf.decision_cost(X).decisions.max() <= 199
    if make is not DCSVC:
        assert clf.dag_.max_depth <= 199


def test_model_selection_and_pipelines():
    X, y = load_iris(return_X_y=True)
    piped = make_pipeline(StandardScaler(), DCSVC())
    assert cross_val_score(piped, X, y).mean() > 0.93
    piped.set_params(dcsvc__shortlist=None)  # else the shortlist makes up for a bad C
    search = GridSearchCV(piped, {"dcsvc__C": [0.01, 1], "dcsvc__theta": [0, 0.1]}).fit(X, y)
    assert search.best_params_["dcsvc__C"] == 1


def test_shown_objects_are_short(fitted):
    assert repr(fitted.machines_).startswith("PairwiseMachines(45 machines over ")
    assert repr(fitted.table_) == "PredictionTable(45 machines × 10 classes)"
    assert repr(fitted.dag_).startswith("DecisionDag(")
