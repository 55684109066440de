"""`DivideAndConquerClassifier` over classifiers that are not support vector machines."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multiclass import OneVsOneClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from tests.oracles import exact_table

from dcsvm import DivideAndConquerClassifier

X, Y = load_digits(return_X_y=True)
TRAIN, TEST = slice(0, 700), slice(700, None)


def binary_predictions(estimator, asked):
    """{pair: which rows a classifier of the pair sends to i}, by its own predict."""
    X_train, y_train = X[TRAIN], Y[TRAIN]
    sent = {}
    for i, j in combinations(range(10), 2):
        pair = np.isin(y_train, [i, j])
        fitted = type(estimator)(**estimator.get_params()).fit(X_train[pair], y_train[pair] == i)
        sent[i, j] = fitted.predict(asked)
    return sent


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(max_depth=3, random_state=0),
        KNeighborsClassifier(4),  # its probabilities tie
        SVC(gamma=0.001),
    ],
)
@pytest.mark.parametrize("theta", [0.001, 0.1])
def test_the_method_over_the_estimators_own_predictions(estimator, theta):
    clf = DivideAndConquerClassifier(estimator, theta=theta).fit(X[TRAIN], Y[TRAIN])
    on_train, asked = binary_predictions(estimator, X[TRAIN]), X[700:800]
    fractions = np.array(
        [[on_train[p][Y[TRAIN] == c].mean() for c in range(10)] for p in combinations(range(10), 2)]
    )
    np.testing.assert_allclose(clf.table_.likelihoods, fractions)
    oracle = exact_table(clf.table_, theta)
    sent = binary_predictions(estimator, asked)
    for row, found in enumerate(clf.predict(asked)):
        outcome = {pair: bool(rows[row]) for pair, rows in sent.items()}
        assert found == oracle.classify(outcome, "purity")[0]


def test_few_decisions_and_the_accuracy_of_the_vote():
    estimator = LogisticRegression(max_iter=2000)
    clf = DivideAndConquerClassifier(estimator, n_jobs=2).fit(X[TRAIN] / 16, Y[TRAIN])
    vote = OneVsOneClassifier(estimator).fit(X[TRAIN] / 16, Y[TRAIN])
    asked = X[TEST] / 16
    assert clf.score(asked, Y[TEST]) > vote.score(asked, Y[TEST]) - 0.02
    cost = clf.decision_cost(asked)
    assert list(cost) == ["decisions"]
    assert cost.decisions.max() <= 9
    assert len(clf.estimators_) == clf.machines_.n_machines == 45
    assert (clf.decision_function(asked).argmax(axis=1) == clf.apply(asked)).all()
    other = clf.rethreshold(theta=0.05)
    assert other.decision_cost(asked).decisions.mean() < cost.decisions.mean()
    copy = pickle.loads(pickle.dumps(clf))
    assert (copy.predict(asked) == clf.predict(asked)).all()


def test_sparse_rows():
    clf = DivideAndConquerClassifier(LogisticRegression())
    dense = clf.fit(X[TRAIN] / 16, Y[TRAIN]).predict(X[TEST] / 16)
    thin = clf.fit(sparse.csc_array(X[TRAIN] / 16), Y[TRAIN]).predict(
        sparse.coo_array(X[TEST] / 16)
    )
    assert (thin == dense).mean() > 0.99


def test_pairwise_estimators_get_square_kernels():
    gram, asked = X[TRAIN] @ X[TRAIN].T, X[TEST] @ X[TRAIN].T
    clf = DivideAndConquerClassifier(SVC(kernel="precomputed")).fit(gram, Y[TRAIN])
    direct = DivideAndConquerClassifier(SVC(kernel="linear")).fit(X[TRAIN], Y[TRAIN])
    assert (clf.predict(asked) == direct.predict(X[TEST])).all()


def test_sample_weight_is_routed_and_counts_in_the_table():
    X_iris, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(1, 4, 150)
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        DivideAndConquerClassifier(SVC()).fit(X_iris, y, sample_weight=weight)
    with config_context(enable_metadata_routing=True):
        with pytest.raises(UnsetMetadataPassedError):
            DivideAndConquerClassifier(SVC()).fit(X_iris, y, sample_weight=weight)
        asking = SVC(gamma=0.5, tol=1e-6).set_fit_request(sample_weight=True)
        weighted = DivideAndConquerClassifier(asking).fit(X_iris, y, sample_weight=weight)
        renamed = SVC(gamma=0.5, tol=1e-6).set_fit_request(sample_weight="importance")
        by_name = DivideAndConquerClassifier(renamed).fit(X_iris, y, importance=weight)
    repeated = DivideAndConquerClassifier(SVC(gamma=0.5, tol=1e-6)).fit(
        np.repeat(X_iris, weight, axis=0), np.repeat(y, weight)
    )
    np.testing.assert_array_equal(weighted.table_.counts, repeated.table_.counts)
    np.testing.assert_array_equal(by_name.table_.counts, repeated.table_.counts)
    assert (weighted.predict(X_iris) == repeated.predict(X_iris)).all()


@pytest.mark.parametrize("estimator", [LinearRegression(), "SVC"])
def test_estimators_that_cannot_decide_are_refused(estimator):
    with pytest.raises(ValueError, match="The 'estimator' parameter"):
        DivideAndConquerClassifier(estimator).fit(X, Y)
