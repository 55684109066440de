"""The vote and Platt's DAG over the same machines."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs
from sklearn.svm import SVC
from tests.oracles import by_pair, machine_values, platt, vote

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC


@pytest.fixture(scope="module")
def problem():
    centres = np.random.default_rng(0).normal(size=(9, 2)) * 3
    X, y = make_blobs(450, centers=centres, cluster_std=2.0, random_state=0)
    return X[::2], y[::2], X[1::2], y[1::2]


def test_ties_in_the_vote_go_to_the_first_class(problem):
    X, y, asked, _ = problem
    clf = OneVsOneSVC().fit(X, y)
    outcomes = [by_pair(v, 9) for v in machine_values(clf.machines_, asked)]
    votes = np.array(
        [
            [sum(won == (c == p[0]) for p, won in o.items() if c in p) for c in range(9)]
            for o in outcomes
        ]
    )
    tied = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1
    assert tied.any(), "the problem must have ties to mean anything"
    assert clf.predict(asked).tolist() == [vote(o, 9) for o in outcomes]
    svc = SVC(decision_function_shape="ovo").fit(X, y)
    assert (clf.predict(asked) == svc.predict(asked)).all()
    assert (clf.predict(asked)[tied] == svc.predict(asked)[tied]).all()
    decision = clf.decision_function(asked)
    assert (decision.argmax(axis=1) == clf.predict(asked)).all()
    winner = votes == votes.max(axis=1, keepdims=True)
    assert (np.round(decision[~winner]) == votes[~winner]).all()


def test_dagsvm_follows_platt(problem):
    X, y, asked, _ = problem
    clf = DAGSVC().fit(X, y)
    outcomes = [by_pair(v, 9) for v in machine_values(clf.machines_, asked)]
    assert clf.predict(asked).tolist() == [platt(o, 9) for o in outcomes]
    assert (clf.decision_cost(asked).decisions == 8).all()
    assert clf.dag_.max_depth == 8
    assert (clf.decision_path(asked).sum(axis=1) == 9).all()


@pytest.mark.parametrize("make", [OneVsOneSVC, DAGSVC])
def test_machines_are_shared_or_trained_alike(make):
    X, y = load_digits(return_X_y=True)
    source = DCSVC(C=3, gamma=0.001, scaling="global", class_weight="balanced").fit(
        X[:500], y[:500]
    )
    shared = make.from_machines(source)
    assert shared.machines_ is source.machines_
    assert shared.n_features_in_ == 64
    assert {n: v for n, v in source.get_params().items() if n in shared.get_params()} == (
        shared.get_params()
    )
    trained = make(**shared.get_params()).fit(X[:500], y[:500])
    assert (shared.predict(X) == trained.predict(X)).all()


def test_cost_of_a_vote(problem):
    X, y, asked, _ = problem
    clf = OneVsOneSVC().fit(X, y)
    cost = clf.decision_cost(asked)
    assert (cost.decisions == 36).all()
    assert (cost.support_vectors == clf.machines_.n_support.sum()).all()
    assert (cost.kernel_evaluations == clf.machines_.n_distinct_support).all()
    assert len(cost.decisions) == len(asked)
