"""The decision structure against a recursive tree without merging."""

import os
import signal
import threading
from itertools import combinations
from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from tests.oracles import Table, by_pair, platt
from tests.routing.test_plausibility import random_table
from tests.tables import (
    OneByOneSplitter,
    ScriptedMachines,
    criteria,
    glass_table,
    random_fractions,
    thetas,
)

from dcsvm import DCSVC, PredictionTable
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.splitting import MarginSplitter, PlattSplitter, SignSplitter
from dcsvm.routing.dag.structure import NOT_GROWN
from dcsvm.routing.dag.walking import leaves, walk
from dcsvm.routing.plausibility import margin_levels
from dcsvm.routing.sides import sides


def blobs(k, per_class=12, d=8, seed=0, spread=1.0):
    centres = np.random.default_rng(seed).normal(size=(k, d)) * 3
    return make_blobs(k * per_class, centers=centres, cluster_std=spread, random_state=seed)


def splitter_of(k, seed, theta, criterion="cost"):
    table = random_table(k, seed=seed)
    cost = np.random.default_rng(seed).integers(1, 50, len(table.counts)).astype(float)
    return MarginSplitter(margin_levels(table, theta), sides(table, theta, cost), criterion)


MANY = 10**6


def grower_for(to_i, theta, criterion="purity"):
    table = PredictionTable.from_likelihoods(range(to_i.shape[1]), to_i)
    return Grower(SignSplitter(sides(table, theta), criterion))


def rows(n):
    return np.arange(n)[:, np.newaxis]


@given(random_fractions(), thetas, criteria, st.integers(0, 1000))
def test_every_row_reaches_the_leaf_of_the_recursive_tree(to_i, theta, criterion, seed):
    k, m = to_i.shape[1], len(to_i)
    values = np.random.default_rng(seed).choice([-2.0, -0.5, 0.0, 0.5, 2.0], (20, m))
    machines, grower = ScriptedMachines(values, k), grower_for(to_i, theta, criterion)
    oracle = Table(to_i, theta)
    expected = [oracle.classify(by_pair(v, k), criterion) for v in values]

    assert leaves(machines, grower, rows(20), None).tolist() == [leaf for leaf, _ in expected]
    pairs = list(combinations(range(k), 2))
    asked = [[] for _ in range(20)]
    for step in walk(machines, grower, rows(20), None):
        for row, node in zip(step.rows, step.nodes, strict=True):
            asked[row].append(pairs[step.dag.machine[node]])
    assert asked == [path for _, path in expected]


@pytest.mark.parametrize("k", [2, 3, 4, 7, 8, 16, 26, 70])
def test_pure_balanced_tables_need_log2_k_decisions(k):
    # Class c lies at the point c; svm_ij cuts between its two classes.
    to_i = np.array(
        [[float(2 * c < i + j) for c in range(k)] for i, j in combinations(range(k), 2)]
    )
    dag = grower_for(to_i, 0.0).grow_all(MANY)
    assert dag.max_depth == ceil(log2(k))


def test_worked_example():
    grower = Grower(SignSplitter(sides(glass_table(), 0.0), "purity"))
    dag = grower.grow_all(MANY)
    names = glass_table().classes

    def at(node):
        i, j = glass_table().pairs[dag.machine[node]]
        return (names[i], names[j]), names[dag.classes_at(node)].tolist()

    right, left = dag.children(dag.root)  # by the sign of svm_56: 6 below zero, 5 above
    assert at(dag.root) == ((5, 6), [1, 2, 3, 5, 6, 7])
    assert at(left) == ((1, 2), [1, 2, 3, 5])
    assert at(right) == ((6, 7), [6, 7])
    assert names[dag.classes_at(dag.children(left)[1])].tolist() == [1]


@given(random_fractions(), thetas)
def test_growing_on_demand_ends_in_the_same_structure_as_growing_all(to_i, theta):
    k, m = to_i.shape[1], len(to_i)
    every_outcome = np.array(list(np.ndindex(*[2] * min(m, 10))))
    values = np.ones((len(every_outcome), m))
    values[:, : every_outcome.shape[1]] = 2.0 * every_outcome - 1
    on_demand, at_once = grower_for(to_i, theta), grower_for(to_i, theta)
    leaves(ScriptedMachines(values, k), on_demand, rows(len(values)), None)
    visited = set(map(bytes, on_demand.dag.candidates))
    at_once.grow_all(MANY)
    everything = set(map(bytes, at_once.dag.candidates))
    assert visited <= everything
    on_demand.grow_all(MANY)
    assert on_demand.dag.n_nodes == at_once.dag.n_nodes


def test_growing_stops_at_the_bound():
    to_i = np.full((435, 30), 0.5)
    dag = grower_for(to_i, 0.0).grow_all(200)
    assert dag.n_nodes == 200
    assert (dag.child == NOT_GROWN).any()


@given(st.integers(2, 9), st.integers(0, 1000))
def test_platts_dag(k, seed):
    values = np.random.default_rng(seed).choice([-1.0, 0.0, 1.0], (30, k * (k - 1) // 2))
    grower = Grower(PlattSplitter(k))
    found = leaves(ScriptedMachines(values, k), grower, rows(30), None)
    assert found.tolist() == [platt(by_pair(v, k), k) for v in values]
    assert grower.grow_all(MANY).n_nodes == k * (k + 1) // 2
    assert grower.dag.max_depth == k - 1


class ThreeWaySplitter(OneByOneSplitter):
    """Nodes with several cuts: a middling value keeps all but the first candidate's rival."""

    n_classes = 3

    def choose_one(self, candidates):
        return {0b111: 1, 0b011: 0, 0b110: 2, 0b101: 1}[candidates]

    def divide(self, machine, candidates):
        if candidates == 0b111:
            return (-1.0, 0.5), (0b100, 0b110, 0b001)
        low = candidates & -candidates
        return (0.0,), (candidates & ~low, low)


def test_nodes_with_several_cut_points():
    values = np.array([[0, -1.0, 9], [0, -0.9, 9], [0, 0.5, -9], [0, 0.51, 9], [0, np.nan, 9]])
    found = leaves(ScriptedMachines(values, 3), Grower(ThreeWaySplitter()), rows(5), None)
    assert found.tolist() == [2, 1, 2, 0, 2]


def test_the_oracle_sends_zero_to_j():
    assert by_pair([1.0, 0.0, -1.0], 3) == {(0, 1): True, (0, 2): False, (1, 2): False}


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


def test_threads_that_grow_the_structure_together_agree():
    X, y = blobs(20, per_class=10, d=4, spread=3.0)
    clf = DCSVC.paper(theta=0.0).fit(X, y)
    asked = np.random.default_rng(1).normal(size=(3000, 4)) * 4
    expected = DCSVC.paper(theta=0.0).fit(X, y).decision_function(asked)
    found = {}

    def ask(thread):
        order = np.random.default_rng(thread).permutation(len(asked))
        found[thread] = np.empty_like(expected)
        found[thread][order] = clf.decision_function(asked[order])

    threads = [threading.Thread(target=ask, args=(t,)) for t in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((found[t] == expected).all() for t in range(6))
    sets = list(map(bytes, clf.dag_.candidates))
    assert len(set(sets)) == len(sets)


def test_nodes_the_training_rows_pass_are_grown_by_fit(digits, fitted):
    assert fitted.dag_.n_nodes > len(fitted.classes_) + 1
    before = fitted.dag_
    fitted.predict(digits[0])
    assert fitted.dag_ is before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_forked_while_a_structure_grows_does_not_wait_for_it():
    class Interrupted(PlattSplitter):
        """Lets the main thread fork while another thread is inside `grow`."""

        inside, forked = threading.Event(), threading.Event()
        is_slow = False

        def choose(self, candidates):
            if self.is_slow:
                self.inside.set()
                self.forked.wait(30)
            return super().choose(candidates)

    splitter = Interrupted(5)
    grower = Grower(splitter)
    Interrupted.is_slow = True
    thread = threading.Thread(target=lambda: grower.grow(np.flatnonzero(grower.dag.child < 0)))
    thread.start()
    assert splitter.inside.wait(30)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends a child that waits
        signal.alarm(20)
        Interrupted.is_slow = False
        grown = grower.grow(np.flatnonzero(grower.dag.child < 0))
        os._exit(0 if grown.n_nodes == 8 and grower.grow_all(100).n_nodes == 15 else 1)
    splitter.forked.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
    assert grower.dag.n_nodes == 8
