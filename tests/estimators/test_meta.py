"""`DivideAndConquerClassifier` over classifiers that are not support vector machines."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from tests.oracles import exact_table

from dcsvm import DivideAndConquerClassifier

X, Y = load_digits(return_X_y=True)
TRAIN, TEST = slice(0, 700), slice(700, None)


class LabelsAlone(ClassifierMixin, BaseEstimator):
    """A classifier with `predict` and nothing more."""

    def __init__(self, inner):
        self.inner = inner

    def fit(self, X, y):
        self.inner_ = clone(self.inner).fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(X)


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
    clf = DivideAndConquerClassifier.paper(estimator, theta=theta).fit(X[TRAIN], Y[TRAIN])
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


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(max_iter=2000),
        DecisionTreeClassifier(random_state=0),
        GaussianNB(var_smoothing=1e-3),
        KNeighborsClassifier(5),
        SVC(gamma=0.5),
        LabelsAlone(RidgeClassifier()),
    ],
)
def test_few_decisions_and_the_accuracy_of_the_vote(estimator):
    clf = DivideAndConquerClassifier(estimator).fit(X[TRAIN] / 16, Y[TRAIN])
    # The vote needs values.
    vote = OneVsOneClassifier(getattr(estimator, "inner", estimator))
    vote.fit(X[TRAIN] / 16, Y[TRAIN])
    asked = X[TEST] / 16
    assert clf.score(asked, Y[TEST]) >= vote.score(asked, Y[TEST]) - 0.003
    labels, decisions = clf.predict_with_decisions(asked)
    assert (labels == clf.predict(asked)).all()
    assert decisions.mean() < 22, "less than half of the vote"
    cost = clf.decision_cost(asked)
    assert list(cost) == ["decisions"]
    assert (cost.decisions == decisions).all()
    assert len(clf.estimators_) == clf.machines_.n_machines == 45
    assert (clf.decision_function(asked).argmax(axis=1) == clf.apply(asked)).all()
    assert (pickle.loads(pickle.dumps(clf)).predict(asked) == labels).all()


@pytest.mark.parametrize("estimator", [LogisticRegression(max_iter=2000), SVC(gamma=0.5)])
def test_with_theta_0_the_result_is_that_of_the_vote(estimator):
    """But for ties, which the vote breaks by the sum of values and we too, among the best."""
    clf = DivideAndConquerClassifier(estimator, theta=0).fit(X[TRAIN] / 16, Y[TRAIN])
    vote = OneVsOneClassifier(estimator).fit(X[TRAIN] / 16, Y[TRAIN])
    asked = X[TEST] / 16
    labels, decisions = clf.predict_with_decisions(asked)
    assert (labels == vote.predict(asked)).all()
    assert decisions.min() >= 9
    assert decisions.mean() < 10


def test_rules_are_changed_without_fitting():
    clf = DivideAndConquerClassifier(DecisionTreeClassifier(max_depth=3, random_state=0))
    clf.fit(X[TRAIN], Y[TRAIN])
    asked = X[TEST]
    assert clf.rethreshold(theta=0.01).estimators_ is clf.estimators_
    fewer, more = (clf.rethreshold(theta=t).decision_cost(asked).decisions for t in (0.1, 0))
    assert fewer.mean() < clf.decision_cost(asked).decisions.mean() <= more.mean()
    paper = clf.rethreshold(theta=0.001, routing="sign", criterion="purity", shortlist=None)
    direct = DivideAndConquerClassifier.paper(clf.estimator).fit(X[TRAIN], Y[TRAIN])
    assert (paper.predict(asked) == direct.predict(asked)).all()
    assert paper.decision_cost(asked).decisions.max() <= 9
    as_it_was = {"theta": clf.theta, "routing": "margin", "criterion": "cost"}
    again = paper.rethreshold(**as_it_was, shortlist="auto")
    assert (again.predict(asked) == clf.predict(asked)).all()
    with pytest.raises(ValueError, match="Fit with this shortlist"):
        clf.rethreshold(shortlist=LogisticRegression())
    with pytest.warns(UserWarning, match="criterion='purity' has no effect"):
        clf.rethreshold(criterion="purity")


def test_a_classifier_of_ones_own_as_shortlist():
    clf = DivideAndConquerClassifier(
        SVC(gamma=0.5), theta=0.005, shortlist=GaussianNB(var_smoothing=0.01)
    )
    clf.fit(X[TRAIN] / 16, Y[TRAIN])
    vote = OneVsOneClassifier(SVC(gamma=0.5)).fit(X[TRAIN] / 16, Y[TRAIN])
    assert isinstance(clf.shortlist_.estimator, GaussianNB)
    assert np.isfinite(clf.shortlist_.gap)
    assert clf.score(X[TEST] / 16, Y[TEST]) > vote.score(X[TEST] / 16, Y[TEST]) - 0.02


def test_missing_numbers_and_classes_of_one_row():
    rows = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)[:400]
    y = np.concatenate([Y[:399], [10]])
    clf = DivideAndConquerClassifier(DecisionTreeClassifier(random_state=0)).fit(rows, y)
    assert clf.predict(rows[399:]) == [10]
    assert clf.score(rows, y) > 0.9


def test_sparse_rows():
    clf = DivideAndConquerClassifier(LogisticRegression())
    dense = clf.fit(X[TRAIN] / 16, Y[TRAIN]).predict(X[TEST] / 16)
    thin = clf.fit(sparse.csc_array(X[TRAIN] / 16), Y[TRAIN]).predict(
        sparse.coo_array(X[TEST] / 16)
    )
    assert (thin == dense).mean() > 0.99


def test_pairwise_estimators_get_square_kernels():
    gram, asked = X[TRAIN] @ X[TRAIN].T, X[TEST] @ X[TRAIN].T
    clf = DivideAndConquerClassifier.paper(SVC(kernel="precomputed")).fit(gram, Y[TRAIN])
    direct = DivideAndConquerClassifier.paper(SVC(kernel="linear")).fit(X[TRAIN], Y[TRAIN])
    assert (clf.predict(asked) == direct.predict(X[TEST])).all()
    clf = DivideAndConquerClassifier(SVC(kernel="precomputed")).fit(gram, Y[TRAIN])
    assert clf.shortlist_.name == "256 columns"
    vote = OneVsOneClassifier(SVC(kernel="precomputed")).fit(gram, Y[TRAIN])
    assert clf.score(asked, Y[TEST]) >= vote.score(asked, Y[TEST]) - 0.003


def test_sample_weight_is_routed_and_counts_in_the_table():
    X_iris, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(1, 4, 150)
    plain = DivideAndConquerClassifier(SVC(gamma=0.5, tol=1e-6)).fit(X_iris, y, weight)
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        DivideAndConquerClassifier(SVC()).fit(X_iris, y, importance=weight)
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
    np.testing.assert_array_equal(plain.table_.counts, repeated.table_.counts)
    for clf in (plain, weighted, by_name):
        assert (clf.predict(X_iris) == repeated.predict(X_iris)).all()


def test_weights_need_an_estimator_that_takes_them():
    X_iris, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"KNeighborsClassifier.fit takes no sample_weight"):
        DivideAndConquerClassifier(KNeighborsClassifier()).fit(X_iris, y, sample_weight=y + 1.0)


@pytest.mark.parametrize("estimator", [KMeans(), "SVC"])
def test_estimators_that_cannot_decide_are_refused(estimator):
    with pytest.raises(ValueError, match="The 'estimator' parameter"):
        DivideAndConquerClassifier(estimator).fit(X, Y)


def test_a_regressor_decides_as_the_classifier_made_of_it():
    X_iris, y = load_iris(return_X_y=True)
    given = {"routing": "sign", "shortlist": None}
    by_regressor = DivideAndConquerClassifier(Ridge(), **given).fit(X_iris, y)
    by_classifier = DivideAndConquerClassifier(RidgeClassifier(), **given).fit(X_iris, y)
    values = by_regressor.machines_.all_values(X_iris, 0, 150)
    assert_allclose(values, by_classifier.machines_.all_values(X_iris, 0, 150))
    assert (by_regressor.predict(X_iris) == by_classifier.predict(X_iris)).all()
