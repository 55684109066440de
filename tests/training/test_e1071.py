"""Machines, table, tree and predictions against R: e1071, and paper/dcsvm.R on top of it.

Both sides take the same split, C, γ and scaling, and a tolerance of 1e-6 of their solvers; ours
computes in double precision. Decision values then differ by less than TOLERANCE. A value that is
itself smaller may have either sign: rows with such a value on any machine are left out where
predictions are compared, and may be counted on either side of the table.
"""

import numpy as np
import pytest

from dcsvm import DCSVC, OneVsOneSVC
from paper import e1071, problems

TOLERANCE = 1e-5
THETAS = (0.0, 0.001, 0.02)


@pytest.mark.parametrize("name", ["glass", "vowel", "segmentation"])
def test_all_that_r_finds_is_found_here(name, official_folder, monkeypatch):
    # One test for each set: R takes its seconds only once.
    if e1071.why_not() is not None:
        pytest.skip(e1071.why_not())
    monkeypatch.setattr("dcsvm.machines.precision.ALLOWED_ERROR", -1.0)
    data = problems.problem(name, "paper")
    train, test = data.split(0)
    gamma = 1 / data.X.shape[1]
    found = e1071.pairwise(data.X, data.y, train, test, 1.0, gamma, THETAS, "pair", 1e-6)
    clf = DCSVC.paper(C=1.0, gamma=gamma, scaling="pair", tol=1e-6)
    clf.fit(data.X[train], data.y[train])

    same_decision_values(clf, data.X, found)
    same_support_vectors(clf, data.X[train], found)
    same_table(clf, data.y[train], found["values"][train], found)
    sure = (np.abs(found["values"][test]) > TOLERANCE).all(axis=1)
    assert sure.mean() > 0.97
    same_vote(clf, data.X[test], sure, found)
    for t, theta in enumerate(THETAS):
        at_theta = clf.rethreshold(theta=theta)
        assert sorted(tree(at_theta)) == sorted(found["tree"][t])
        same_predictions(at_theta, data.X[test], sure, found["predicted"][t])


def same_decision_values(clf, X, found):
    machines = clf.machines_
    values = machines.all_values(machines.prepare(X), 0, len(X))
    np.testing.assert_allclose(values, found["values"], rtol=0, atol=TOLERANCE)


def same_support_vectors(clf, X_train, found):
    fewer = found["support"] - clf.machines_.n_support
    # Rows that occur twice are one row of twice the weight here, and two in libsvm.
    n_repeated = len(X_train) - len(np.unique(X_train, axis=0))
    assert (fewer >= 0).all()
    assert (fewer <= n_repeated).all()


def same_table(clf, y_train, values, found):
    doubtful = np.abs(values) <= TOLERANCE
    slack = [doubtful[y_train == c].mean(axis=0) for c in np.unique(y_train)]
    difference = np.abs(clf.table_.likelihoods - found["table"])
    assert (difference <= np.transpose(slack) + 1e-12).all()


def same_vote(clf, X_test, sure, found):
    vote = OneVsOneSVC.from_machines(clf)
    np.testing.assert_array_equal(vote.predict(X_test)[sure] + 1, found["vote_sorted"][sure])
    # e1071 gives a tie to the class seen first in the data: only ties may differ.
    pairs, k = clf.machines_.pairs, len(clf.classes_)
    values = clf.machines_.all_values(clf.machines_.prepare(X_test), 0, len(X_test))
    winners = np.where(values > 0, *pairs.T)
    votes = np.sort([np.bincount(row, minlength=k) for row in winners], axis=1)
    tied = votes[:, -1] == votes[:, -2]
    differ = found["vote_sorted"] != found["vote_seen"]
    assert not (differ & ~tied & sure).any()


def same_predictions(clf, X_test, sure, predicted):
    label, decisions, _ = predicted.T
    np.testing.assert_array_equal(clf.predict(X_test)[sure] + 1, label[sure])
    cost = clf.decision_cost(X_test)
    np.testing.assert_array_equal(cost.decisions[sure], decisions[sure])


def tree(clf):
    """All nodes, written as dcsvm.R writes them."""
    grower = clf._route.grower
    dag = grower.grow_all(10_000)
    for node in range(dag.root, dag.n_nodes):
        i, j = clf.table_.pairs[dag.machine[node]] + 1
        list_j, list_i = dag.children(node).tolist()
        parts = [",".join(map(str, dag.classes_at(n) + 1)) for n in (node, list_i, list_j)]
        yield f"{parts[0]}: {i}/{j} -> {parts[1]} | {parts[2]}"
