"""Figures of the method on real data, against an independent implementation's."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from dcsvm import DCSVC, OneVsOneSVC


def measured(clf, X, y):
    cost = clf.decision_cost(X)
    return 100 * clf.score(X, y), cost.decisions.mean(), cost.support_vectors.mean()


@pytest.fixture(scope="module")
def letter(official_split):
    data = official_split("letter")
    return data, DCSVC.paper(C=10, gamma=1 / 16, n_jobs=2).fit(data.X_train, data.y_train)


@pytest.fixture(scope="module")
def usps(official_split):
    data = official_split("usps")
    return data, DCSVC.paper(C=10, gamma=1 / 256, n_jobs=2).fit(data.X_train, data.y_train)


@pytest.mark.parametrize(
    ("theta", "accuracy", "decisions", "support_vectors"),
    [(0.02, 95.25, 17.5, 1720), (0.01, 96.35, 18.1, 1730), (0.001, 96.90, 21.4, 1817)],
)
def test_letter(letter, theta, accuracy, decisions, support_vectors):
    data, clf = letter
    found = measured(clf.rethreshold(theta=theta), data.X_test, data.y_test)
    assert found[0] == pytest.approx(accuracy, abs=0.15)
    assert found[1] == pytest.approx(decisions, abs=0.3)
    assert found[2] == pytest.approx(support_vectors, rel=0.01)


def test_letter_vote_is_that_of_svc(letter):
    data, clf = letter
    svc = SVC(C=10, gamma=1 / 16).fit(data.X_train, data.y_train)
    expected = svc.predict(data.X_test)
    assert 100 * np.mean(expected == data.y_test) == pytest.approx(97.0, abs=0.005)
    found = OneVsOneSVC.from_machines(clf).predict(data.X_test)
    assert (found != expected).sum() <= 2


def test_letter_has_some_5800_candidate_sets(letter):
    _, clf = letter
    whole = clf.rethreshold(theta=0.001)._route.grower.grow_all(100_000)
    assert 5_000 < whole.n_nodes < 6_500
    assert whole.max_depth <= 25


@pytest.mark.parametrize(
    ("theta", "accuracy", "decisions"),
    [(0.02, 94.17, 6.59), (0.01, 94.72, 7.12), (0.001, 94.97, 7.67)],
)
def test_usps(usps, theta, accuracy, decisions):
    data, clf = usps
    found = measured(clf.rethreshold(theta=theta), data.X_test, data.y_test)
    assert found[0] == pytest.approx(accuracy, abs=0.15)
    assert found[1] == pytest.approx(decisions, abs=0.3)


def test_usps_vote_is_that_of_svc(usps):
    data, clf = usps
    svc = SVC(C=10, gamma=1 / 256).fit(data.X_train, data.y_train)
    found = OneVsOneSVC.from_machines(clf).predict(data.X_test)
    assert (found != svc.predict(data.X_test)).sum() <= 2


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_iris_and_wine_take_1_67_decisions(load):
    X, y = load(return_X_y=True)
    decisions = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        clf = DCSVC.paper(scaling="global").fit(X[train], y[train])
        decisions.extend(clf.decision_cost(X[test]).decisions)
    assert np.mean(decisions) == pytest.approx(1.67, abs=0.06)


@pytest.mark.parametrize("name", ["letter", "usps"])
def test_the_default_is_as_accurate_as_the_vote_for_fewer_kernel_evaluations(name, request):
    data, paper = request.getfixturevalue(name)
    gamma = paper.gamma
    clf = DCSVC(C=10, gamma=gamma, n_jobs=2).fit(data.X_train, data.y_train)
    vote = OneVsOneSVC.from_machines(clf)
    accuracy, of_paper, of_vote = (
        100 * c.score(data.X_test, data.y_test) for c in (clf, paper, vote)
    )
    # On usps the paper's rule is by chance 0.2 points above the vote, which it stands for: there
    # the vote is the measure.
    assert accuracy >= min(of_paper, of_vote) - 0.1
    assert accuracy >= of_paper - 0.3
    assert accuracy == pytest.approx(of_vote, abs=0.3)
    evaluations = clf.decision_cost(data.X_test).kernel_evaluations.mean()
    assert evaluations < paper.decision_cost(data.X_test).kernel_evaluations.mean()
    assert evaluations < vote.decision_cost(data.X_test).kernel_evaluations.mean()
