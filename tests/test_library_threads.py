"""No library starts threads that n_jobs has not asked for, however many it would like to.

Counted is the processor time of all threads of a process but its main one: with n_jobs=1 a fit does
all its work there, or in a thread of its own while the main one waits.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc"
)

COUNTED = """
import os
import threading
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine

from dcsvm import DCSVC

def busy():
    "Nanoseconds of each thread but the main one."
    tasks = list(Path("/proc/self/task").iterdir())
    others = [task for task in tasks if task.name != str(os.getpid())]
    return {t.name: int((t / "schedstat").read_text().split()[0]) for t in others}

def fit_all(load, **parameters):
    X, y = load(return_X_y=True)
    clf = DCSVC(n_jobs=1, **parameters).fit(X, y)
    clf.predict(X), clf.decision_function(X), clf.table_

own = []
start = threading.Thread.start
threading.Thread.start = lambda thread: (own.append(thread), start(thread))
before = busy()
FITS
after = busy()
grown = [name for name in after if after[name] > before.get(name, 0)]
print(len(own), len(grown))
"""
FITS = {
    "small": ("fit_all(load_iris), fit_all(load_wine, scaling='pair')", 0),
    "with a shortlist": ("fit_all(load_wine, theta=0.002), fit_all(load_digits)", None),
    "control": ("A = np.ones((1500, 1500)); np.linalg.eigh(A @ A)", None),
}


@pytest.mark.parametrize("name", FITS)
def test_only_the_threads_asked_for_work(name):
    fits, n_own = FITS[name]
    many = {f"{library}_NUM_THREADS": "4" for library in ("OPENBLAS", "OMP", "MKL")}
    run = subprocess.run(
        [sys.executable, "-c", COUNTED.replace("FITS", fits)],
        capture_output=True,
        text=True,
        env={**os.environ, **many},
        check=True,
    )
    started, worked = map(int, run.stdout.split())
    if name == "control":  # that this way of counting sees the threads of a library
        assert worked > 0
        return
    assert worked == 0  # threads of ours have ended by then
    if n_own is not None:
        assert started == n_own
