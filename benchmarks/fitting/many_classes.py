"""Thousands of classes with `DCSVC(machines="needed")`: `make bench-classes`.

Gaussian classes as in benchmarks/routing/problems.py, with 50 rows each: far apart (27 features),
and overlapping (8 features). And aloi27 at all its classes with at least two rows. Each problem is
measured in a process of its own, on one thread. The vote is that of all machines up to
`MOST_FOR_VOTE` classes; beyond, for each of some test rows, that of all machines among the classes
with the nearest means.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.routing import problems
from benchmarks.shared.output import FOLDER, about_machine, heading, log, table, write_json
from benchmarks.shared.problems import Problem, read, standardised
from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.data.some_pairs import SomePairs
from dcsvm.estimators.voting import count_votes
from dcsvm.machines.pairwise import PairwiseMachines

FAR, NEAR = 27, 8  # features
ROWS_PER_CLASS = 50
CLASSES = [300, 1000, 3000, 10_000]
MOST_FOR_VOTE = 1000
MOST_TEST_ROWS = 10_000
# Test rows of the vote, and beyond MOST_FOR_VOTE classes those, and classes for each.
VOTED_ROWS = 2000
VOTED_ROWS_AMONG, VOTED_CLASSES = 300, 20
COLUMNS = [
    ("data set", "data", "{}"),
    ("classes", "classes", "{}"),
    ("rows", "rows", "{}"),
    ("fit s", "fit", "{:.1f}"),
    ("memory MB", "memory", "{:.0f}"),
    ("machines", "machines", "{}"),
    ("a class", "partners", "{:.0f}"),
    ("predict µs a row", "predict", "{:.0f}"),
    ("decisions", "decisions", "{:.1f}"),
    ("missed %", "missed", "{:.2f}"),
    ("scores alone %", "scores", "{:.2f}"),
    ("accuracy %", "accuracy", "{:.2f}"),
    ("rows of the vote", "voted", "{}"),
    ("accuracy % there", "accuracy_there", "{:.2f}"),
    ("vote %", "vote", "{:.2f}"),
]


def load(name):
    """A problem by the name that the table gives it."""
    if name == "aloi27":
        return aloi27()
    kind, k = name.rsplit(" ", 1)
    problems.GAUSSIAN[int(k)] = (FAR if kind == "far" else NEAR, ROWS_PER_CLASS)
    return problems.load_split(f"gaussian{k}", 0)


def aloi27():
    """All classes with two rows or more; a quarter of the rows of each, rounded down, to test."""
    X, labels, _ = read("aloi27")
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    X, codes = X[(counts >= 2)[codes]], codes[(counts >= 2)[codes]]
    _, y = np.unique(codes, return_inverse=True)
    order = np.random.default_rng(0).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    start = np.searchsorted(y[order], np.arange(y.max() + 2))
    rank = np.arange(len(y)) - start[y[order]]
    is_test = rank < np.diff(start)[y[order]] // 4
    train, test = order[~is_test], order[is_test]
    X_train, X_test, y_train, y_test = standardised((X[train], X[test], y[train], y[test]))
    X_train, X_test = (np.ascontiguousarray(x, dtype=np.float64) for x in (X_train, X_test))
    gamma = 1.0 / (X_train.shape[1] * X_train.var())
    return Problem("aloi27", X_train, y_train, X_test, y_test, 10.0, float(gamma))


def measured(problem):
    """Fit, predict, and compare with a vote."""
    k = problem.n_classes
    drawn = np.random.default_rng(0).permutation(len(problem.y_test))[:MOST_TEST_ROWS]
    X, y = problem.X_test[drawn], problem.y_test[drawn]
    clf = DCSVC(machines="needed", **problem.parameters)
    start = process_time()
    clf.fit(problem.X_train, problem.y_train)
    fitted = process_time()
    labels, decisions = clf.predict_with_decisions(X)
    predicted = process_time()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    scored = clf.shortlist_.scores(X, clf.machines_).argmax(axis=1)
    voted = VOTED_ROWS if k <= MOST_FOR_VOTE else VOTED_ROWS_AMONG
    vote = vote_of_all if k <= MOST_FOR_VOTE else vote_among_nearest
    votes = vote(problem, clf, X[:voted])
    return {
        "classes": k,
        "rows": len(problem.y_train),
        "fit": fitted - start,
        "memory": memory,
        "machines": clf.machines_.n_machines,
        "partners": 2 * clf.machines_.n_machines / k,
        "predict": (predicted - fitted) / len(y) * 1e6,
        "decisions": decisions.mean(),
        "missed": 100 * clf.missed_,
        "scores": 100 * np.mean(scored == y),
        "accuracy": 100 * np.mean(labels == y),
        "voted": len(votes),
        "accuracy_there": 100 * np.mean(labels[:voted] == y[:voted]),
        "vote": 100 * np.mean(votes == y[:voted]),
    }


def vote_of_all(problem, clf, X):
    """The vote of the machines of all pairs."""
    return OneVsOneSVC(**problem.parameters).fit(problem.X_train, problem.y_train).predict(X)


def vote_among_nearest(problem, clf, X):
    """The vote of all machines among the classes with the means nearest to each row."""
    k = problem.n_classes
    means = np.zeros((k, X.shape[1]))
    np.add.at(means, problem.y_train, problem.X_train)
    means /= np.bincount(problem.y_train)[:, np.newaxis]
    squares = (means**2).sum(axis=1) - 2 * X @ means.T
    nearest = np.sort(np.argpartition(squares, VOTED_CLASSES, axis=1)[:, :VOTED_CLASSES], axis=1)
    first, second = np.triu_indices(VOTED_CLASSES, 1)
    pairs = SomePairs(k, np.stack([nearest[:, first], nearest[:, second]], axis=2).reshape(-1, 2))
    machines = trained(problem, clf, pairs)
    query = machines.prepare(X)
    votes = []
    for r, classes in enumerate(nearest):
        machine = machines.machine_of(classes[first], classes[second]).astype(np.int32)
        values = machines.values(query, np.full(len(machine), r), machine)
        counted = count_votes(values[np.newaxis], np.column_stack([first, second]), VOTED_CLASSES)
        votes.append(classes[counted[0].argmax()])
    return np.array(votes)


def trained(problem, clf, pairs) -> PairwiseMachines:
    """The machines of these pairs, as `clf` trains them."""
    data = clf._training_data(problem.X_train, problem.y_train, None, owner=clf)
    data.progress.begin(pairs.of_machine)
    return clf._train(data, pairs)


def exponents(lines):
    """The slope of the logarithm of the seconds of a fit, by classes, from 1,000 classes on."""
    out = []
    for kind in ("far", "near"):
        of_kind = [one for one in lines if one["data"].startswith(kind) and one["classes"] >= 1000]
        if len(of_kind) > 1:
            k, s = np.log([[one["classes"], one["fit"]] for one in of_kind]).T
            out.append({"data": kind, "exponent": np.polyfit(k, s, 1)[0]})
    return out


def in_process(name):
    """The line of a problem, measured in another process."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.fitting.many_classes"]
    run = subprocess.run([*command, "--only", name], capture_output=True, text=True)
    if run.returncode:
        last_line = run.stderr.strip().splitlines()[-1:]
        return {"data": name, "failed": f"exit code {run.returncode} {' '.join(last_line)}"[:80]}
    return {"data": name, **json.loads(run.stdout)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, nargs="*", default=CLASSES, help="of the Gaussians")
    parser.add_argument("--only", help="measure one problem in this process")
    parser.add_argument("--json", type=Path, default=FOLDER / "many_classes.json")
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(measured(load(arguments.only)), default=float))
        return
    names = [f"{kind} {k}" for kind in ("far", "near") for k in arguments.classes]
    lines = []
    for name in [*names, "aloi27"]:
        lines.append(in_process(name))
        log(f"{name}: {lines[-1]}")
    about, slopes = about_machine(), exponents(lines)
    write_json(arguments.json, {"about": about, "lines": lines, "exponents": slopes})
    print(f"{heading(about)}\n\n{table(COLUMNS, lines)}\n")
    for slope in slopes:
        print(f"Exponent of the seconds of a fit, {slope['data']}: {slope['exponent']:.2f}")


if __name__ == "__main__":
    main()
