"""Limits on memory, from none left to enough: a MemoryError, and the estimator as it was.

Every limit has a process of its own: one that ran out of memory once is not like a new one.
"""

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
from tests.torture.subjects import require

import dcsvm
from dcsvm import DCSVC

LONGEST = 120
STEPS = 40  # of the limit; they are passed again and again, each time in between
ENOUGH = 400 * 2**20
CODES = {0: "done", 3: "MemoryError"}


def limits(rounds):
    for number in range(rounds):
        what = ["fit", "predict", "save"][number % 3]
        place = number // 3
        share = (place % STEPS + (place // STEPS % 7) / 7) / STEPS
        room = int(ENOUGH * share**3)  # most of what can fail is small
        command = [sys.executable, "-m", "tests.torture.little_memory", what, str(room)]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
        told = f"{what} with {room} bytes: code {ended.returncode}\n{ended.stderr}"
        require(ended.returncode in CODES, told)
        yield


def main(what, room):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 30)), np.arange(3000) % 6
    X[:, 0] += 3 * y
    small = slice(0, 300)
    model = DCSVC(n_jobs=2).fit(X[small], y[small])
    before = answers_of(model, X[small])
    path = Path(f"/tmp/dcsvm-little-memory-{room}-{what}")
    actions = {
        "fit": lambda: model.fit(X, y),
        "predict": lambda: model.predict(np.repeat(X, 60, axis=0)),
        "save": lambda: dcsvm.save(model, path),
    }
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + int(room), resource.RLIM_INFINITY))
    code = 0
    try:
        actions[what]()
    except MemoryError as error:
        code, told = 3, str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        was_there = path.exists()
        path.unlink(missing_ok=True)
    if code:
        require(not told or told[0].isupper(), f"no sentence: {told}")
        require(answers_of(model, X[small]) == before, "the estimator has changed")
        require(not was_there, "a file that was not written in full")
    return code


def answers_of(model, X):
    return model.classes_.tolist(), model.predict(X).tolist(), sorted(vars(model))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
