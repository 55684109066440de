"""The vote of all machines is the same for machines of any kind."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import RidgeClassifier

from dcsvm import DCSVC, DivideAndConquerClassifier, OneVsOneSVC
from dcsvm.inspection import voting
from dcsvm.inspection.voting import vote_of_all


def test_machines_of_support_vectors_vote_as_one_versus_one(clf, digits):
    X = digits[0][600:800]
    found, expected = vote_of_all(clf), OneVsOneSVC.from_machines(clf)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    cost = found.decision_cost(X)
    np.testing.assert_array_equal(cost.decisions, expected.decision_cost(X).decisions)


@pytest.mark.parametrize("rows_at_once", [1, 7, 1000])
def test_estimators_vote_one_by_one(digits, monkeypatch, rows_at_once):
    X, y = digits
    monkeypatch.setattr(voting, "VALUES_AT_ONCE", 45 * rows_at_once)
    model = DivideAndConquerClassifier(RidgeClassifier()).fit(
        X[:400], np.array(list("jihgfedcba"))[y[:400]]
    )
    Q = X[400:500]
    votes = np.zeros((len(Q), 10))
    for (i, j), estimator in zip(model.machines_.pairs, model.estimators_, strict=True):
        is_i = estimator.predict(Q).astype(bool)
        votes[:, i] += is_i
        votes[:, j] += ~is_i
    found = vote_of_all(model)
    np.testing.assert_array_equal(found.predict(Q), model.classes_[votes.argmax(axis=1)])
    assert found.decision_cost(Q)["decisions"].tolist() == [45] * 100


def test_sparse_rows_vote(digits):
    X, y = sparse.csr_matrix(digits[0]), digits[1]
    for model in (DivideAndConquerClassifier(RidgeClassifier()), DCSVC()):
        found = vote_of_all(model.fit(X[:300], y[:300]))
        assert (found.predict(X[300:400]) == y[300:400]).mean() > 0.8
        assert found.decision_cost(X[300:400])["decisions"].tolist() == [45] * 100
