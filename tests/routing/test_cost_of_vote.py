"""The vote is taken where it is cheaper, by operations that are counted here anew."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.svm import SVC

from dcsvm import OneVsOneSVC
from dcsvm.routing.cost_of_vote import (
    EVALUATIONS_OF_DECISION,
    FEW_EVALUATIONS,
    cost_of_vote,
    needs_no_shortlist,
    vote_is_cheaper,
)


@pytest.mark.parametrize(("kernel", "further"), [("rbf", 20), ("linear", 0), ("poly", 5)])
def test_the_cost_is_that_of_all_kernel_values_and_sums(kernel, further):
    X, y = load_iris(return_X_y=True)
    machines = OneVsOneSVC(kernel=kernel).fit(X, y).machines_
    svc = SVC(kernel=kernel).fit(X, y)
    assert machines.n_distinct_support == pytest.approx(len(svc.support_), abs=3)
    coefficients = (svc.dual_coef_ != 0).sum()
    operations = len(svc.support_) * (2 * X.shape[1] + further) + 2 * coefficients
    expected = operations / (2 * X.shape[1] + further)
    assert cost_of_vote(machines) == pytest.approx(expected, rel=0.05)


def test_machines_that_standardise_share_no_kernel_values():
    X, y = load_iris(return_X_y=True)
    machines = OneVsOneSVC(scaling="pair").fit(X, y).machines_
    assert cost_of_vote(machines) > machines.n_support.sum()


def test_few_support_vectors_need_no_shortlist():
    few, many = load_iris(return_X_y=True), load_digits(return_X_y=True)
    assert needs_no_shortlist(OneVsOneSVC().fit(*few).machines_)
    machines = OneVsOneSVC().fit(*many).machines_
    assert cost_of_vote(machines) > FEW_EVALUATIONS
    assert not needs_no_shortlist(machines)


def test_two_classes_and_given_kernels_have_nothing_to_compare():
    X, y = load_iris(return_X_y=True)
    assert not needs_no_shortlist(OneVsOneSVC().fit(X[:100], y[:100]).machines_)
    given = OneVsOneSVC(kernel="precomputed").fit(X @ X.T, y).machines_
    assert not needs_no_shortlist(given)
    assert not vote_is_cheaper(given, np.inf, 0)


def test_decisions_cost_something_themselves():
    machines = OneVsOneSVC().fit(*load_iris(return_X_y=True)).machines_
    cost = cost_of_vote(machines)
    assert not vote_is_cheaper(machines, cost - EVALUATIONS_OF_DECISION, 1)
    assert vote_is_cheaper(machines, cost - EVALUATIONS_OF_DECISION, 1.01)
