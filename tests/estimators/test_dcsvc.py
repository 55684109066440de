"""`DCSVC` as its users meet it."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
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


def test_weights_of_a_tenth_are_a_tenth_of_c():
    X, y = blobs(6, per_class=50, d=2, spread=3.0)
    whole = DCSVC.paper(C=1, gamma=0.3, theta=0.02).fit(X, y)
    tenth = DCSVC.paper(C=10, gamma=0.3, theta=0.02).fit(X, y, sample_weight=np.full(len(X), 0.1))
    assert (tenth.predict(X) == whole.predict(X)).all()
    assert tenth.table_.separation(0.02) == whole.table_.separation(0.02)


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


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"criterion": "purity"}, "criterion='purity' has no effect: a shortlist is in use"),
        ({"max_nodes": 50, "criterion": "score"}, "criterion='score' and max_nodes=50 have no eff"),
        (
            {"accuracy_tolerance": 0.01},
            "accuracy_tolerance=0.01 has no effect: theta is not 'auto'",
        ),
    ],
)
def test_parameters_without_effect_are_named(changes, message, digits):
    X, y, _, _ = digits
    with pytest.warns(UserWarning, match=message) as warned:
        DCSVC(C=10, **changes).fit(X, y)
    assert [w.filename for w in warned] == [__file__]


def test_a_parameter_that_loses_its_effect_is_named(digits):
    X, y, _, _ = digits
    clf = DCSVC(C=10).fit(X, y)
    with pytest.warns(UserWarning, match="criterion='score' has no effect"):
        clf.rethreshold(criterion="score")
    clf.rethreshold(criterion="score", shortlist=None)


@pytest.mark.parametrize(("C", "gamma"), [(1e8, 1e-8), (1.0, 1e-9)])
@pytest.mark.parametrize("scaling", ["global", "pair"])
def test_a_very_small_gamma_is_no_obstacle(C, gamma, scaling):
    X, y = load_iris(return_X_y=True)
    clf = DCSVC(C=C, gamma=gamma, scaling=scaling).fit(X, y)
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    svc = SVC(C=C, gamma=gamma).fit(standardised, y)
    assert clf.score(X, y) >= svc.score(standardised, y) - 0.02
