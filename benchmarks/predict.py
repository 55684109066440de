"""Prediction against peers: `make bench-predict`.

Times are per row: of a batch of all test rows, and of rows given one by one. `of peak` is the
share of the processor's measured single-precision peak that the kernel evaluations made use of.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

import dcsvm
from benchmarks.data import SETS, load
from benchmarks.peers import PEERS, versions
from benchmarks.report import table
from benchmarks.timing import best_seconds, evaluation_flops, peak_flops
from dcsvm.machines.compiled import instruction_set

DATA = [
    "letter",
    "usps",
    "mnist",
    "poker",
    "sensorless_2200",
    "clinc150_lsa128",
    "ucr_fiftywords",
    "caltech101_silhouettes28",
]
COLUMNS = [
    ("data set", "data", "{}"),
    ("method", "method", "{}"),
    ("threads", "threads", "{}"),
    ("µs/row", "batch", "{:.2f}"),
    ("× SVC", "ratio", "{:.1f}"),
    ("µs, one row", "one", "{:.2f}"),
    ("× SVC", "ratio_one", "{:.1f}"),
    ("accuracy %", "accuracy", "{:.2f}"),
    ("decisions", "decisions", "{:.1f}"),
    ("kernel evaluations", "evaluations", "{:.0f}"),
    ("of peak", "peak_share", "{:.0%}"),
]


def own_methods(problem):
    """Our classifiers over the same machines."""
    dc = dcsvm.DCSVC(**problem.parameters).fit(problem.X_train, problem.y_train)
    dc.predict(problem.X_test)
    return {
        "DCSVC": dc,
        "DCSVC θ=1 %": dc.rethreshold(theta=0.01),
        "paper's rule": dc.rethreshold(
            theta=0.001, routing="sign", criterion="purity", shortlist=None
        ),
        "OneVsOneSVC": dcsvm.OneVsOneSVC.from_machines(dc),
        "DAGSVC": dcsvm.DAGSVC.from_machines(dc),
    }


def measure_own(problem, name, clf, threads, peak):
    """A line of the table for one of our methods."""
    X, y = problem.X_test, problem.y_test
    clf.set_params(n_jobs=threads)
    predicted = clf.predict(X)
    seconds = best_seconds(lambda: clf.predict(X)) / len(X)
    cost = clf.decision_cost(X)
    # A walk evaluates all support vectors it visits; a vote each of the pool once.
    vote = name == "OneVsOneSVC"
    evaluated = (cost.kernel_evaluations if vote else cost.support_vectors).mean()
    line = {
        "data": problem.name,
        "method": name,
        "threads": threads,
        "batch": 1e6 * seconds,
        "accuracy": 100 * np.mean(predicted == y),
        "decisions": cost.decisions.mean(),
        "evaluations": evaluated,
        "peak_share": evaluated * evaluation_flops(X.shape[1]) / seconds / peak / threads,
    }
    if threads == 1:
        rows = [X[r : r + 1] for r in range(min(len(X), 300))]
        if vote:
            one = best_seconds(lambda: [clf.predict(x) for x in rows])
        else:
            predict = clf.predictor_.predict
            vectors = [x[0] for x in rows]
            one = best_seconds(lambda: [predict(x) for x in vectors])
        line["one"] = 1e6 * one / len(rows)
    return line


def measure_peer(problem, name):
    """A line of the table for another library."""
    X, y = problem.X_test, problem.y_test
    line = {"data": problem.name, "method": name, "threads": 1}
    try:
        model = PEERS[name](**problem.parameters).fit(problem.X_train, problem.y_train)
        line["accuracy"] = 100 * np.mean(model.predict(X) == y)
        line["batch"] = 1e6 * best_seconds(lambda: model.predict(X)) / len(X)
        rows = [X[r : r + 1] for r in range(20)]
        one = best_seconds(lambda: [model.predict_one(x) for x in rows])
        line["one"] = 1e6 * one / len(rows)
        if name == "SVC":
            line["decisions"] = problem.n_classes * (problem.n_classes - 1) / 2
            line["evaluations"] = float(len(model.model.support_))
    except Exception as error:
        line["failed"] = f"{type(error).__name__}: {error}".splitlines()[0][:100]
    return line


def run(names, rows):
    """All lines."""
    lines = []
    with threadpool_limits(1):
        peak = peak_flops()
        say(f"measured single-precision peak: {peak / 1e9:.0f} Gflop/s, one thread")
        for name in names:
            problem = load(name, rows)
            begin = perf_counter()
            lines += [measure_peer(problem, peer) for peer in PEERS]
            methods = own_methods(problem)
            for threads in (1, 2):
                for method, clf in methods.items():
                    lines.append(measure_own(problem, method, clf, threads, peak))
            add_ratios([line for line in lines if line["data"] == name])
            say(f"{name}: {perf_counter() - begin:.0f} s")
    return peak, lines


def add_ratios(lines):
    """SVC's time over that of each line."""
    svc = next(line for line in lines if line["method"] == "SVC")
    for line in lines:
        for ratio, time in (("ratio", "batch"), ("ratio_one", "one")):
            if time in line:
                line[ratio] = svc[time] / line[time]


def say(text):
    print(text, file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=DATA, choices=list(SETS))
    parser.add_argument("--rows", type=int, default=4000, help="most test rows of a set")
    parser.add_argument("--json", type=Path, default=Path("benchmarks/out/predict.json"))
    arguments = parser.parse_args()
    peak, lines = run(arguments.data, arguments.rows)
    about = {
        "machine": platform.processor() or platform.machine(),
        "instruction set": instruction_set(),
        "peak Gflop/s": peak / 1e9,
        "versions": {"dcsvm": dcsvm.__version__, **versions(PEERS)},
    }
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps({**about, "lines": lines}, indent=1, default=float))
    print(", ".join(f"{k}: {v}" for k, v in about.items()) + "\n")
    print(table(COLUMNS, lines))


if __name__ == "__main__":
    main()
