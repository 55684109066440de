"""Steps of the solver in a whole search, with and without warm starts.

    python -m benchmarks.search.steps --data letter glass

All points in all folds, without racing and without the last fit; one thread.
"""

from __future__ import annotations

import argparse
import warnings
from contextlib import contextmanager
from time import perf_counter
from unittest.mock import patch

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.search.tasks import DATA, task
from benchmarks.shared.output import about_machine, heading, table
from dcsvm import DCSVCCV
from dcsvm.estimators.search import fold_machines

COLUMNS = [
    ("data set", "data", "{}"),
    ("million steps", "warm_steps", "{:.3g}"),
    ("from nothing", "cold_steps", "{:.3g}"),
    ("less", "steps", "{:.2f} ×"),
    ("training s", "warm_seconds", "{:.3g}"),
    ("from nothing s", "cold_seconds", "{:.3g}"),
    ("rows that differ", "difference", "{:.4f} %"),
]


class Counter:
    """Trains as usual, or every machine from nothing, and counts."""

    def __init__(self, is_warm):
        self.is_warm = is_warm
        self.steps, self.seconds = 0, 0.0

    @contextmanager
    def watching(self):
        """Count in all searches meanwhile."""
        train = fold_machines.train_variants

        def counting(rows, class_weight, parameters, variants):
            if not self.is_warm:
                variants = variants._replace(start=np.full_like(variants.start, -1))
            begin = perf_counter()
            found = train(rows, class_weight, parameters, variants)
            self.seconds += perf_counter() - begin
            self.steps += sum(int(machines.n_iter.sum()) for machines in found.machines)
            return found

        with patch.object(fold_machines, "train_variants", counting):
            yield


def line(name):
    """Both ways on one set."""
    this, found, scores = task(name), {"data": name}, []
    for is_warm, way in ((True, "warm"), (False, "cold")):
        counter = Counter(is_warm)
        search = DCSVCCV(
            Cs=this.Cs, gammas=this.gammas, cv=this.folds, racing=False, refit=False, n_jobs=1
        )
        with counter.watching():
            scores.append(search.fit(this.problem.X_train, this.problem.y_train).scores_)
        found[f"{way}_steps"], found[f"{way}_seconds"] = counter.steps / 1e6, counter.seconds
    found["steps"] = found["cold_steps"] / found["warm_steps"]
    found["difference"] = 100 * np.abs(scores[0] - scores[1]).mean()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=DATA, choices=DATA)
    arguments = parser.parse_args()
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        lines = [line(name) for name in arguments.data]
    print(f"{heading(about_machine())}\n\n{table(COLUMNS, lines)}")


if __name__ == "__main__":
    main()
