"""Workers that die, come late or run out of memory while a classifier is fitted or predicts.

`python -m tests.dask.faults --rounds 20` lets each fault happen so many times, and prints how often
the result was the same.
"""

import argparse
import os
import signal
import threading
import time
from collections import Counter
from contextlib import contextmanager

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import dask
from dcsvm import DCSVC
from dcsvm.dask import ClusterLostError, DaskDCSVC
from dcsvm.dask import job as jobs

# A fault has been survived only if there is an answer by then, however busy the computer.
WATCHDOG = 300


@contextmanager
def cluster_of(n_workers=2, **options):
    with (
        # A worker that a busy computer starts again late is not given up.
        dask.config.set({"distributed.deploy.lost-worker-timeout": WATCHDOG}),
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            **options,
        ) as cluster,
        Client(cluster, timeout=WATCHDOG) as client,
    ):
        yield client


def problem(n=6000, k=6, seed=0):
    """Classes that overlap, so that training takes a while."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    return rng.normal(size=(n, 8)) + 0.5 * rng.normal(size=(k, 8))[y], y


class Answer:
    """The result or the error of a function, which must come before the watchdog does."""

    def __init__(self, function):
        self.outcome = None
        self.thread = threading.Thread(target=self._run, args=(function,), daemon=True)
        self.thread.start()

    def _run(self, function):
        try:
            self.outcome = function(), None
        except BaseException as error:
            self.outcome = None, error

    def get(self):
        self.thread.join(WATCHDOG)
        assert self.outcome is not None, f"no answer after {WATCHDOG} s"
        result, error = self.outcome
        if error is not None:
            raise error
        return result


def busy_worker(client, task, answer):
    """The address of a worker that has a task of this kind, or None if it comes too late."""
    while answer.outcome is None:
        for address, keys in client.processing().items():
            if any(task in str(key) for key in keys):
                return address
    return None


def kill_worker(client, address):
    """SIGKILL for one worker; its nanny starts another one."""
    pids = client.run(os.getpid, on_error="return")
    if isinstance(pids.get(address), int):
        os.kill(pids[address], signal.SIGKILL)


def kill_in(client, task, function):
    """The answer of a function in the middle of whose task of this kind a worker is killed."""
    for _ in range(10):
        answer = Answer(function)
        victim = busy_worker(client, task, answer)
        if victim is not None:
            kill_worker(client, victim)
            return answer.get()
    raise AssertionError(f"no task {task} took long enough to be interrupted")


def fitted(client, X, y, **parameters):
    rows = da.from_array(X, chunks=(len(X) // 6 + 1, -1))
    return DaskDCSVC(client, **parameters).fit(rows, y)


def same(found, expected):
    return (
        np.array_equal(found.machines_.coef, expected.machines_.coef)
        and np.array_equal(found.machines_.pool, expected.machines_.pool)
        and np.array_equal(found.support_, expected.support_)
        and np.array_equal(found.table_.counts, expected.table_.counts)
        and found.theta_ == expected.theta_
    )


def killed_in_fit(client, X, y, local):
    """Whether the fit is the same when a worker is killed in training."""
    clf = kill_in(client, "train_blocks", lambda: fitted(client, X, y, C=10.0))
    return same(clf.to_local(), local)


def killed_at_any_time(client, X, y, local, longest):
    """Whether the fit is the same when a worker is killed in any stage of it."""
    answer = Answer(lambda: fitted(client, X, y, C=10.0))
    time.sleep(np.random.default_rng().uniform(0, longest))
    addresses = list(client.nthreads())
    if addresses:
        kill_worker(client, addresses[0])
    return same(answer.get().to_local(), local)


def killed_in_prediction(client, clf, X, local):
    """Whether labels are the same when a worker is killed while it predicts."""
    few = da.from_array(X, chunks=(len(X) // 2, -1))
    found = kill_in(client, "of_array", lambda: clf.predict(da.concatenate([few] * 30)).compute())
    return np.array_equal(found, np.tile(local.predict(X), 30))


def joined_late(X, y, local):
    """Whether the fit is the same when a worker joins in the middle."""
    with cluster_of(1) as client:
        answer = Answer(lambda: fitted(client, X, y, C=10.0))
        busy_worker(client, "train_blocks", answer)
        client.cluster.scale(2)
        found = answer.get()
        return same(found.to_local(), local)


def taking_all_memory(A, B):
    """A kernel of which no worker has enough memory for the values."""
    taken = [np.ones(2**24) for _ in range(100)]
    return A @ B.T + len(taken)


def out_of_memory(X, y):
    """Whether workers that run out of memory lead to an error that says so."""
    with cluster_of(2, memory_limit="600MB") as client:
        answer = Answer(lambda: fitted(client, X[:300], y[:300], kernel=taking_all_memory))
        try:
            answer.get()
        except MemoryError as error:
            return "give them more memory" in str(error)
        return False


def without_workers(X, y):
    """Whether the fit ends when all workers are taken away."""
    patience, jobs.PATIENCE = jobs.PATIENCE, 3.0
    try:
        with cluster_of(2) as client:
            answer = Answer(lambda: fitted(client, X, y, C=10.0))
            busy_worker(client, "train_blocks", answer)
            client.cluster.scale(0)
            try:
                answer.get()
            except ClusterLostError:
                return True
            return False
    finally:
        jobs.PATIENCE = patience


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    X, y = problem()
    local, survived = DCSVC(C=10.0).fit(X, y), Counter()
    with cluster_of() as client:
        begin = time.monotonic()
        clf = fitted(client, X, y, C=10.0)
        seconds = time.monotonic() - begin
        for _ in range(rounds):
            survived["killed in training"] += killed_in_fit(client, X, y, local)
            survived["killed at any time"] += killed_at_any_time(client, X, y, local, seconds)
            survived["killed in prediction"] += killed_in_prediction(client, clf, X, local)
            print(dict(survived), flush=True)
    for _ in range(max(1, rounds // 10)):
        survived["joined late"] += joined_late(X, y, local)
        survived["out of memory, with an error"] += out_of_memory(X, y)
        survived["all workers gone, with an error"] += without_workers(X, y)
    wanted = {name: rounds if "killed" in name else max(1, rounds // 10) for name in survived}
    for name, times in survived.items():
        print(f"{name}: {times} of {wanted[name]}")
    return 0 if survived == wanted else 1


if __name__ == "__main__":
    raise SystemExit(main())
