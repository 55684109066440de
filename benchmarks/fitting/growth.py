"""Growth of the seconds of a fit with rows and with classes: second part of `make bench-fit`.

Rows grow on covertype, up to 100,000, and classes, with their rows, on clinc150. The parameters
stay those of the whole set. SVC is stopped after two minutes. An exponent is the slope of the
logarithm of the seconds by least squares.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.fitting.processes import measure
from benchmarks.shared.output import FOLDER, log, table, write_json
from benchmarks.shared.problems import load

ROWS = [1_250, 2_500, 5_000, 10_000, 20_000, 50_000, 100_000]
CLASSES = [19, 38, 75, 150]
METHODS = [("SVC", 1), ("DCSVC", 1)]
# Columns for which an exponent is fitted.
SECONDS = [
    ("SVC", "svc"),
    ("DCSVC", "dcsvc"),
    ("machines", "train"),
    ("table", "table"),
    ("shortlist", "choose_shortlist"),
]
COLUMNS = [
    ("data set", "data", "{}"),
    ("rows", "rows", "{}"),
    ("classes", "classes", "{}"),
    *((f"{title} s", key, "{:.3f}") for title, key in SECONDS[:2]),
    ("× SVC", "ratio", "{:.2f}"),
    *((f"{title} s", key, "{:.3f}") for title, key in SECONDS[2:]),
    ("SVC stopped", "stopped", "{}"),
    ("SVC %", "svc_accuracy", "{:.2f}"),
    ("DCSVC %", "dcsvc_accuracy", "{:.2f}"),
]
EXPONENT_COLUMNS = [
    ("data set", "data", "{}"),
    ("exponent of", "growing", "{}"),
    *((title, key, "{:.2f}") for title, key in SECONDS),
]


def with_rows(problem, n_rows):
    """The problem with fewer training rows, drawn by class."""
    if n_rows == len(problem.y_train):
        return problem
    rows, _ = train_test_split(
        np.arange(len(problem.y_train)),
        train_size=n_rows,
        stratify=problem.y_train,
        random_state=0,
    )
    return replace(problem, X_train=problem.X_train[rows], y_train=problem.y_train[rows])


def with_classes(problem, n_classes):
    """The problem with fewer classes; a larger problem contains the classes of a smaller one."""
    chosen = np.random.default_rng(0).permutation(problem.n_classes)[:n_classes]
    train, test = np.isin(problem.y_train, chosen), np.isin(problem.y_test, chosen)
    _, codes = np.unique(problem.y_train[train], return_inverse=True)
    return replace(
        problem,
        X_train=problem.X_train[train],
        y_train=codes,
        X_test=problem.X_test[test],
        y_test=np.searchsorted(np.sort(chosen), problem.y_test[test]),
    )


def growth_line(problem, rounds):
    """Both methods on a problem of one size."""
    svc, dcsvc = measure(problem, METHODS, rounds)
    log(f"{problem.name}, {len(problem.y_train)} rows")
    line = {"data": problem.name, "rows": len(problem.y_train), "classes": problem.n_classes}
    failures = [f"{one['method']}: {one['failed']}" for one in (svc, dcsvc) if "failed" in one]
    if "failed" in dcsvc:
        return {**line, "failed": ", ".join(failures)}
    of_svc = {"stopped": svc.get("failed")}  # it may take too long
    if "failed" not in svc:
        ratio = svc["seconds"] / dcsvc["seconds"]
        of_svc = {"svc": svc["seconds"], "ratio": ratio, "svc_accuracy": svc["accuracy"]}
    return {
        **line,
        **{key: dcsvc[key] for _, key in SECONDS[2:]},
        "dcsvc": dcsvc["seconds"],
        "dcsvc_accuracy": dcsvc["accuracy"],
        **of_svc,
    }


def exponents(lines, growing):
    """The exponents of the seconds as powers of the rows or classes that grow."""
    lines = [line for line in lines if "failed" not in line]
    slopes = {}
    for _, key in SECONDS:
        known = [line for line in lines if key in line]
        sizes, seconds = (np.log([line[of] for line in known]) for of in (growing, key))
        slopes[key] = float(np.polyfit(sizes, seconds, 1)[0])
    return {"data": lines[0]["data"], "growing": growing, **slopes}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS, help="of covertype")
    parser.add_argument("--classes", type=int, nargs="*", default=CLASSES, help="of clinc150")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each method")
    parser.add_argument("--json", type=Path, default=FOLDER / "growth.json")
    arguments = parser.parse_args()
    covertype, clinc = load("covertype_100000", 2000), load("clinc150_lsa128")
    by_rows = [growth_line(with_rows(covertype, n), arguments.rounds) for n in arguments.rows]
    by_classes = [growth_line(with_classes(clinc, n), arguments.rounds) for n in arguments.classes]
    lines = by_rows + by_classes
    slopes = [exponents(by_rows, "rows"), exponents(by_classes, "classes")]
    write_json(arguments.json, {"lines": lines, "exponents": slopes})
    print(f"{table(COLUMNS, lines)}\n\n{table(EXPONENT_COLUMNS, slopes)}")


if __name__ == "__main__":
    main()
