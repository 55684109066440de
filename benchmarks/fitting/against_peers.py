"""Training against other libraries: `make bench-fit`.

Seconds of the whole fit, the shortest of several, and for DCSVC of its stages: machines, table,
shortlist, and decision structure where there is one. Memory is the peak during a fit, less what
the data and the loaded libraries take. A fit that takes too long is stopped.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

from benchmarks.fitting.processes import OWN, measure
from benchmarks.shared.output import FOLDER, about_machine, heading, log, table, write_json
from benchmarks.shared.peers import TRAINERS, versions
from benchmarks.shared.problems import load

DATA = [
    "letter",
    "usps",
    "poker",
    "mnist",
    "clinc150_lsa128",
    "sensorless_2200",
    "covertype",
    "caltech101_silhouettes28",
]
COLUMNS = [
    ("data set", "data", "{}"),
    ("method", "method", "{}"),
    ("threads", "threads", "{}"),
    ("fit s", "seconds", "{:.3f}"),
    ("× SVC", "ratio", "{:.2f}"),
    ("machines s", "train", "{:.3f}"),
    ("table s", "table", "{:.3f}"),
    ("shortlist s", "choose_shortlist", "{:.3f}"),
    ("structure s", "grow_along", "{:.3f}"),
    ("memory MB", "memory", "{:.0f}"),
    ("support vectors", "support_vectors", "{:.0f}"),
    ("accuracy %", "accuracy", "{:.2f}"),
]


def add_ratios(lines):
    """SVC's seconds over those of each line."""
    svc = lines[0].get("seconds")
    for line in lines:
        if svc and "seconds" in line:
            line["ratio"] = svc / line["seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=DATA, choices=DATA)
    parser.add_argument("--rows", type=int, default=2000, help="most test rows of a set")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each method")
    parser.add_argument("--skip", nargs="*", default=[], help="peers to leave out")
    parser.add_argument("--json", type=Path, default=FOLDER / "fit.json")
    arguments = parser.parse_args()
    peers = [name for name in TRAINERS if name == "SVC" or name not in arguments.skip]
    own = [(name, threads) for name in OWN for threads in (1, 2)]
    methods = [*((name, 1) for name in peers), *own]
    lines = []
    for name in arguments.data:
        begin = perf_counter()
        here = measure(load(name, arguments.rows), methods, arguments.rounds)
        add_ratios(here)
        lines += here
        log(f"{name}: {perf_counter() - begin:.0f} s")
    about = {**about_machine(), "versions": versions(TRAINERS)}
    write_json(arguments.json, {**about, "lines": lines})
    print(f"{heading(about)}\n\n{table(COLUMNS, lines)}")


if __name__ == "__main__":
    main()
