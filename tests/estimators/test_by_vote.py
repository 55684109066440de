"""The default lets all machines vote where that is faster, and is otherwise as it was."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.svm import SVC

from dcsvm import DCSVC, OneVsOneSVC, load, save
from dcsvm.estimators.access import route_of
from dcsvm.estimators.voting import VoteRoute
from dcsvm.inspection import explanations, export_text


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["a", "b", "c"])[y]


@pytest.fixture(scope="module")
def voting(iris):
    return DCSVC(C=10).fit(*iris)


def votes(clf):
    return isinstance(route_of(clf), VoteRoute)


def test_with_few_support_vectors_all_machines_vote(iris, voting):
    X, y = iris
    vote = OneVsOneSVC(C=10).fit(X, y)
    assert votes(voting)
    assert voting.shortlist_ is None
    np.testing.assert_array_equal(voting.predict(X), vote.predict(X))
    np.testing.assert_array_equal(voting.predict(X), SVC(C=10).fit(X, y).predict(X))
    np.testing.assert_array_equal(voting.decision_function(X), vote.decision_function(X))
    for name, cost in vote.decision_cost(X).items():
        np.testing.assert_array_equal(voting.decision_cost(X)[name], cost)
    labels, decisions = voting.predict_with_decisions(X)
    np.testing.assert_array_equal(labels, vote.predict(X))
    assert set(decisions.tolist()) == {3}
    assert (voting.decision_path(X).toarray() == 1).all()
    assert [voting.predictor_.predict(x) for x in X[::10]] == vote.predict(X[::10]).tolist()


@pytest.mark.parametrize(
    "parameters",
    [
        {"theta": 0.001},
        {"routing": "sign"},
        {"shortlist": None},
        {"table_rows": 20},
        {"machines": "needed", "theta": 0.01},
    ],
)
def test_whoever_chooses_a_way_gets_it(iris, parameters):
    assert not votes(DCSVC(**parameters).fit(*iris))


def test_where_elimination_is_cheaper_nothing_changes():
    assert not votes(DCSVC(C=10).fit(*load_digits(return_X_y=True)))


def test_a_vote_found_cheaper_than_the_shortlist_keeps_it():
    X, y = make_blobs(300, 30, centers=20, cluster_std=12.0, random_state=0)
    clf = DCSVC(C=10).fit(X, y)
    assert votes(clf)
    np.testing.assert_array_equal(clf.predict(X), OneVsOneSVC.from_machines(clf).predict(X))
    other = clf.rethreshold(theta=0.01)
    assert other.shortlist_ is not None
    assert not votes(other)
    assert votes(other.rethreshold(theta="cost"))


def test_other_rules_over_the_same_machines(iris, voting):
    X, y = iris
    paper = voting.rethreshold(theta=0.001, routing="sign", criterion="purity", shortlist=None)
    np.testing.assert_array_equal(paper.predict(X), DCSVC.paper(C=10).fit(X, y).predict(X))
    assert votes(voting.rethreshold())
    assert not votes(voting.rethreshold(theta=0.01))
    with pytest.raises(AttributeError, match="by a vote, there is no decision structure"):
        _ = voting.dag_


def test_parameters_of_a_structure_have_no_effect(iris):
    with pytest.warns(UserWarning, match="criterion='score' has no effect: the vote of all"):
        DCSVC(criterion="score").fit(*iris)


def test_models_are_stored_with_their_vote(iris, voting, tmp_path):
    save(voting, tmp_path / "model")
    stored = load(tmp_path / "model")
    assert votes(stored)
    assert votes(stored.rethreshold())
    np.testing.assert_array_equal(stored.predict(iris[0]), voting.predict(iris[0]))


def test_a_vote_is_explained(iris, voting):
    X, _ = iris
    for found, label in zip(explanations(voting, X[::7]), voting.predict(X[::7]), strict=True):
        assert found.label == label
        assert found.decisions == 3
        assert found.rounds[-1].kind == "vote"
    assert "all machines: 150 rows" in export_text(voting)
