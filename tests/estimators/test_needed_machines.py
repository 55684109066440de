"""`DCSVC(machines="needed")` as its users meet it."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import dcsvm.estimators.needed_machines
from dcsvm import DAGSVC, DCSVC, OneVsOneSVC
from dcsvm.data.some_pairs import SomePairs
from dcsvm.inspection import (
    PredictionTableDisplay,
    SeparationDisplay,
    decision_structure,
    explain,
    explanations,
    export_text,
)
from dcsvm.report import write_report
from dcsvm.routing.elimination.needed import Needed, needed_pairs
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.plausibility import margin_levels

K = 50


def gaussians(k=K, per_class=16, seed=0, spread=0.7):
    centres = np.random.default_rng(5).normal(size=(k, 4)) * 2
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(k), per_class)
    return centres[y] + rng.normal(size=(len(y), 4)) * spread, y


@pytest.fixture(scope="module")
def fitted():
    return DCSVC(machines="needed", C=10, theta=0.01).fit(*gaussians())


def test_the_vote_is_nearly_reached_with_a_part_of_the_machines(fitted):
    X, y = gaussians(per_class=60, seed=1)
    vote = SVC(C=10).fit(*gaussians()).score(X, y)
    assert fitted.score(X, y) > vote - 0.01
    assert fitted.machines_.n_machines < K * (K - 1) / 4
    assert fitted.n_iter_.shape == (fitted.machines_.n_machines,)
    assert 0 < fitted.missed_ < 0.03
    assert fitted.predict_with_decisions(X)[1].mean() < 8


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_with_all_pairs_it_is_the_elimination_of_theta_zero(kernel):
    """At θ = 0 no value is implausible for any class: both rules drop losers only."""
    X, y = gaussians(30)
    clf = DCSVC(machines="needed", kernel=kernel, theta=0.0, scaling="global").fit(X, y)
    assert clf.machines_.n_machines == 30 * 29 / 2
    every = DCSVC(machines="all", kernel=kernel, theta=0.0, scaling="global").fit(X, y)
    np.testing.assert_array_equal(clf.machines_.pairs, every.machines_.pairs)
    np.testing.assert_array_equal(clf.machines_.intercept, every.machines_.intercept)
    every._route = Elimination(margin_levels(every.table_, 0.0), clf.shortlist_)
    asked, _ = gaussians(30, seed=2, spread=1.5)
    expected = every.predict_with_decisions(asked)
    np.testing.assert_array_equal(clf.predict_with_decisions(asked), expected)
    np.testing.assert_array_equal(clf.decision_function(asked), every.decision_function(asked))


@pytest.mark.parametrize("scaling", [None, "pair"])
def test_each_machine_is_that_of_the_full_set(scaling, monkeypatch):
    X, y = gaussians(12)
    pairs = SomePairs(12, np.array([[0, 5], [3, 4], [2, 11], [10, 1]]))

    def chosen(rows, theta):
        return Needed(needed_pairs(rows, theta).shortlist, pairs, 0.0)

    monkeypatch.setattr(dcsvm.estimators.needed_machines, "needed_pairs", chosen)
    clf = DCSVC(machines="needed", scaling=scaling).fit(X, y)
    every = DCSVC(scaling=scaling).fit(X, y)
    assert clf.machines_.pairs.tolist() == pairs.of_machine.tolist()
    for m, (i, j) in enumerate(pairs.of_machine.tolist()):
        full = int(every.machines_.machine_of(i, j))
        n = len(X)
        values = [
            one.machines_.values(one.machines_.prepare(X), np.arange(n), np.full(n, t, np.int32))
            for one, t in ((clf, m), (every, full))
        ]
        np.testing.assert_allclose(*values, atol=1e-5)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid", lambda A, B: A @ B.T])
@pytest.mark.parametrize("scaling", [None, "global"])
def test_every_kernel_and_every_way_to_a_label(kernel, scaling):
    X, y = load_iris(return_X_y=True)
    clf = DCSVC(machines="needed", kernel=kernel, scaling=scaling, gamma=0.1, n_jobs=2).fit(X, y)
    labels = clf.predict(X)
    vote = OneVsOneSVC(kernel=kernel, scaling=scaling, gamma=0.1).fit(X, y).predict(X)
    assert (labels == vote).mean() > 0.95
    assert (clf.classes_[clf.decision_function(X).argmax(axis=1)] == labels).all()
    assert [clf.predictor_.predict(x) for x in X[::10]] == labels[::10].tolist()
    assert (clf.set_params(n_jobs=None).predict(X) == labels).all()


def test_sparse_rows_and_weights_change_nothing():
    X, y = gaussians(20)
    X[np.abs(X) < 0.5] = 0.0
    clf = DCSVC(machines="needed", theta=0.01).fit(X, y)
    of_sparse = DCSVC(machines="needed", theta=0.01).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(of_sparse.machines_.pairs, clf.machines_.pairs)
    assert (of_sparse.predict(sparse.csr_array(X)) == clf.predict(X)).mean() > 0.99
    repeated = np.arange(len(y)) % 3 == 0
    twice = DCSVC(machines="needed", theta=0.01, gamma=0.1)
    twice.fit(np.concatenate([X, X[repeated]]), np.concatenate([y, y[repeated]]))
    weighted = DCSVC(machines="needed", theta=0.01, gamma=0.1)
    weighted.fit(X, y, sample_weight=1.0 + repeated)
    np.testing.assert_array_equal(weighted.machines_.pairs, twice.machines_.pairs)
    np.testing.assert_array_equal(weighted.decision_function(X), twice.decision_function(X))


def test_digits_are_as_accurate_as_with_all():
    X, y = load_digits(return_X_y=True)
    clf = DCSVC(machines="needed", gamma=0.001, C=10).fit(X[::2], y[::2])
    every = DCSVC(gamma=0.001, C=10).fit(X[::2], y[::2])
    assert clf.score(X[1::2], y[1::2]) > every.score(X[1::2], y[1::2]) - 0.005


def test_auto_is_all_until_there_are_too_many_classes(monkeypatch):
    X, y = gaussians(20)
    assert DCSVC().fit(X, y).machines_.some_pairs is None
    monkeypatch.setattr(dcsvm.estimators.needed_machines, "MOST_CLASSES_FOR_ALL", 19)
    clf = DCSVC().fit(X, y)
    assert clf.machines_.some_pairs is not None
    assert not hasattr(clf, "table_")
    assert hasattr(clf.set_params(machines="all").fit(X, y), "table_")
    assert not hasattr(clf, "missed_")
    for parameters in ({"shortlist": None}, {"routing": "sign"}):
        assert DCSVC(**parameters).fit(X, y).machines_.some_pairs is None


def test_a_quantity_is_still_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(MemoryError, match="quantity"):
        DCSVC().fit(rng.normal(size=(20_000, 1)), np.arange(20_000))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "precomputed"}, "precomputed"),
        ({"shortlist": None}, "shortlist=None"),
        ({"shortlist": LogisticRegression()}, "of your own"),
        ({"theta": "auto"}, "theta='auto'"),
        ({"routing": "sign"}, "routing='sign'"),
    ],
)
def test_what_cannot_be_combined_is_named(parameters, message):
    X, y = load_iris(return_X_y=True)
    X = X @ X.T if "kernel" in parameters else X
    with pytest.raises(ValueError, match=f"machines='needed' cannot be used with .*{message}"):
        DCSVC(machines="needed", **parameters).fit(X, y)


def test_what_needs_all_machines_says_so(fitted, tmp_path):
    X, y = gaussians()
    with pytest.raises(AttributeError, match="no All-Predictions table"):
        fitted.table_  # noqa: B018
    for make in (OneVsOneSVC, DAGSVC):
        with pytest.raises(ValueError, match="machines='all'"):
            make.from_machines(fitted)
    for display in (PredictionTableDisplay, SeparationDisplay):
        with pytest.raises(TypeError, match="machines='all'"):
            display.from_estimator(fitted)
    with pytest.raises(TypeError, match="machines='all'"):
        write_report(fitted, X, y, tmp_path / "report.html")
    with pytest.warns(UserWarning, match="table_rows=5 has no effect"):
        DCSVC(machines="needed", table_rows=5).fit(X, y)


def test_theta_may_rise_but_not_fall(fitted):
    X, _ = gaussians(seed=3)
    larger = fitted.rethreshold(theta=0.05)
    assert larger.shortlist_.gap < fitted.shortlist_.gap
    assert larger.machines_ is fitted.machines_
    again = pickle.loads(pickle.dumps(larger)).rethreshold(theta=0.01)
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    with pytest.raises(ValueError, match=r"theta=0\.01 are trained.*theta=0\.001"):
        larger.rethreshold(theta=0.001)
    for changes in ({"shortlist": None}, {"routing": "sign"}):
        with pytest.raises(ValueError, match="machines='all'"):
            fitted.rethreshold(**changes)


def test_explanations_say_where_no_machine_was_needed(fitted):
    X, _ = gaussians(seed=4, spread=1.5)
    labels, decisions = fitted.predict_with_decisions(X)
    found = list(explanations(fitted, X))
    assert [e.label for e in found] == labels.tolist()
    assert [e.decisions for e in found] == decisions.tolist()
    rounds = [(e, r) for e in found for r in e.rounds if r.kind == "untrained"]
    assert len(rounds) > 10
    assert {d.reason for _, r in rounds for d in r.dropped} == {"untrained"}
    explanation, round_ = rounds[0]
    assert "No machine needed: dropped by their scores" in str(explanation)
    assert round_.to_dict()["kind"] == "untrained"
    assert str(explain(fitted, X[0])) == str(found[0])
    assert "scores (1 prototype a class)" in export_text(fitted, max_depth=1)
    assert decision_structure(fitted).nodes[0].kind == "scores"
    path = fitted.decision_path(X)
    assert path.shape == (len(X), fitted.machines_.n_machines)
    assert np.asarray(path.sum(axis=1)).ravel().tolist() == decisions.tolist()
