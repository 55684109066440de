"""Rules of routing compared over the same machines: `make bench-routing`.

Random splits, three quarters for training; RBF, C = 10, γ of "scale", features standardised.
Machines are trained once per split; gaussian1000 has one split, and 2,000 test rows. Kernel
evaluations are the distinct ones of a row, the cost of the shortlist included; time is that of
`predict` per row of a batch, on one thread, the shortest of several. Percentages are of the
paper's rule at θ = 0.1 %.

A decision structure grows during the first prediction, which is not timed. A method whose first
prediction exceeds the limit is left out, on the later splits too.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

import dcsvm
from benchmarks.routing.problems import DATA, FRESH, LARGEST, SPLITS_OF_LARGEST, load_split
from benchmarks.routing.tables import DEFAULT, JSON, THETAS, means_of, report
from benchmarks.shared.output import about_machine, heading, log, write_json
from benchmarks.shared.timing import best_seconds

# With more classes, the structure of margin routing takes long to grow.
MOST_CLASSES_OF_MARGIN = 60
# With more, classifiers are too large to keep for a second measurement of their time.
MOST_CLASSES_KEPT = 500
# Rows predicted between two checks of the time limit.
ROWS_AT_ONCE = 32
QUICK_DATA = [name for name in DATA if name not in ("gaussian400", "gaussian1000")]


class Method(NamedTuple):
    """A family of rules and its θ, a number or "cost"; `rule` is given to `rethreshold`."""

    family: str
    theta: float | str | None = None
    rule: dict | None = None
    most_classes: int | None = None

    def of(self, clf):
        """The classifier, over the machines of a fitted one."""
        if self.family == "vote":
            return dcsvm.OneVsOneSVC.from_machines(clf)
        if self.family == "DAGSVM":
            return dcsvm.DAGSVC.from_machines(clf)
        theta = None if self.theta == "cost" else self.theta  # the fitted one has it
        return clf.rethreshold(theta=theta, **self.rule)


PAPER = {"routing": "sign", "criterion": "purity", "shortlist": None}
SIGN_BY_COST = {"routing": "sign", "criterion": "cost", "shortlist": None}
MARGIN = {"routing": "margin", "criterion": "cost", "shortlist": None}
SHORTLIST = {"routing": "margin", "criterion": "cost"}
METHODS = [
    Method("vote"),
    Method("DAGSVM"),
    *(Method("paper", theta, PAPER) for theta in (0.02, 0.01, 0.001)),
    Method("sign by cost", 0.001, SIGN_BY_COST),
    *(Method("margin", t, MARGIN, MOST_CLASSES_OF_MARGIN) for t in THETAS),
    *(Method("margin + shortlist", t, SHORTLIST) for t in (*THETAS, DEFAULT[1])),
]


def predict_within(clf, X, limit):
    """Predict in small parts, or raise TimeoutError once the limit is passed."""
    begin = perf_counter()
    parts = []
    for row in range(0, len(X), ROWS_AT_ONCE):
        parts.append(clf.predict(X[row : row + ROWS_AT_ONCE]))
        if perf_counter() - begin > limit:
            raise TimeoutError(f"left out: {row + ROWS_AT_ONCE} rows took {limit:.0f} s")
    return np.concatenate(parts)


def time_of(clf, X):
    """Microseconds per row."""
    return 1e6 * best_seconds(lambda: clf.predict(X), budget=0.5) / len(X)


def measure(method, clf, problem, cost_rows, limit):
    """The classifier of a method, and its accuracy, cost and time."""
    X, y = problem.X_test, problem.y_test
    try:
        begin = perf_counter()
        ours = method.of(clf)
        predicted = predict_within(ours, X, limit)
        first = perf_counter() - begin
    except TimeoutError as error:
        return None, {"failed": str(error)}
    cost = ours.decision_cost(X[:cost_rows])
    return ours, {
        "percent": 100 * getattr(ours, "theta_", np.nan),
        "accuracy": 100 * np.mean(predicted == y),
        "decisions": cost.decisions.mean(),
        "support_vectors": cost.support_vectors.mean(),
        "evaluations": cost.kernel_evaluations.mean(),
        "time": time_of(ours, X),
        "first_seconds": first,
    }


def measure_split(name, split, arguments, slow):
    """A line for every method on one split; `slow` collects those that exceeded the limit."""
    problem = load_split(name, split, arguments.quick, arguments.most_test_rows)
    begin = perf_counter()
    clf = dcsvm.DCSVC(**problem.parameters, n_jobs=arguments.threads)
    clf.fit(problem.X_train, problem.y_train).set_params(n_jobs=1)
    shortlist = "none" if clf.shortlist_ is None else clf.shortlist_.name
    log(f"{name}, split {split}: fitted in {perf_counter() - begin:.1f} s, shortlist {shortlist}")
    about = {"data": name, "split": split, "classes": problem.n_classes, "shortlist": shortlist}
    lines, again = [], []
    for method in METHODS:
        if method.most_classes is not None and problem.n_classes > method.most_classes:
            continue
        key = (name, method.family, method.theta)
        line = {**about, "method": method.family, "theta": method.theta}
        if key in slow:
            line["failed"] = slow[key]
        else:
            ours, found = measure(method, clf, problem, arguments.cost_rows, arguments.limit)
            line |= found
            if ours is not None and problem.n_classes <= MOST_CLASSES_KEPT:
                again.append((line, ours))
        if "failed" in line and key not in slow:
            slow[key] = line["failed"]
            log(f"{name}: {method.family} θ={method.theta}: {line['failed']}")
        lines.append(line)
    for line, ours in again:  # other processes may have slowed the first measurement
        line["time"] = min(line["time"], time_of(ours, problem.X_test))
    log(f"{name}, split {split}: {perf_counter() - begin:.0f} s in all")
    return lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="*", choices=[*DATA, *FRESH], help="default: all but fresh")
    parser.add_argument("--fresh", action="store_true", help="sets not used for any choice")
    parser.add_argument("--splits", type=int, help="random splits of each set; default: 5")
    parser.add_argument("--quick", action="store_true", help="one split, few rows, no large k")
    parser.add_argument("--most-test-rows", type=int, default=8000)
    parser.add_argument("--cost-rows", type=int, default=1000, help="rows whose cost is counted")
    parser.add_argument("--limit", type=float, default=120, help="seconds of a first prediction")
    parser.add_argument("--threads", type=int, default=2, help="of fit, whose time is not compared")
    parser.add_argument("--json", type=Path, default=JSON)
    arguments = parser.parse_args()
    every = QUICK_DATA if arguments.quick else DATA
    names = arguments.data or (FRESH if arguments.fresh else every)
    n_splits = arguments.splits or (1 if arguments.quick else 5)
    about = {**about_machine(), "splits": n_splits, "quick": arguments.quick}
    lines, slow = [], {}
    with threadpool_limits(1):
        for name in names:
            for split in range(SPLITS_OF_LARGEST if name == LARGEST else n_splits):
                lines += measure_split(name, split, arguments, slow)
                # Written as it grows: what is done is not lost.
                means = means_of(lines)
                write_json(arguments.json, {**about, "means": means, "lines": lines})
    print(f"{heading(about)}\n\n{report(means)}")


if __name__ == "__main__":
    main()
