"""Walks by the compiled engine, step by step, and by signs that were kept."""

import pickle
import threading

import numpy as np
import pytest
from scipy import sparse
from tests.kernel_problems import KERNELS, problem
from tests.tables import OneByOneSplitter

from dcsvm import DCSVC
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.walking import leaves, walk


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scaling", [None, "global", "pair"])
@pytest.mark.parametrize("n_features", [1, 5, 16, 33])
def test_all_ways_to_a_leaf_are_one(kernel, scaling, n_features, arithmetic):
    X, y, asked, _ = problem(d=n_features)
    clf = DCSVC.paper(**KERNELS[kernel], scaling=scaling).fit(X, y)
    labels = clf.predict(asked)
    stepwise = np.empty(len(asked), dtype=int)
    for step in walk(clf.machines_, clf._route.grower, asked, None):
        stepwise[step.rows] = step.children
    assert (clf.classes_[stepwise] == labels).all()
    assert (clf.classes_[clf.decision_function(asked).argmax(axis=1)] == labels).all()
    one = clf.predictor_
    assert [one.predict(x) for x in asked] == labels.tolist()
    assert (clf.predict(asked[50:53]) == labels[50:53]).all()
    assert (clf.set_params(n_jobs=3).predict(asked) == labels).all()
    assert (clf.predict(sparse.csr_array(asked)) == labels).all()


class FourWaySplitter(OneByOneSplitter):
    """Nodes with three cuts each, drawn at random but always the same for the same candidates."""

    def __init__(self, n_classes):
        self.n_classes = n_classes

    def choose_one(self, candidates):
        return candidates % (self.n_classes * (self.n_classes - 1) // 2)

    def divide(self, machine, candidates):
        rng = np.random.default_rng(candidates)
        members = [c for c in range(self.n_classes) if candidates >> c & 1]
        children = []
        for _ in range(4):
            left = rng.choice(members, rng.integers(1, len(members)), replace=False)
            children.append(sum(1 << int(c) for c in left))
        return tuple(np.sort(rng.normal(size=3))), tuple(children)


def test_walks_through_nodes_with_several_cuts(arithmetic):
    X, y, asked, _ = problem()
    machines = DCSVC().fit(X, y).machines_
    grower = Grower(FourWaySplitter(7))
    found = leaves(machines, grower, asked, None)
    stepwise = np.empty(len(asked), dtype=int)
    values = machines.values(
        machines.prepare(asked),
        np.repeat(np.arange(len(asked)), 21),
        np.tile(np.arange(21, dtype=np.int32), len(asked)),
    ).reshape(-1, 21)
    dag = grower.dag
    for row, v in enumerate(values):
        node = dag.root
        while node >= 7:
            interval = np.searchsorted(
                dag.cuts[dag.first_cut[node] : dag.first_cut[node + 1]],
                v[dag.machine[node]],
                side="left",
            )
            node = dag.children(node)[interval]
        stepwise[row] = node
    assert (found == stepwise).all()
    assert len(np.unique(found)) > 3


def test_threads_that_pack_and_grow_together_agree():
    X, y, asked, _ = problem(k=12, n=1200)
    trained = DCSVC.paper(theta=0.0).fit(X, y)
    expected = trained.predict(asked)
    for _ in range(5):
        fresh = pickle.loads(pickle.dumps(trained)).rethreshold(theta=0.0)
        found = {}

        def ask(t, fresh=fresh, found=found):
            found[t] = fresh.predict(asked)

        threads = [threading.Thread(target=ask, args=(t,)) for t in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all((found[t] == expected).all() for t in range(8))


def test_the_number_of_threads_does_not_change_the_numbers_of_nodes():
    X, y, asked, _ = problem(k=12, n=1200)
    trained = DCSVC.paper(theta=0.0).fit(X, y)
    one, many = (trained.rethreshold(theta=0.0).set_params(n_jobs=n) for n in (1, 4))
    one.predict(asked), many.predict(asked)
    assert (one.dag_.candidates == many.dag_.candidates).all()
    assert (one.dag_.child == many.dag_.child).all()


@pytest.mark.parametrize("scaling", [None, "pair"])
def test_signs_that_were_kept_grow_what_a_walk_would(scaling, arithmetic, monkeypatch):
    X, y, _, _ = problem(k=12, n=1200)
    by_signs = DCSVC.paper(theta=0.0, scaling=scaling).fit(X, y)
    monkeypatch.setattr("dcsvm.table.building.SIGNS_BUDGET", 0)
    by_walking = DCSVC.paper(theta=0.0, scaling=scaling).fit(X, y)

    def sets(clf):
        return set(map(bytes, clf.dag_.candidates))

    assert sets(by_signs) == sets(by_walking)
    assert by_signs.dag_.n_nodes > 100
