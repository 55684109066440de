"""Training against peers: `make bench-fit`.

Seconds of the whole fit, the best of several, and for DCSVC of its three stages: machines, table
and decision structure. Memory is the most that a fit takes above what was there before it, in a
process of its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import threading
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import dcsvm.base
import dcsvm.classifier
from benchmarks.data import SETS, load
from benchmarks.peers import PEERS
from benchmarks.report import table
from benchmarks.timing import best_seconds
from dcsvm import DCSVC

COLUMNS = [
    ("data set", "data", "{}"),
    ("method", "method", "{}"),
    ("threads", "threads", "{}"),
    ("fit s", "seconds", "{:.3f}"),
    ("× SVC", "ratio", "{:.2f}"),
    ("machines s", "train_machines", "{:.3f}"),
    ("table s", "build_table", "{:.3f}"),
    ("structure s", "grow_along", "{:.3f}"),
    ("memory MB", "memory", "{:.0f}"),
    ("support vectors", "support_vectors", "{:.0f}"),
    ("accuracy %", "accuracy", "{:.2f}"),
]
STAGES = [
    (dcsvm.base, "train_machines"),
    (dcsvm.classifier, "build_table"),
    (dcsvm.classifier, "grow_along"),
]
# Onnx trains by SVC itself.
TRAINERS = {name: peer for name, peer in PEERS.items() if name != "onnxruntime"}


class OneVsOne:
    """scikit-learn's OneVsOneClassifier over SVC."""

    def __init__(self, C, gamma):
        self.model = OneVsOneClassifier(SVC(C=C, gamma=gamma))

    def fit(self, X, y):
        self.model.fit(X, y)
        return self

    def predict(self, X):
        return self.model.predict(X)


def make(name, problem, threads):
    """An unfitted method."""
    if name == "DCSVC":
        return DCSVC(**problem.parameters, n_jobs=threads)
    return {**TRAINERS, "OneVsOneClassifier": OneVsOne}[name](**problem.parameters)


def measure(problem, name, threads=1):
    """A line of the table."""
    line = {"data": problem.name, "method": name, "threads": threads}
    fitted, stages = [], {}
    if name == "DCSVC":
        stages = time_stages()

    def fit():
        for stage in stages:
            stages[stage] = 0.0
        start = perf_counter()
        fitted[:] = [make(name, problem, threads).fit(problem.X_train, problem.y_train)]
        seconds = perf_counter() - start
        if seconds < line.get("seconds", np.inf):
            line.update(seconds=seconds, **stages)

    try:
        best_seconds(fit, at_least=2, budget=2.0, at_most=7)
        line["accuracy"] = 100 * np.mean(fitted[0].predict(problem.X_test) == problem.y_test)
        line["memory"] = memory_of_fit(problem.name, name)
        if name == "DCSVC":
            line["support_vectors"] = fitted[0].machines_.n_distinct_support
        elif name == "SVC":
            line["support_vectors"] = len(fitted[0].model.support_)
    except Exception as error:
        line["failed"] = f"{type(error).__name__}: {error}".splitlines()[0][:80]
    return line


def time_stages():
    """Put a clock on each stage of DCSVC.fit; the seconds are found in what is returned."""
    seconds = {name: 0.0 for _, name in STAGES}
    for module, name in STAGES:
        stage = getattr(getattr(module, name), "untimed", getattr(module, name))

        def timed(*args, stage=stage, name=name, **kwargs):
            start = perf_counter()
            try:
                return stage(*args, **kwargs)
            finally:
                seconds[name] += perf_counter() - start

        timed.untimed = stage
        setattr(module, name, timed)
    return seconds


def memory_of_fit(data, method):
    """MB above the data at the height of a fit, in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.fit", "--memory", data, method]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(run.stdout.split()[-1])


def report_memory(data, method):
    """Print the memory of one fit, looked at every other millisecond."""
    problem = load(data, 10)
    before, over, seen = resident_bytes(), threading.Event(), []

    def look():
        while not over.wait(0.002):
            seen.append(resident_bytes())

    watcher = threading.Thread(target=look)
    watcher.start()
    make(method, problem, 1).fit(problem.X_train, problem.y_train)
    over.set()
    watcher.join()
    print((max([*seen, resident_bytes()]) - before) / 1e6)


def resident_bytes():
    """What this process has in memory now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--skip", nargs="*", default=[], help="methods to leave out")
    parser.add_argument("--json", type=Path, default=Path("benchmarks/out/fit.json"))
    parser.add_argument("--memory", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory:
        report_memory(*arguments.memory)
        return
    lines = []
    methods = [m for m in [*TRAINERS, "OneVsOneClassifier"] if m not in arguments.skip]
    with threadpool_limits(1):
        for name in arguments.data:
            problem = load(name, 2000)
            here = [measure(problem, method) for method in methods]
            here += [measure(problem, "DCSVC", threads) for threads in (1, 2)]
            for line in here:
                if "seconds" in line:
                    line["ratio"] = here[0]["seconds"] / line["seconds"]
            lines += here
            print(f"{table(COLUMNS, here)}\n", file=sys.stderr, flush=True)
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps(lines, indent=1, default=float))
    print(table(COLUMNS, lines))


if __name__ == "__main__":
    main()
