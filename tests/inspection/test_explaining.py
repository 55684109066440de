"""Explanations agree with what the classifier does, and give the reasons the table gives."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC
from dcsvm.inspection import explain, explanations
from dcsvm.routing.plausibility import plausible_range

ROUTES = {
    "default": DCSVC(C=10),
    "wide": DCSVC(C=10, theta=0.01),
    "sign, shortlist": DCSVC(C=10, theta=0.02, routing="sign"),
    "margin": DCSVC(C=10, theta=0.01, shortlist=None),
    "paper": DCSVC.paper(C=10, theta=0.02),
    "own shortlist": DCSVC(C=10, theta=0.005, shortlist=RidgeClassifier()),
    "meta": DivideAndConquerClassifier(RidgeClassifier()),
    "Platt": DAGSVC(C=10),
}


@pytest.fixture(scope="module", params=list(ROUTES))
def fitted(request, digits):
    X, y = digits
    return ROUTES[request.param].fit(X[:700], y[:700])


@pytest.fixture(scope="module")
def explained(fitted, digits):
    """Rows of digits and rows of nothing in particular, with their explanations."""
    noise = np.random.default_rng(0).uniform(size=(40, 64))
    X = np.vstack([digits[0][1000:1160], noise])
    return X, list(explanations(fitted, X))


def test_labels_and_costs_are_those_of_the_classifier(fitted, explained):
    X, found = explained
    assert [e.label for e in found] == fitted.predict(X).tolist()
    cost = fitted.decision_cost(X)
    assert [e.decisions for e in found] == cost.decisions.tolist()
    if "kernel_evaluations" in cost:
        assert [e.kernel_evaluations for e in found] == pytest.approx(cost.kernel_evaluations)
    else:
        assert {e.kernel_evaluations for e in found} == {None}


def test_the_runner_up_is_the_second_of_the_decision_function(fitted, explained):
    X, found = explained
    decision = fitted.decision_function(X)
    for row, e in zip(decision, found, strict=True):
        assert e.runner_up != e.label
        assert row[e.runner_up] == np.sort(row)[-2]


def test_rounds_lead_from_all_classes_to_one(fitted, explained):
    for e in explained[1]:
        left = set(fitted.classes_.tolist())
        for round_ in e.rounds:
            dropped = {d.label for d in round_.dropped}
            assert dropped <= left
            left -= dropped
            assert set(round_.left) == left
        assert left == {e.label}


def test_values_and_winners_are_those_of_the_machines(fitted, explained):
    X, found = explained
    machines = fitted.machines_
    values = machines.all_values(machines.prepare(X), 0, len(X))
    place = {tuple(pair): m for m, pair in enumerate(machines.pairs.tolist())}
    for row, e in zip(values, found, strict=True):
        for round_ in (s for s in e.rounds if s.kind == "machine"):
            assert round_.value == pytest.approx(row[place[round_.machine]], abs=1e-4)
            assert round_.winner == round_.machine[0 if round_.value > 0 else 1]


def test_reasons_are_borne_out_by_the_table(fitted, explained):
    place = {tuple(pair): m for m, pair in enumerate(fitted.machines_.pairs.tolist())}
    reasons = set()
    for e in explained[1]:
        for round_ in e.rounds:
            for d in round_.dropped:
                reasons.add(d.reason)
                if d.reason == "score":
                    assert d.behind > round_.gap
                elif d.reason == "lost":
                    assert d.label in round_.machine
                    assert d.label != round_.winner
                elif d.reason == "vote":
                    assert round_.votes[d.label] <= round_.votes[round_.winner]
                else:
                    assert d.label not in round_.machine
                    check_evidence(fitted, place[round_.machine], round_, d)
    # Of machines of any kind, no class is dropped for a lost decision alone.
    ends_by_vote = isinstance(fitted, DivideAndConquerClassifier)
    assert ("lost" in reasons) != ends_by_vote
    assert "vote" in reasons or not ends_by_vote
    expected = {"margin": "implausible", "sign": "side"}
    if getattr(fitted, "routing", None) in expected:
        assert expected[fitted.routing] in reasons


def check_evidence(clf, machine, round_, d):
    c = clf.classes_.tolist().index(d.label)
    if d.reason == "side":
        side = 0 if round_.value > 0 else 1
        assert d.share == clf.table_.fraction(side)[machine, c]
        assert d.share <= theta_of(clf) * (1 + 1e-9)
        return
    values = clf.table_.values
    assert (d.low, d.high) == (values.low[machine, c], values.high[machine, c])
    low, high = plausible_range(values, theta_of(clf), slice(machine, machine + 1))
    assert not low[0, c] <= round_.value <= high[0, c]


def theta_of(clf):
    return getattr(clf, "theta_", clf.theta)


def test_close_losers_are_set_aside_and_votes_counted(digits):
    X, y = digits
    clf = DCSVC(C=10, theta=0.005).fit(X[:300], y[:300])
    found = list(explanations(clf, X[300:]))
    voted = [e for e in found if e.rounds[-1].kind == "vote"]
    assert len(voted) >= 5
    for e in voted:
        votes = e.rounds[-1].votes
        n = len(votes)
        assert sum(votes.values()) == n * (n - 1) // 2
        assert votes[e.label] == max(votes.values())
        aside = [s for s in e.rounds if s.set_aside is not None]
        assert aside
        for round_ in aside:
            assert abs(round_.value) < 0.4
            assert round_.set_aside in round_.left


def test_two_classes(digits):
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], np.where(y[50:] == 1, "no", "yes")
    clf = DCSVC().fit(X, y)
    for x, label, found in zip(X, clf.predict(X), explanations(clf, X), strict=True):
        assert found.label == label
        assert found.runner_up == ({"no", "yes"} - {label}).pop()
        assert found.rounds == explain(clf, x).rounds
        assert [s.machine for s in found.rounds] == [("no", "yes")]


def test_sparse_rows(digits):
    X, y = digits
    clf = DCSVC(C=10).fit(sparse.csr_matrix(X[:500]), y[:500])
    Q = sparse.csr_matrix(X[500:560])
    assert [e.label for e in explanations(clf, Q)] == clf.predict(Q).tolist()
    assert explain(clf, Q[3]).label == clf.predict(Q)[3]


@pytest.mark.parametrize("route", ["default", "paper", "meta", "Platt"])
def test_probabilities_are_those_of_the_classifier(route, digits):
    X, y = digits
    clf = clone(ROUTES[route]).fit(X[:500], y[:500]).calibrate(X[500:900], y[500:900])
    Q = X[900:930]
    labels, shares = clf.predict_top(Q, n=5)
    for t, found in enumerate(explanations(clf, Q)):
        assert found.label == next(iter(found.probabilities))
        assert list(found.probabilities) == labels[t].tolist()
        assert list(found.probabilities.values()) == pytest.approx(shares[t])


def test_pipelines_and_searches():
    X, y = load_iris(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), DCSVC())
    search = GridSearchCV(pipe, {"dcsvc__C": [1, 10]}, cv=2).fit(X, y)
    assert [e.label for e in explanations(search, X)] == search.predict(X).tolist()


def test_rows_of_frames():
    pd = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = DCSVC().fit(X, y)
    assert explain(clf, X.iloc[70]) == explain(clf, X.iloc[[70]])
    assert explain(clf, pd.DataFrame(X.iloc[[70]])).label == clf.predict(X.iloc[[70]])[0]


def test_wrong_input_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(NotFittedError):
        explain(DCSVC(), X[0])
    with pytest.raises(TypeError, match="not OneVsOneSVC"):
        explain(OneVsOneSVC().fit(X, y), X[0])
    clf = DCSVC().fit(X, y)
    with pytest.raises(ValueError, match=r"2 were passed; explanations"):
        explain(clf, X[:2])
    with pytest.raises(ValueError, match="NaN"):
        explanations(clf, np.full((1, 4), np.nan))
    with pytest.raises(ValueError, match="3 features"):
        explain(clf, X[0, :3])
