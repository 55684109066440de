"""The search for C and γ against others: `make bench-search`.

One thread, 8 values of C, 6 of γ, 5 folds; times include the fit of the chosen point to all
training rows. What is measured is kept in a file at once, and not measured again. With `--seconds`
a run ends after so many, and the next run goes on; the times of searches of which only a part was
measured are then estimated from it, and the table says how large it was.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.search.methods import METHODS
from benchmarks.search.tasks import DATA, task
from benchmarks.shared.output import FOLDER, about_machine, heading, log, table, write_json

REFERENCE = "GridSearchCV(SVC)"
COLUMNS = [
    ("data set", "data", "{}"),
    ("method", "method", "{}"),
    ("measured", "parts", "{:.0%}"),
    ("seconds", "seconds", "{:.3g}"),
    ("× GridSearchCV(SVC)", "ratio", "{:.1f}"),
    ("test accuracy %", "accuracy", "{:.2f}"),
    ("C", "C", "{:.3g}"),
    ("γ", "gamma", "{:.3g}"),
    ("its score there", "score", "{:.2f}"),
    ("same points differ by", "difference", "{:.3f}"),
]


def measure(name, methods, file, deadline):
    """Measure what is not in the file yet."""
    this = None
    for method in methods:
        known = read(file)
        done = known["lines"].setdefault(f"{name}: {method}", {})
        if done.get("complete"):
            continue
        if perf_counter() > deadline:
            return
        this = this or task(name)
        begin = perf_counter()
        try:
            for found in METHODS[method](this, done, deadline):
                done.update(found)
                write_json(file, known)
            done["complete"] = done.get("parts") == 1.0 and "seconds" in done
        except ImportError:
            done.update(failed="not installed", complete=True)
        write_json(file, known)
        log(f"{name}, {method}: {perf_counter() - begin:.1f} s")


def read(file):
    """What was measured before."""
    if not file.exists():
        return {**about_machine(), "lines": {}}
    return json.loads(file.read_text())


def shown(known, data):
    """The lines of the table, with all that compares methods."""
    lines = []
    for name in data:
        svc = known["lines"].get(f"{name}: {REFERENCE}", {})
        for method in METHODS:
            line = known["lines"].get(f"{name}: {method}")
            if line and ("seconds" in line or "failed" in line):
                lines.append({"data": name, "method": method, **line, **compared(line, svc)})
    return lines


def compared(line, svc):
    """The line beside that of SVC's grid, on the folds that were measured there."""
    found = dict(line.get("chosen", {}))
    if "seconds" in svc and "seconds" in line:
        found["ratio"] = svc["seconds"] / line["seconds"]
    if "scores" not in svc or "scores" not in line:
        return found
    mine, theirs = (100 * np.array(each["scores"], dtype=float) for each in (line, svc))
    both = ~np.isnan(theirs).all(axis=0)
    with warnings.catch_warnings(action="ignore"):
        mine = np.where(np.isnan(theirs), np.nan, mine)
        finished = ~np.isnan(np.array(line["scores"], dtype=float)).any(axis=0)
        difference = np.nanmean(mine, axis=0) - np.nanmean(theirs, axis=0)
        reached = np.where(both & finished, np.nanmean(mine, axis=0), -np.inf)
    if (both & finished).any():
        found["difference"] = float(np.abs(difference)[both & finished].max())
        found["score"] = float(reached.max())
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=DATA, choices=DATA)
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--seconds", type=float, default=np.inf, help="to measure for")
    parser.add_argument("--json", type=Path, default=FOLDER / "search.json")
    arguments = parser.parse_args()
    deadline = perf_counter() + arguments.seconds
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        for name in arguments.data:
            measure(name, arguments.methods, arguments.json, deadline)
    known = read(arguments.json)
    lines = known.pop("lines")
    print(f"{heading(known)}\n\n{table(COLUMNS, shown({'lines': lines}, arguments.data))}")


if __name__ == "__main__":
    main()
