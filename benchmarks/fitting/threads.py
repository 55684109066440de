"""Fits and predictions by 1, 2, 4 … threads, up to all there are: `make bench-threads`.

Seconds of the whole fit and of its stages, and of predicting so many rows that one thread is busy
for a while; the shortest of several. Efficiency is the speed-up over the number of threads. The
serial share is that of Amdahl's law: the part of the time of one thread which, if it alone stayed
as it is, would leave this speed-up.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from time import perf_counter

import numpy as np
from joblib import cpu_count
from threadpoolctl import threadpool_limits

import dcsvm.estimators.dcsvc
import dcsvm.estimators.tables
import dcsvm.estimators.thetas
from benchmarks.fitting.processes import STAGES, timed
from benchmarks.shared.output import about_machine, heading, log, table
from benchmarks.shared.problems import load
from benchmarks.shared.timing import best_seconds
from dcsvm import DCSVC

DATA = ["letter", "usps", "clinc150_lsa128", "mnist"]
NAMES = {
    "train": "machines",
    "table": "table",
    "left_out_tail": "rows left out",
    "choose_shortlist": "shortlist",
    "theta_by_cost": "θ",
    "make_route": "route",
    "grow_along": "structure",
}
FURTHER_STAGES = [
    (dcsvm.estimators.tables, "left_out_tail"),
    (dcsvm.estimators.thetas, "theta_by_cost"),
    (dcsvm.estimators.dcsvc, "make_route"),
]
# What one thread takes for the rows that are predicted, and what they may take of memory.
SECONDS_TO_PREDICT = 0.4
MOST_BYTES = 2**28
FOLDER = Path("benchmarks/threads")


def thread_counts(most):
    """1, 2, 4 …, and all."""
    return sorted({*(2**e for e in range(most.bit_length())), most})


def time_stages():
    """Time every stage of DCSVC.fit; the seconds appear in the dictionary that is returned."""
    seconds = {}
    for module, name in [*STAGES, *FURTHER_STAGES]:
        setattr(module, name, timed(getattr(module, name), name, seconds))
    return seconds


def measure(name, counts, stages, budget):
    """The lines of a data set: seconds by threads, for every stage."""
    problem = load(name)
    lines = fit_lines(problem, counts, stages, budget)
    model = DCSVC(**problem.parameters, n_jobs=counts[-1]).fit(problem.X_train, problem.y_train)
    accuracy = 100 * np.mean(model.predict(problem.X_test) == problem.y_test)
    X = many_rows(model.set_params(n_jobs=1), problem.X_test)
    seconds = {}
    for n in counts:
        model.set_params(n_jobs=n)
        seconds[n] = best_seconds(lambda: model.predict(X), budget=budget)
    lines.append({"what": f"predict, {len(X):,} rows", "seconds": seconds})
    for line in lines:
        line.update(data=name, accuracy=accuracy)
    return lines


def fit_lines(problem, counts, stages, budget):
    """The whole fit, then its stages in order, then what is left; those of the fastest fit."""
    by_count = {}
    for n in counts:
        model = DCSVC(**problem.parameters, n_jobs=n)
        by_count[n] = fastest_fit(model, problem, stages, budget)
    measured = [name for name in NAMES if any(name in fit for fit in by_count.values())]
    for fit in by_count.values():
        fit["rest"] = fit["seconds"] - sum(fit.get(name, 0.0) for name in measured)
    titles = {"seconds": "fit", **{name: NAMES[name] for name in measured}, "rest": "rest"}
    return [
        {"what": title, "seconds": {n: by_count[n].get(name, 0.0) for n in counts}}
        for name, title in titles.items()
    ]


def fastest_fit(model, problem, stages, budget):
    """The seconds of the fastest of several fits, and of its stages."""
    fits, begin = [], perf_counter()
    while not fits or perf_counter() - begin + fits[-1]["seconds"] < budget:
        stages.clear()
        start = perf_counter()
        model.fit(problem.X_train, problem.y_train)
        fits.append({"seconds": perf_counter() - start, **stages})
    return min(fits, key=lambda fit: fit["seconds"])


def many_rows(model, X):
    """The test rows, repeated until one thread is busy long enough."""
    seconds = best_seconds(lambda: model.predict(X), budget=0.1)
    times = max(1, min(round(SECONDS_TO_PREDICT / seconds), MOST_BYTES // X.nbytes))
    return np.tile(X, (times, 1))


def with_ratios(line, counts):
    """The line as a row of the table."""
    first, last, most = line["seconds"][1], line["seconds"][counts[-1]], counts[-1]
    row = {**line, **{f"s{n}": 1e3 * line["seconds"][n] for n in counts}}
    if most > 1 and last > 0 and first > 0:
        row["speedup"] = first / last
        row["efficiency"] = row["speedup"] / most
        row["serial"] = min(1.0, max(0.0, (most / row["speedup"] - 1) / (most - 1)))
    return row


def columns(counts):
    """The columns of the table."""
    by_threads = [(f"ms by {n}", f"s{n}", "{:.2f}") for n in counts]
    return [
        ("data set", "data", "{}"),
        ("what", "what", "{}"),
        *by_threads,
        ("speed-up", "speedup", "{:.2f}"),
        ("efficiency", "efficiency", "{:.0%}"),
        ("serial share", "serial", "{:.1%}"),
        ("accuracy %", "accuracy", "{:.2f}"),
    ]


def processor():
    """The name of the processor, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if "model name" in line), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=DATA)
    parser.add_argument("--threads", type=int, default=cpu_count(), help="the most threads")
    parser.add_argument("--quick", action="store_true", help="letter and usps, fewer repetitions")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the log is written")
    arguments = parser.parse_args()
    names = DATA[:2] if arguments.quick else arguments.data
    counts = thread_counts(arguments.threads)
    stages, lines, begin = time_stages(), [], perf_counter()
    with threadpool_limits(1):
        for name in names:
            lines += measure(name, counts, stages, budget=0.3 if arguments.quick else 1.5)
            log(f"{name}: {perf_counter() - begin:.0f} s since the start")
    about = {**about_machine(), "processor": processor(), "cores": os.cpu_count()}
    rows = [with_ratios(line, counts) for line in lines]
    text = f"{heading(about)}\n\n{table(columns(counts), rows)}\n"
    print(text)
    if not arguments.quick:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        (arguments.folder / f"{counts[-1]}.md").write_text(text)


if __name__ == "__main__":
    main()
