"""The vote of all machines in every precision, against counting votes one by one."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.svm import SVC
from tests.oracles import by_pair, machine_values, vote

from dcsvm import OneVsOneSVC


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


def test_cost_of_a_vote(problem):
    X, y, asked, _ = problem
    clf = OneVsOneSVC().fit(X, y)
    cost = clf.decision_cost(asked)
    assert (cost.decisions == 36).all()
    assert (cost.support_vectors == clf.machines_.n_support.sum()).all()
    assert (cost.kernel_evaluations == clf.machines_.n_distinct_support).all()
    assert len(cost.decisions) == len(asked)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("scaling", [None, "pair"])
def test_the_vote_is_that_of_single_values(kernel, scaling, problem, arithmetic):
    X, y, asked, _ = problem
    clf = OneVsOneSVC(kernel=kernel, scaling=scaling).fit(X, y)
    expected = [vote(by_pair(v, 9), 9) for v in machine_values(clf.machines_, asked)]
    assert clf.predict(asked).tolist() == expected
    assert clf.decision_function(asked).argmax(axis=1).tolist() == expected
    assert clf.set_params(n_jobs=3).predict(asked).tolist() == expected


def test_a_callable_kernel_votes_as_the_compiled_one(problem):
    X, y, asked, _ = problem
    by_function = OneVsOneSVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    built_in = OneVsOneSVC(kernel="linear").fit(X, y)
    assert (by_function.predict(asked) == built_in.predict(asked)).mean() > 0.99
    votes = by_function.decision_function(asked)
    assert (votes.argmax(axis=1) == by_function.predict(asked)).all()
