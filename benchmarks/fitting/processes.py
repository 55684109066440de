"""Fits of one method in a separate process.

A process can be stopped during compiled code, and the memory that the system counts for it belongs
to one method.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

import dcsvm.estimators.dcsvc
from benchmarks.shared.peers import TRAINERS
from dcsvm import DCSVC
from dcsvm.estimators.stages import HERE

STAGES = [
    (HERE, "train"),
    (HERE, "table"),
    (dcsvm.estimators.dcsvc, "choose_shortlist"),
    (dcsvm.estimators.dcsvc, "grow_along"),
]
OWN = {"DCSVC": DCSVC, "DCSVC.paper": DCSVC.paper}
# A process repeats the fit for this many seconds.
BUDGET = 2.0
MOST_FITS = 7
# A fit is stopped after this many times the seconds of SVC, within these bounds.
PATIENCE = 10
SHORTEST_LIMIT, LONGEST_LIMIT = 10.0, 120.0


def measure(problem, methods, rounds):
    """The best line of each (method, threads), measured in turns; SVC comes first."""
    best = {}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "problem"
        file.write_bytes(pickle.dumps(problem))
        for method in methods:
            limit = limit_beside(best.get(methods[0], {}))
            best[method] = fit_in_process(file, *method, limit)
        for method in methods * (rounds - 1):
            if "failed" not in best[method]:
                best[method] = better(best[method], fit_in_process(file, *method))
    for (name, threads), line in best.items():
        line.update(data=problem.name, method=name, threads=threads)
    return list(best.values())


def better(line, again):
    """The line with the shorter time of two processes, or a failure if there is one."""
    if "failed" in again:
        return again
    return line | again if again["seconds"] < line["seconds"] else line


def limit_beside(svc):
    """The most seconds that a fit may take."""
    return min(LONGEST_LIMIT, max(SHORTEST_LIMIT, PATIENCE * svc.get("seconds", np.inf)))


def fit_in_process(file, method, threads, limit=None):
    """The line that `main` prints in another process, or the reason of its failure.

    Without a limit it has only the seconds: everything else is known from a fit with a limit.
    """
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.fitting.processes"]
    command += [str(file), method, str(threads)]
    command += ["--only-seconds"] if limit is None else ["--limit", str(limit)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    if run.returncode == -signal.SIGALRM:
        return {"failed": f"> {limit:.0f} s"}
    if run.returncode:
        last_line = run.stderr.strip().splitlines()[-1:]
        return {"failed": f"exit code {run.returncode} {' '.join(last_line)}"[:80]}
    # Libraries may print as well.
    return json.loads(next(line for line in run.stdout.splitlines() if line.startswith("{")))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="a pickled problem")
    parser.add_argument("method")
    parser.add_argument("threads", type=int)
    parser.add_argument("--limit", type=float, default=0, help="seconds before a fit is stopped")
    parser.add_argument("--only-seconds", action="store_true")
    arguments = parser.parse_args()
    with arguments.file.open("rb") as file:
        problem = pickle.load(file)
    try:
        with threadpool_limits(1):
            line = best_fit(problem, arguments)
    except ModuleNotFoundError:
        line = {"failed": "not installed"}
    except Exception as error:
        line = {"failed": f"{type(error).__name__}: {error}".splitlines()[0][:80]}
    print(json.dumps(line, default=float), flush=True)


def best_fit(problem, arguments):
    """The fastest of several fits; memory, accuracy and support vectors are of the first."""
    stages = time_stages()

    def timed_fit():
        stages.clear()
        model = make(arguments.method, problem, arguments.threads)
        signal.setitimer(signal.ITIMER_REAL, arguments.limit)  # unhandled, it ends the process
        start = perf_counter()
        model.fit(problem.X_train, problem.y_train)
        seconds = perf_counter() - start
        signal.setitimer(signal.ITIMER_REAL, 0)
        return model, {"seconds": seconds, **stages}

    fit_few_rows(make(arguments.method, problem, arguments.threads), problem)
    before = start_watching_memory()
    model, first = timed_fit()
    memory = memory_bytes("VmHWM") - before
    again = min(MOST_FITS - 1, int(BUDGET / first["seconds"]))
    fastest = min([first, *(timed_fit()[1] for _ in range(again))], key=lambda fit: fit["seconds"])
    if arguments.only_seconds:
        return fastest
    return {
        **fastest,
        "memory": memory / 1e6,
        "accuracy": 100 * np.mean(model.predict(problem.X_test) == problem.y_test),
        "support_vectors": n_support_vectors(model),
    }


def make(method, problem, threads):
    """An unfitted method."""
    if method in OWN:
        return OWN[method](**problem.parameters, n_jobs=threads)
    return TRAINERS[method](**problem.parameters)


def n_support_vectors(model):
    """How many training rows support any machine."""
    if isinstance(model, DCSVC):
        return model.machines_.n_distinct_support
    return model.n_support_vectors


def time_stages():
    """Time each stage of DCSVC.fit; the seconds appear in the dictionary that is returned."""
    seconds = {}
    for module, name in STAGES:
        setattr(module, name, timed(getattr(module, name), name, seconds))
    return seconds


def timed(stage, name, seconds):
    """The same function, which stores its time in `seconds`."""

    def timed_stage(*args, **kwargs):
        start = perf_counter()
        result = stage(*args, **kwargs)
        seconds[name] = perf_counter() - start
        return result

    return timed_stage


def fit_few_rows(model, problem):
    """A first fit, so that what a library loads with it is not counted as memory of the fit."""
    rows = np.concatenate([np.flatnonzero(problem.y_train == label)[:10] for label in (0, 1)])
    model.fit(problem.X_train[rows], problem.y_train[rows])


def start_watching_memory():
    """Reset the system's count of the peak memory; returns the memory in use."""
    Path("/proc/self/clear_refs").write_text("5")
    return memory_bytes("VmRSS")


def memory_bytes(field):
    """VmRSS, the memory of this process now, or VmHWM, its peak."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition(f"{field}:")[2].split()[0])


if __name__ == "__main__":
    main()
