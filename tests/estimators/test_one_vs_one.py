"""The vote of all machines in every precision, against counting votes one by one."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from tests.oracles import by_pair, machine_values, vote

from dcsvm import OneVsOneSVC


@pytest.fixture(scope="module")
def problem():
    centres = np.random.default_rng(0).normal(size=(9, 4)) * 3
    X, y = make_blobs(450, centers=centres, cluster_std=2.0, random_state=0)
    return X[::2], y[::2], X[1::2]


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("scaling", [None, "pair"])
def test_the_vote_is_that_of_single_values(kernel, scaling, problem, arithmetic):
    X, y, asked = problem
    clf = OneVsOneSVC(kernel=kernel, scaling=scaling).fit(X, y)
    expected = [vote(by_pair(v, 9), 9) for v in machine_values(clf.machines_, asked)]
    assert clf.predict(asked).tolist() == expected
    assert clf.decision_function(asked).argmax(axis=1).tolist() == expected
    assert clf.set_params(n_jobs=3).predict(asked).tolist() == expected


def test_a_callable_kernel_votes_as_the_compiled_one(problem):
    X, y, asked = problem
    by_function = OneVsOneSVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    built_in = OneVsOneSVC(kernel="linear").fit(X, y)
    assert (by_function.predict(asked) == built_in.predict(asked)).mean() > 0.99
    votes = by_function.decision_function(asked)
    assert (votes.argmax(axis=1) == by_function.predict(asked)).all()
