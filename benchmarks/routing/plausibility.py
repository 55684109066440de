"""How well estimates of plausibility hold: `python -m benchmarks.routing.plausibility`.

An estimate gives, for a machine and a class, the range in which all but a share θ of further
values of that class should lie. The first table has the share of pairs of a test row and a machine
not trained on the row's class whose value lies outside the range of that class, divided by θ. Above
1, right classes are dropped more often than θ; below 1, more machines are evaluated than necessary.
The second table has accuracy and kernel evaluations of elimination with these ranges and the
shortlist of "auto", where there is one. One split of each set with at most 150 classes; and with
few rows, 5, 10 or 20 of each class, means of several draws, without the second table.
"""

from __future__ import annotations

import argparse
from copy import copy
from pathlib import Path
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

import dcsvm
from benchmarks.routing.estimates import BY_CLASS, WIDENED, levels_of, ranges
from benchmarks.routing.few_rows import FRESH, LARGE, ROWS, few_rows
from benchmarks.routing.few_rows import SETS as SETS_OF_FEW_ROWS
from benchmarks.routing.problems import DATA, load_split
from benchmarks.routing.tables import THETAS
from benchmarks.shared.output import FOLDER, log, table, write_json
from dcsvm.routing.elimination.rounds import Elimination

SETS = [n for n in DATA if n not in ("omniglot8_21x21", "gaussian400", "gaussian1000")]
ESTIMATES = [*BY_CLASS, *WIDENED]
# Training rows of a class that the estimates use, and test rows.
ROWS_OF_CLASS = 400
TEST_ROWS = 1000
COST_ROWS = 500
# With few rows: sets, and test rows of a class.
FEW = [name for name in (*SETS_OF_FEW_ROWS, *FRESH) if name != LARGE]
TEST_ROWS_OF_CLASS = 20

MISS_COLUMNS = [
    ("data set", "data", "{}"),
    ("k", "classes", "{}"),
    ("rows of a class", "rows", "{:.0f}"),
    ("θ %", "percent", "{:g}"),
    *((name, name, "{:.2f}") for name in ESTIMATES),
]
COLUMNS = [
    ("data set", "data", "{}"),
    ("θ %", "percent", "{:g}"),
    ("vote %", "vote", "{:.2f}"),
    *((f"{name} %", f"{name} accuracy", "{:.2f}") for name in ESTIMATES),
    *((f"{name}, evaluations", f"{name} evaluations", "{:.0f}") for name in ESTIMATES),
]


def values_at(clf, X):
    """The values of all machines at the rows of X, shape (n_rows, n_machines)."""
    return np.array(clf.machines_.all_values(clf.machines_.prepare(X), 0, len(X)))


def outside(clf, low, high, X, y):
    """Share of (row, machine not trained on its class) outside the range of the row's class."""
    n_outside = n_pairs = 0
    pairs = clf.table_.pairs
    for c in np.unique(y):
        others = (pairs != c).all(axis=1)
        values = values_at(clf, X[y == c])[:, others]
        missed = (values < low[others, c]) | (values > high[others, c])
        n_outside += missed.sum()
        n_pairs += missed.size
    return n_outside / n_pairs


def with_levels(clf, levels, theta):
    """The same classifier with other levels of plausibility."""
    other = copy(clf)
    other._route = Elimination(levels, clf.shortlist_.at(theta))
    return other


def fitted_to(problem):
    """A classifier, and the values of all machines at the rows of each class, sorted."""
    # table_rows gives the estimate of the library as many rows as the others.
    clf = dcsvm.DCSVC(**problem.parameters, table_rows=ROWS_OF_CLASS, random_state=0, n_jobs=1)
    clf.fit(problem.X_train, problem.y_train)
    by_class = []
    for c in clf.classes_:
        rows = np.unique(problem.X_train[problem.y_train == c], axis=0)
        rows = np.random.default_rng(0).permutation(rows)[:ROWS_OF_CLASS]
        by_class.append(np.sort(values_at(clf, rows), axis=0))
    return clf, by_class


def lines_of(name, quick):
    """A line for every θ."""
    problem = load_split(name, 0, quick, TEST_ROWS)
    X, y = problem.X_test, problem.y_test
    clf, by_class = fitted_to(problem)
    vote = dcsvm.OneVsOneSVC.from_machines(clf).predict(X)
    lines = []
    for theta in THETAS:
        line = {"data": name, "classes": problem.n_classes, "theta": theta, "percent": 100 * theta}
        line |= {"rows": np.mean([len(v) for v in by_class]), "vote": 100 * np.mean(vote == y)}
        for estimate in ESTIMATES:
            low, high = ranges(estimate, clf.table_, by_class, theta)
            line[estimate] = outside(clf, low, high, X, y) / theta
            if clf.shortlist_ is not None:
                ours = with_levels(clf, levels_of(low, high, clf.table_), theta)
                line[f"{estimate} accuracy"] = 100 * np.mean(ours.predict(X) == y)
                cost = ours.decision_cost(X[:COST_ROWS])
                line[f"{estimate} evaluations"] = cost.kernel_evaluations.mean()
        lines.append(line)
    return lines


def lines_with_few_rows(name, n_rows, draws):
    """The same without accuracy and cost, means of several draws of the training rows."""
    found = {(theta, estimate): [] for theta in THETAS for estimate in ESTIMATES}
    for draw in range(draws):
        problem = few_rows(name, n_rows, draw, test_rows=None)
        if problem is None:
            return []
        clf, by_class = fitted_to(problem)
        codes = np.searchsorted(clf.classes_, problem.y_test)
        place = np.argsort(codes, kind="stable")
        rank = np.arange(len(codes)) - np.searchsorted(codes[place], codes[place])
        chosen = place[rank < TEST_ROWS_OF_CLASS]
        X, y = problem.X_test[chosen], codes[chosen]
        for theta, estimate in found:
            low, high = ranges(estimate, clf.table_, by_class, theta)
            found[theta, estimate].append(outside(clf, low, high, X, y) / theta)
    about = {"data": name, "classes": problem.n_classes, "rows": n_rows}
    return [
        {**about, "theta": theta, "percent": 100 * theta}
        | {estimate: float(np.mean(found[theta, estimate])) for estimate in ESTIMATES}
        for theta in THETAS
    ]


def means(lines):
    """Over the sets, a line for every θ."""
    out = []
    for theta in THETAS:
        chosen = [line for line in lines if line["theta"] == theta]
        keys = dict.fromkeys(key for line in chosen for key in line)
        numbers = [key for key in keys if key not in ("data", "theta", "classes", "rows")]
        mean = {k: np.mean([line[k] for line in chosen if k in line]) for k in numbers}
        out.append({**mean, "data": "**mean**"})
    return out


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="*", choices=[*SETS, *FEW], help="default: all")
    parser.add_argument("--quick", action="store_true", help="40 rows of each class at most")
    parser.add_argument("--draws", type=int, default=4, help="of few rows")
    parser.add_argument("--json", type=Path, default=FOLDER / "plausibility.json")
    arguments = parser.parse_args()
    chosen = arguments.data or [*SETS, *FEW]
    lines, few = [], []
    with threadpool_limits(1):
        for name in dict.fromkeys(chosen):
            begin = perf_counter()
            if name in SETS:
                lines += lines_of(name, arguments.quick)
            for n_rows in ROWS if name in FEW else ():
                few += lines_with_few_rows(name, n_rows, arguments.draws)
            log(f"{name}: {perf_counter() - begin:.0f} s")
            write_json(arguments.json, [*lines, *few])
    print(f"Share outside, divided by θ\n\n{table(MISS_COLUMNS, [*lines, *means(lines)])}\n")
    print(f"With few rows\n\n{table(MISS_COLUMNS, [*few, *means(few)])}\n")
    print(f"Elimination with a shortlist\n\n{table(COLUMNS, [*lines, *means(lines)])}")


if __name__ == "__main__":
    main()
