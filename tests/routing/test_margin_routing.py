"""Margin routing along a structure, bounds on its size, and the ways to other rules."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LogisticRegression
from tests.oracles import by_pair, exact_table, machine_values
from tests.routing.test_plausibility import random_table
from tests.tables import ScriptedMachines

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm._util import batches
from dcsvm.estimators.theta_search import THETAS
from dcsvm.routing.candidate_sets import pack, unpack
from dcsvm.routing.dag.criteria import choose
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.splitting import MOST_CUTS, MarginSplitter, SignSplitter
from dcsvm.routing.dag.walking import leaves
from dcsvm.routing.plausibility import margin_levels
from dcsvm.routing.sides import sides


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:900], y[:900], X[900:], y[900:]


def blobs(k=14, seed=0, n=700, d=3):
    centres = np.random.default_rng(seed).normal(size=(k, d)) * 3
    X, y = make_blobs(n, centers=centres, cluster_std=1.5, random_state=seed)
    return X[::2], y[::2], X[1::2], y[1::2]


def splitter_of(k, seed, theta, criterion="cost"):
    table = random_table(k, seed=seed)
    cost = np.random.default_rng(seed).integers(1, 50, len(table.counts)).astype(float)
    return MarginSplitter(margin_levels(table, theta), sides(table, theta, cost), criterion)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 9), st.integers(0, 1000), st.sampled_from([0.0, 0.001, 0.05]))
def test_children_keep_what_is_plausible_and_are_proper_subsets(k, seed, theta):
    splitter = splitter_of(k, seed, theta)
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(k), 2))
    is_in = rng.random((30, k)) < 0.7
    is_in[:, :2] = True
    candidates = pack(is_in)
    machine = splitter.choose(candidates)
    n_cuts, cuts = splitter.cuts(machine, candidates)
    assert n_cuts.max() <= MOST_CUTS
    first = np.concatenate([[0], np.cumsum(n_cuts)])
    for t, m in enumerate(machine):
        own = cuts[first[t] : first[t + 1]]
        assert (np.diff(own) >= 0).all()
        assert 0.0 in own, "the sign must be told"
        i, j = pairs[m]
        assert is_in[t, [i, j]].all()
        for v in [*rng.normal(size=20) * 4, 0.0]:
            interval = int((v > own).sum())
            child = splitter.children(machine[[t]], candidates[[t]], np.array([interval]))
            left = unpack(child, k)[0]
            assert (left <= is_in[t]).all()
            assert 1 <= left.sum() < is_in[t].sum()
            assert (left[i], left[j]) == (v > 0, not v > 0)
            if (np.abs(v - own) > 1e-9).all():
                expected = is_in[t] & splitter.levels.plausible(machine[[t]], np.array([v]))[0]
                expected[[i, j]] = v > 0, not v > 0
                assert (left >= expected).all(), "what is plausible must stay"
                if n_cuts[t] < MOST_CUTS:
                    # All ends are cuts: only at the level that zero cuts in two may more stay.
                    level = np.ceil(
                        (np.array([v, 0.0]) - splitter.levels.origin[m]) * splitter.levels.scale[m]
                    )
                    if level[0] != level[1]:
                        assert (left == expected).all()


def test_walking_is_dropping_what_is_implausible_one_by_one():
    k, n = 8, 300
    splitter = splitter_of(k, 3, 0.01)
    values = np.random.default_rng(0).normal(size=(n, k * (k - 1) // 2)) * 3
    grower = Grower(splitter)
    found = leaves(ScriptedMachines(values, k), grower, np.arange(n)[:, np.newaxis], None)
    for row, v in enumerate(values):
        left = np.ones(k, dtype=bool)
        while left.sum() > 1:
            words = pack(left[np.newaxis])
            m = splitter.choose(words)
            own = splitter.cuts(m, words).cuts
            after = splitter.children(m, words, np.array([(v[m[0]] > own).sum()]))
            left = unpack(after, k)[0]
        assert found[row] == left.argmax()


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([2, 3, 7, 20, 64, 65]), st.integers(0, 1000), st.sampled_from([0.0, 0.02, 0.3])
)
def test_the_compiled_criterion_by_cost_is_that_of_the_definition(k, seed, theta):
    table = random_table(k, seed=seed, rows=6)
    rng = np.random.default_rng(seed)
    cost = rng.integers(1, 30, len(table.counts)).astype(float)
    at_theta = sides(table, theta, cost)
    is_in = rng.random((5, k)) < 0.6
    is_in[:, :2] = True
    machine = SignSplitter(at_theta, "cost").choose(pack(is_in))
    pairs = list(combinations(range(k), 2))
    to_i, to_j = table.exceeds(0, theta), table.exceeds(1, theta)
    for m, members in zip(machine, is_in, strict=True):
        classes = np.flatnonzero(members)
        assert m == choose(at_theta, classes, "cost")
        worth = {}
        for i, j in combinations(classes.tolist(), 2):
            p = pairs.index((i, j))
            a = 1 + sum(to_i[p, c] for c in classes if c not in (i, j))
            b = 1 + sum(to_j[p, c] for c in classes if c not in (i, j))
            worth[p] = np.log(len(classes) * (a + b) / (a**2 + b**2)) / cost[p]
        assert worth[m] == pytest.approx(max(worth.values()), rel=1e-12)


@pytest.mark.parametrize("routing", ["margin", "sign"])
def test_a_bound_on_the_structure_changes_no_prediction(routing):
    X, y, asked, _ = blobs()
    free = DCSVC(routing=routing, shortlist=None).fit(X, y)
    expected, decision = free.predict(asked), free.decision_function(asked)
    cost = free.decision_cost(asked)
    assert free.dag_.n_nodes > 80, "the comparison must mean something"
    bound = DCSVC(routing=routing, shortlist=None, max_nodes=40).fit(X, y)
    # The step that reaches the bound is the last.
    after_fit = bound.dag_
    assert after_fit.n_nodes < free.dag_.n_nodes
    assert after_fit.n_nodes >= 40
    for n_jobs in (1, 2):
        bound.set_params(n_jobs=n_jobs)
        assert (bound.predict(asked) == expected).all()
        assert (bound.decision_function(asked) == decision).all()
        assert (bound.decision_cost(asked).decisions == cost.decisions).all()
    assert [bound.predictor_.predict(x) for x in asked[:50]] == expected[:50].tolist()
    path = bound.decision_path(asked)
    assert (cost.decisions + 1 == path.sum(axis=1).A1).all()
    assert bound.dag_ is after_fit, "once full it grows no more"


def test_beyond_the_bound_a_column_is_still_one_set_of_candidates(monkeypatch):
    X, y, asked, _ = blobs()
    monkeypatch.setattr(batches, "MOST_ROWS_AT_ONCE", 16)
    free = DCSVC.paper().fit(X, y).decision_path(asked)
    bound = DCSVC.paper(max_nodes=40).fit(X, y).decision_path(asked)
    shared = (free @ free.T).toarray()
    assert ((bound @ bound.T).toarray() == shared).all(), "rows share as many nodes"


def test_full_growers_grow_no_more():
    splitter = splitter_of(9, 1, 0.01)
    values = np.random.default_rng(0).normal(size=(400, 36)) * 3
    machines, X = ScriptedMachines(values, 9), np.arange(400)[:, np.newaxis]
    expected = leaves(machines, Grower(splitter), X, None)
    for max_nodes in (1, 10, 20, 40):
        grower = Grower(splitter, max_nodes)
        steps = [grower.dag.n_nodes]
        for row in range(400):
            assert leaves(machines, grower, X[row : row + 1], None) == expected[row]
            steps.append(grower.dag.n_nodes)
        assert steps[-1] <= max(max_nodes, steps[0]), "a row at a time grows a node at a time"


@pytest.mark.parametrize("parameters", [{}, {"shortlist": None}, {"routing": "sign"}])
def test_theta_auto_is_the_largest_that_loses_little(parameters, digits):
    X, y, asked, truth = digits
    names = np.array([f"digit {c}" for c in range(10)])
    clf = DCSVC(C=10, theta="auto", accuracy_tolerance=0.002, random_state=0, **parameters)
    clf.fit(X, names[y])
    assert clf.theta_ in THETAS
    assert clf.theta == "auto"
    given = DCSVC(C=10, theta=clf.theta_, **parameters).fit(X, names[y])
    assert (clf.predict(asked) == given.predict(asked)).all()
    vote = OneVsOneSVC.from_machines(clf)
    assert clf.score(asked, names[truth]) >= vote.score(asked, names[truth]) - 0.012
    again = DCSVC(C=10, theta="auto", accuracy_tolerance=0.002, random_state=0, **parameters)
    assert again.fit(X, names[y]).theta_ == clf.theta_
    greedy = DCSVC(C=10, theta="auto", accuracy_tolerance=1.0, **parameters).fit(X, names[y])
    assert greedy.theta_ == max(THETAS)
    weighted = {name: 1.0 + (name == "digit 3") for name in names}
    heavy = DCSVC(theta="auto", class_weight=weighted, **parameters).fit(X[:300], names[y[:300]])
    assert heavy.theta_ in THETAS


def test_theta_auto_says_why_it_cannot():
    with pytest.raises(ValueError, match="precomputed"):
        DCSVC(theta="auto", kernel="precomputed").fit(np.eye(6), [0, 1, 2] * 2)
    one_each = DCSVC(theta="auto").fit([[0.0], [1.0], [5.0]], [0, 1, 2])
    assert one_each.theta_ == 0.0


OTHER = [
    {"theta": 0.02},
    {"routing": "sign"},
    {"shortlist": None},
    {"shortlist": None, "criterion": "purity", "routing": "sign", "theta": 0.001},
    {"shortlist": None, "criterion": "score"},
]


@pytest.mark.parametrize("shortlist", ["auto", LogisticRegression(tol=0.1)])
@pytest.mark.parametrize("changes", OTHER)
def test_rethreshold_is_a_fresh_fit(changes, shortlist, digits):
    X, y, asked, _ = (part[:500] for part in digits)
    first = DCSVC(C=10, shortlist=shortlist).fit(X, y)
    moved = first.rethreshold(**changes)
    afresh = DCSVC(**{"C": 10, "shortlist": shortlist, **changes}).fit(X, y)
    assert moved.get_params() == afresh.get_params()
    assert moved.theta_ == afresh.theta_
    assert getattr(moved.shortlist_, "name", None) == getattr(afresh.shortlist_, "name", None)
    assert getattr(moved.shortlist_, "gap", None) == getattr(afresh.shortlist_, "gap", None)
    assert (moved.decision_function(asked) == afresh.decision_function(asked)).all()
    assert (moved.predict(asked) == afresh.predict(asked)).all()
    assert moved.machines_ is first.machines_
    if changes == OTHER[3]:
        paper = DCSVC.paper(C=10).fit(X, y)
        assert (moved.decision_function(asked) == paper.decision_function(asked)).all()
        oracle = exact_table(first.table_, 0.001)
        values = machine_values(first.machines_, asked)
        expected = [oracle.classify(by_pair(v, 10), "purity")[0] for v in values]
        assert moved.predict(asked).tolist() == expected
