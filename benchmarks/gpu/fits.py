"""Fits and predictions on a GPU beside those on the CPU, and SVC where it ends in time.

python -m benchmarks.gpu.fits [--svc] [SET ...]

Times are of whole calls from NumPy arrays and back to them, the best of three after a first one,
in which the kernels are compiled; of the CPU with all threads. A line of JSON for each set, and
the table at the end. Peers that take long are left out without --svc.
"""

from __future__ import annotations

import argparse
import json
import os
from time import perf_counter

import numpy as np
from sklearn.svm import SVC

from benchmarks.shared.output import about_machine, table
from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.cuda.device import gpu
from dcsvm.datasets import stored

SETS = {
    "letter": {"C": 10, "gamma": 1 / 16},
    "usps": {"C": 10},
    "mnist": {"C": 5, "gamma": 0.02},
    "clinc150_lsa128": {"C": 10},
    "caltech101_silhouettes28": {"C": 10},
    "poker": {"C": 1},
    "covertype": {"C": 1},
    "gaussian400": {"C": 10},
    "gaussian1000": {"C": 10},
}
# Those of which only all machines are trained: a table of them would take minutes on the CPU.
MACHINES_ONLY = {"gaussian1000"}
REPEATS = 3
COLUMNS = [
    ("set", "set", "{}"),
    ("rows", "rows", "{:,}"),
    ("classes", "classes", "{}"),
    ("GPU, s", "gpu", "{:.3f}"),
    ("CPU, s", "cpu", "{:.3f}"),
    ("ratio", "ratio", "{:.1f}"),
    ("SVC, s", "svc", "{:.1f}"),
    ("machines on the GPU, s", "machines", "{:.3f}"),
    ("machines on the CPU, s", "machines_cpu", "{:.3f}"),
    ("accuracy, GPU", "accuracy", "{:.2%}"),
    ("accuracy, CPU", "accuracy_cpu", "{:.2%}"),
    ("equal labels", "equal", "{:.2%}"),
]


def gaussian(n_classes):
    """Rows around centres, as benchmarks/routing/problems.py, and 4 more of each class."""
    n_features, n_rows = (27, 50) if n_classes >= 1000 else (16, 100)
    rng = np.random.default_rng(n_classes)
    centres = rng.normal(scale=2.0, size=(n_classes, n_features))
    y = np.repeat(np.arange(n_classes), n_rows + 4)
    X = centres[y] + rng.normal(scale=0.75, size=(len(y), n_features))
    return X, y, np.tile(np.arange(n_rows + 4) >= n_rows, n_classes)


def split(name):
    """Training and test rows of a set; standardised, but for pixels and scores of texts."""
    if name.startswith("gaussian"):
        X, y, test = gaussian(int(name.removeprefix("gaussian")))
    else:
        data = stored.read(stored.find(f"{name}.parquet"))
        X, y = data.data, data.target
        if name == "mnist":
            X, test = X / 255, np.arange(len(y)) >= 60_000
        elif data.split is not None:
            test = data.split == "test"
        else:
            test = np.random.default_rng(0).random(len(y)) < 0.25
    if name not in ("mnist", "clinc150_lsa128"):
        mean, sd = X[~test].mean(axis=0), X[~test].std(axis=0)
        X = (X - mean) / np.where(sd > 0, sd, 1)
    return X[~test], y[~test], X[test], y[test]


def best_of(call, repeats=REPEATS):
    """The shortest time, and what was returned last."""
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        result = call()
        seconds.append(perf_counter() - start)
    return min(seconds), result


def measure(name, data, with_cpu, with_svc):
    """A line of the table."""
    (X, y, X_test, y_test), given = data, SETS[name]
    line = {"set": name, "rows": len(X), "classes": len(np.unique(y))}

    def fit(make, **more):
        return make(**given, n_jobs=-1, **more).fit(X, y)

    fit(OneVsOneSVC, device="cuda")
    line["machines"], machines = best_of(lambda: fit(OneVsOneSVC, device="cuda"))
    line["iterations"] = int(machines.n_iter_.sum())
    there = machines
    if name not in MACHINES_ONLY:
        fit(DCSVC, device="cuda")
        line["gpu"], there = best_of(lambda: fit(DCSVC, device="cuda"))
    labels = there.predict(X_test)
    line["accuracy"] = (labels == y_test).mean()
    if with_cpu:
        line["machines_cpu"], here = best_of(lambda: fit(OneVsOneSVC), 1)
        if name not in MACHINES_ONLY:
            line["cpu"], here = best_of(lambda: fit(DCSVC), 2)
            line["ratio"] = line["cpu"] / line["gpu"]
        by_cpu = here.predict(X_test)
        line["accuracy_cpu"] = (by_cpu == y_test).mean()
        line["equal"] = (by_cpu == labels).mean()
    if with_svc:
        start = perf_counter()
        SVC(**given, cache_size=4000).fit(X, y)
        line["svc"] = perf_counter() - start
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--svc", action="store_true", help="also SVC")
    parser.add_argument("--no-cpu", action="store_true", help="the GPU alone")
    options = parser.parse_args()
    cupy = gpu().xp
    about = {
        **about_machine(),
        "GPU": cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(),
        "CuPy": cupy.__version__,
        "CUDA": cupy.cuda.runtime.runtimeGetVersion(),
        "threads": os.cpu_count(),
    }
    print(json.dumps(about), flush=True)
    lines = []
    for name in options.sets:
        lines.append(measure(name, split(name), not options.no_cpu, options.svc))
        print(json.dumps(lines[-1], default=float), flush=True)
    print(table(COLUMNS, lines))


if __name__ == "__main__":
    main()
