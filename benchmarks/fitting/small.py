"""Fits and predictions of small sets beside SVC: what tests and searches do thousands of times.

Milliseconds of a fit, and microseconds per row of predicting the training rows twenty times over;
the shortest of many, on one thread.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks.shared.output import about_machine, heading, table
from benchmarks.shared.problems import read
from benchmarks.shared.timing import best_seconds
from dcsvm import DCSVC

DATA = ["iris", "wine", "glass", "vowel", "svmguide4", "100 classes", "40 classes"]
# Rows of a class, features and the deviation within classes, of Gaussian classes.
GAUSSIAN = {"100 classes": (13, 192, 1.5), "40 classes": (20, 16, 0.7)}
TIMES = 20
COLUMNS = [
    ("data set", "data", "{}"),
    ("rows", "rows", "{}"),
    ("classes", "classes", "{}"),
    ("SVC fit ms", "svc", "{:.2f}"),
    ("DCSVC fit ms", "own", "{:.2f}"),
    ("× SVC", "ratio", "{:.2f}"),
    ("SVC µs/row", "svc_row", "{:.2f}"),
    ("DCSVC µs/row", "own_row", "{:.3f}"),
    ("× SVC", "ratio_row", "{:.1f}"),
    ("SVC %", "svc_accuracy", "{:.2f}"),
    ("DCSVC %", "own_accuracy", "{:.2f}"),
]


def problem(name):
    """Standardised features, and labels."""
    if name not in GAUSSIAN:
        X, y, _ = read(name)
        return (X - X.mean(axis=0)) / X.std(axis=0), y
    n, d, deviation = GAUSSIAN[name]
    k, rng = int(name.split()[0]), np.random.default_rng(0)
    y = rng.permutation(np.repeat(np.arange(k), n))
    return rng.normal(size=(k, d))[y] + deviation * rng.normal(size=(k * n, d)), y


def measure(name):
    """A line of the table."""
    X, y = problem(name)
    line = {"data": name, "rows": len(y), "classes": len(np.unique(y))}
    for key, make in (("svc", SVC), ("own", DCSVC)):
        line[key] = 1e3 * best_seconds(lambda make=make: make(C=10).fit(X, y), at_most=300)
        model, many = make(C=10).fit(X, y), np.tile(X, (TIMES, 1))
        seconds = best_seconds(lambda model=model, many=many: model.predict(many), budget=0.3)
        line[f"{key}_row"] = 1e6 * seconds / len(many)
        line[f"{key}_accuracy"] = 100 * np.mean(model.predict(X) == y)
    line["ratio"], line["ratio_row"] = line["svc"] / line["own"], line["svc_row"] / line["own_row"]
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=DATA, choices=DATA)
    arguments = parser.parse_args()
    with threadpool_limits(1):
        lines = [measure(name) for name in arguments.data]
    print(f"{heading(about_machine())}\n\n{table(COLUMNS, lines)}")


if __name__ == "__main__":
    main()
