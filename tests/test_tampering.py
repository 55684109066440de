"""State changed behind the back of compiled objects gives errors: no crash, no endless loop.

Indices are checked in copies that nobody else can write to, when a compiled object is made.
"""

import pickle

import numpy as np
import pytest
from scipy import sparse
from tests.kernel_problems import KERNELS, problem

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC
from dcsvm.machines.compiled import make_engine

DAMAGE = {
    "far": lambda a: a.fill(2**30),
    "negative": lambda a: a.fill(-(2**30)),
    "one": lambda a: a.__setitem__(len(a) // 2, np.iinfo(a.dtype).max),
}


def fitted(kernel="rbf", is_sparse=False, **parameters):
    X, y, asked, _ = problem(n=200)
    X = sparse.csr_matrix(X) if is_sparse else X
    # With a θ of its own it does not vote, and has levels and a shortlist.
    return DCSVC(**{"theta": 0.002, **KERNELS[kernel], **parameters}).fit(X, y), asked


def renewed(clf):
    return pickle.loads(pickle.dumps(clf))


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("part", ["index", "start"])
def test_a_pickle_with_other_indices_is_refused(damage, kernel, part):
    clf, asked = fitted(kernel)
    DAMAGE[damage](getattr(clf.machines_, part))
    loaded = renewed(clf)
    for method in (
        loaded.predict,
        loaded.decision_function,
        OneVsOneSVC.from_machines(loaded).predict,
    ):
        with pytest.raises(ValueError, match="damaged"):
            method(asked)


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("part", ["indices", "indptr"])
def test_a_pickle_with_another_sparse_pool_is_refused(damage, kernel, part):
    clf, asked = fitted(kernel, is_sparse=True)
    DAMAGE[damage](getattr(clf.machines_.pool, part))
    with pytest.raises(ValueError):  # noqa: PT011 (SciPy's words)
        renewed(clf).predict(asked)


def test_machines_that_do_not_fit_each_other_are_refused():
    for part in ("start", "intercept", "coef", "index"):
        clf, asked = fitted()
        setattr(clf.machines_, part, getattr(clf.machines_, part)[:-1])
        with pytest.raises(ValueError, match="damaged"):
            renewed(clf).predict(asked)


@pytest.mark.parametrize("shortlist", ["auto", None])
@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_compiled_object_does_not_see_what_is_written_later(
    kernel, shortlist, stored, monkeypatch
):
    if stored:
        monkeypatch.setattr("dcsvm.machines.compiled.POOL_BUDGET", 0)
    clf, asked = fitted(kernel, is_sparse=stored, shortlist=shortlist)
    vote = OneVsOneSVC.from_machines(clf)
    before = clf.predict(asked), vote.predict(asked)
    machines = clf.machines_
    written = [machines.index, machines.start]
    if stored:
        written += [machines.pool.indices, machines.pool.indptr]
    for array in written:
        array[:] = np.iinfo(array.dtype).max
    np.testing.assert_array_equal(clf.predict(asked), before[0])
    np.testing.assert_array_equal(vote.predict(asked), before[1])
    with pytest.raises(ValueError, match="rise"):
        clf.decision_cost(asked)
    with pytest.raises(ValueError, match="damaged"):
        make_engine(machines)


@pytest.mark.parametrize("name", ["child", "machine", "first_cut", "first_child"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_pickle_with_a_damaged_structure_is_refused(name, damage):
    clf, _ = fitted(shortlist=None)
    array = getattr(clf.dag_, name)
    array.setflags(write=True)
    DAMAGE[damage](array)
    with pytest.raises(ValueError):  # noqa: PT011 (says which part)
        renewed(clf).predict(np.zeros((3, 5)))


@pytest.mark.parametrize("make", [lambda: fitted(shortlist=None)[0], lambda: platt()])
def test_a_structure_with_a_cycle_is_refused(make):
    clf = make()
    asked = problem(n=200)[2]
    dag = clf.dag_
    dag.child.setflags(write=True)
    dag.child[:] = dag.root
    loaded = renewed(clf)
    for method in (loaded.predict, loaded.decision_path, loaded.decision_function):
        with pytest.raises(ValueError, match="cycle"):
            method(asked)
    with pytest.raises(ValueError, match="cycle"):
        loaded.predictor_.predict(asked[0])


def platt():
    X, y, asked, _ = problem(n=200)
    clf = DAGSVC().fit(X, y)
    clf.predict(asked)
    return clf


def test_a_structure_in_use_does_not_see_what_is_written_later():
    clf, asked = fitted(shortlist=None)
    before = clf.predict(asked)
    for name in ("child", "machine", "first_cut", "first_child"):
        array = getattr(clf.dag_, name)
        array.setflags(write=True)
        array[:] = 2**30
    np.testing.assert_array_equal(clf.predict(asked), before)


def test_levels_that_contradict_their_rule_end_in_some_class():
    clf, asked = fitted()
    for array in (clf._route.levels.low, clf._route.levels.high):
        array.setflags(write=True)
        array[:] = np.random.default_rng(0).integers(256, size=array.shape)
    assert set(renewed(clf).predict(asked)) <= set(clf.classes_)


@pytest.mark.parametrize("part", ["indices", "indptr"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_sparse_rows_with_other_indices_are_refused(part, damage):
    X, y, _, _ = problem(n=200)
    X = sparse.csr_matrix(X)
    clf = DCSVC().fit(X, y)
    DAMAGE[damage](getattr(X, part))
    for call in (lambda: clf.predict(X), lambda: DCSVC().fit(X, y)):
        with pytest.raises(ValueError):  # noqa: PT011 (SciPy's words)
            call()
