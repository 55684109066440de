"""The decision structure against a recursive tree without merging."""

from itertools import combinations
from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import Table, by_pair, platt
from tests.tables import (
    OneByOneSplitter,
    ScriptedMachines,
    criteria,
    glass_table,
    random_fractions,
    thetas,
)

from dcsvm import PredictionTable
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.splitting import PlattSplitter, SignSplitter
from dcsvm.routing.dag.structure import NOT_GROWN
from dcsvm.routing.dag.walking import leaves, walk
from dcsvm.routing.sides import sides

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


@given(random_fractions(), thetas, criteria)
def test_structure_of_the_whole_dag(to_i, theta, criterion):
    k = to_i.shape[1]
    dag = grower_for(to_i, theta, criterion).grow_all(MANY)
    assert dag.max_depth <= k - 1
    sets = [frozenset(dag.classes_at(n).tolist()) for n in range(dag.n_nodes)]
    assert len(set(sets)) == dag.n_nodes, "equal sets must be one node"
    assert sets[: k + 1] == [frozenset([c]) for c in range(k)] + [frozenset(range(k))]
    for node in range(k, dag.n_nodes):
        assert len(dag.children(node)) == len(dag.cuts_of(node)) + 1
        for child in dag.children(node):
            assert sets[child] < sets[node], "a child must be a proper subset"
        assert frozenset.union(*(sets[c] for c in dag.children(node))) == sets[node]


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


def test_a_published_structure_never_changes():
    grower = grower_for(np.full((10, 5), 0.5), 0.0)
    before = grower.dag
    child = before.child.copy()
    grower.grow_all(MANY)
    assert (before.child == child).all()
    assert before.n_nodes < grower.dag.n_nodes


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
