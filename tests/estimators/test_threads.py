"""Fitted estimators that several threads share, with and without a global lock of the interpreter.

Everything that is made on first use (engine, shortlist, nodes of a structure) is made by all
threads at once here.
"""

import pickle
import sys
import sysconfig
import threading

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC, _core

N_THREADS = 8
X, y = make_blobs(360, n_features=4, centers=12, cluster_std=2.5, random_state=0)
MODELS = {
    "default": DCSVC(theta=0.01),
    "structure": DCSVC(shortlist=None, theta=0.01),
    "small structure": DCSVC(shortlist=None, theta=0.01, max_nodes=30),
    "paper's rule": DCSVC.paper(scaling="pair"),
    "vote": OneVsOneSVC(),
    "DAG": DAGSVC(),
}


def all_at_once(function):
    """The results of N_THREADS calls that begin at the same time."""
    together, results, errors = threading.Barrier(N_THREADS), [None] * N_THREADS, []

    def call(number):
        try:
            together.wait()
            results[number] = function(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(N_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]
    return results


def fresh(model):
    """A copy without what is made on first use."""
    return pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("name", MODELS)
def test_threads_share_a_fitted_classifier(name):
    model = MODELS[name].fit(X[:240], y[:240])
    expected = model.predict(X)
    cost = model.decision_cost(X)["decisions"]
    shared = fresh(model)
    orders = [np.random.default_rng(number).permutation(len(X)) for number in range(N_THREADS)]

    def use(number):
        rows = orders[number]
        labels, asked = shared.predict(X[rows]), shared.decision_cost(X[rows])["decisions"]
        return labels, asked, shared.decision_function(X[rows]).argmax(axis=1)

    for rows, (labels, asked, best) in zip(orders, all_at_once(use), strict=True):
        np.testing.assert_array_equal(labels, expected[rows])
        np.testing.assert_array_equal(asked, cost[rows])
        np.testing.assert_array_equal(shared.classes_[best], expected[rows])


def test_threads_fit_at_once():
    expected = DCSVC().fit(X, y).machines_
    models = all_at_once(lambda number: DCSVC(n_jobs=2).fit(X, y))
    for model in models:
        np.testing.assert_array_equal(model.machines_.coef, expected.coef)


@pytest.mark.skipif(not hasattr(sys, "_is_gil_enabled"), reason="an older Python")
def test_the_core_brings_no_global_lock_back():
    assert _core.instruction_sets()
    is_free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    assert sys._is_gil_enabled() is not is_free
