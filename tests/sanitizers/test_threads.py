"""Everything that runs in threads, for the sanitizer that watches them."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from tests.kernel_problems import KERNELS, problem

from dcsvm import DCSVC, OneVsOneSVC

if "DCSVM_SANITIZED" not in os.environ:
    pytest.skip("run by tests/sanitizers/run.sh", allow_module_level=True)

X, y, X_test, _ = problem(n=600)


def large_pair():
    """Two classes that overlap: one machine, with work for all threads."""
    return make_blobs(1500, centers=2, cluster_std=12, random_state=0)


@pytest.fixture(autouse=True)
def threads_for_little_work(monkeypatch):
    monkeypatch.setattr("dcsvm._util.threads.WORTH_A_THREAD", 1)


@pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("shortlist", ["auto", None])
def test_fit_and_predict(parameters, shortlist):
    alone = DCSVC(shortlist=shortlist, theta=0.01, **parameters).fit(X, y)
    together = DCSVC(shortlist=shortlist, theta=0.01, n_jobs=4, **parameters).fit(X, y)
    np.testing.assert_array_equal(together.machines_.coef, alone.machines_.coef)
    for method in ("predict", "decision_function"):
        found, expected = getattr(together, method)(X_test), getattr(alone, method)(X_test)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("parameters", [{}, {"C": 1e-3}, {"kernel": "poly"}])
def test_threads_that_help_with_one_machine(parameters):
    rows, labels = large_pair()
    machines = [OneVsOneSVC(n_jobs=n, **parameters).fit(rows, labels).machines_ for n in (1, 4)]
    np.testing.assert_array_equal(machines[0].index, machines[1].index)


def test_one_estimator_in_many_threads():
    model = DCSVC(shortlist=None, theta=0.0, n_jobs=2).fit(X, y)
    expected, found = DCSVC(shortlist=None, theta=0.0).fit(X, y).predict(X_test), []

    def ask():
        found.append(model.predict(X_test))
        model.decision_function(X_test)
        model.rethreshold(theta=0.1).predict(X_test)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((labels == expected).all() for labels in found)


@pytest.mark.parametrize("delay", [0.02, 0.1, 0.3])
def test_interrupts_cancel_the_threads(delay):
    rows, labels = large_pair()
    main = threading.get_ident()
    interrupt = threading.Timer(delay, signal.pthread_kill, (main, signal.SIGINT))
    model = OneVsOneSVC(n_jobs=4, C=1e4, gamma=1.0, tol=1e-6, verbose=False)

    def fit_for_ever():
        while True:
            model.fit(rows, labels)

    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        fit_for_ever()
    interrupt.join()
    deadline = time.monotonic() + 10
    while threading.active_count() > 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == 1


def test_progress(capsys):
    DCSVC(n_jobs=4, verbose=True).fit(X, y)
    assert capsys.readouterr().out
