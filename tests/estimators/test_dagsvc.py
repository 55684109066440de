"""Platt's DAG against the tournament played by hand."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from tests.oracles import by_pair, machine_values, platt

from dcsvm import DAGSVC


@pytest.fixture(scope="module")
def problem():
    centres = np.random.default_rng(0).normal(size=(9, 2)) * 3
    X, y = make_blobs(450, centers=centres, cluster_std=2.0, random_state=0)
    return X[::2], y[::2], X[1::2], y[1::2]


def test_dagsvm_follows_platt(problem):
    X, y, asked, _ = problem
    clf = DAGSVC().fit(X, y)
    outcomes = [by_pair(v, 9) for v in machine_values(clf.machines_, asked)]
    assert clf.predict(asked).tolist() == [platt(o, 9) for o in outcomes]
    assert (clf.decision_cost(asked).decisions == 8).all()
    assert clf.dag_.max_depth == 8
    assert (clf.decision_path(asked).sum(axis=1) == 9).all()
