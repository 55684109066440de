"""Speed by the parameter C, against SVC and OpenCV: `make bench-cost`.

With a large C and overlapping classes the coefficients are large, and single precision is less
exact. The table shows which precision is used, and the speed in either.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

import dcsvm
from benchmarks.shared.output import table
from benchmarks.shared.peers import PEERS
from benchmarks.shared.problems import standardised
from benchmarks.shared.timing import best_seconds
from dcsvm._core import EngineFloat
from dcsvm.datasets import load

SETS = ("glass", "svmguide4", "segmentation", "wine-quality", "covertype")
COSTS = (1.0, 10.0, 100.0, 1000.0, 10000.0)
RIVALS = ("SVC", "OpenCV")
MOST_ROWS = 5_000
# With fewer rows the overhead of the call would be measured.
ROWS_OF_TIMING = 2_000
COLUMNS = [
    ("data set", "data", "{}"),
    ("C", "C", "{:g}"),
    ("engine", "engine", "{}"),
    ("µs/row", "batch", "{:.2f}"),
    ("× SVC", "times SVC", "{:.1f}"),
    ("× OpenCV", "times OpenCV", "{:.1f}"),
    ("fit × SVC", "fit times SVC", "{:.1f}"),
    ("accuracy %", "accuracy", "{:.2f}"),
    ("SVC's", "accuracy SVC", "{:.2f}"),
]


def split_of(name):
    """An 80/20 split of standardised rows, at most `MOST_ROWS`."""
    data = load(name)
    X, y = data.data, np.unique(data.target, return_inverse=True)[1]
    if len(y) > MOST_ROWS:
        X, _, y, _ = train_test_split(X, y, train_size=MOST_ROWS, stratify=y, random_state=0)
    return standardised(train_test_split(X, y, test_size=0.2, stratify=y, random_state=0))


def measure(name, C):
    """A line of the table."""
    X, X_test, y, y_test = split_of(name)
    rows = np.tile(X_test, (-(-ROWS_OF_TIMING // len(X_test)), 1))
    models = {"ours": dcsvm.DCSVC(C=C, gamma=1 / X.shape[1], n_jobs=1)}
    models |= {peer: PEERS[peer](C=C, gamma=1 / X.shape[1]) for peer in RIVALS}
    fit, batch, accuracy = {}, {}, {}
    for method, model in models.items():
        start = perf_counter()
        model.fit(X, y)
        fit[method] = perf_counter() - start
        accuracy[method] = 100 * np.mean(model.predict(X_test) == y_test)
        batch[method] = best_seconds(lambda model=model: model.predict(rows)) / len(rows)
    single = isinstance(models["ours"].machines_.engine, EngineFloat)
    return {
        "data": name,
        "C": C,
        "engine": "single" if single else "double",
        "batch": 1e6 * batch["ours"],
        **{f"times {peer}": batch[peer] / batch["ours"] for peer in RIVALS},
        "fit times SVC": fit["SVC"] / fit["ours"],
        "accuracy": accuracy["ours"],
        "accuracy SVC": accuracy["SVC"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=SETS)
    parser.add_argument("--costs", nargs="*", type=float, default=COSTS)
    arguments = parser.parse_args()
    with threadpool_limits(1):
        lines = [measure(name, C) for name in arguments.data for C in arguments.costs]
    print(table(COLUMNS, lines))


if __name__ == "__main__":
    main()
