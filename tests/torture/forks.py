"""Forks at random moments while threads fit and predict: the child can do both, and ends."""

import os
import random
import signal
import threading
import time
import warnings

from tests.torture.subjects import X, growing, new_rows, require, y

from dcsvm import DCSVC

LONGEST = 60  # seconds


def forks(rounds):
    expected = growing().predict(new_rows())
    for _ in range(rounds):
        model = growing()
        threads = [
            threading.Thread(target=lambda: model.predict(new_rows())),  # noqa: B023
            threading.Thread(target=lambda: DCSVC(n_jobs=2).fit(X, y)),
        ]
        for thread in threads:
            thread.start()
        time.sleep(random.uniform(0, 0.05))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
            child = os.fork()
        if child == 0:
            in_child(model, expected)
        status = wait_for(child)
        for thread in threads:
            thread.join(LONGEST)
            require(not thread.is_alive(), "the parent hangs")
        require(os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, f"child: status {status}")
        require((model.predict(new_rows()) == expected).all(), "other labels after a fork")
        yield


def in_child(model, expected):
    """Never returns."""
    code = 1
    try:
        same = (model.predict(new_rows()) == expected).all()
        again = DCSVC(n_jobs=2).fit(X, y).predict(X)
        code = 0 if same and len(again) == len(X) else 2
    finally:
        os._exit(code)


def wait_for(child):
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return require(False, "the child hangs")
