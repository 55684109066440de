"""The default with few rows of each class: `python -m benchmarks.routing.few_rows`.

Five, ten or twenty rows of each class are drawn for training, and all others, at most 1,500, are
predicted; at most 160 classes are drawn, but of the Gaussian ones. RBF, C = 10, γ of "scale",
features standardised. Differences are means over the splits, in points, with their standard
errors; those within two of them may be chance. Kernel evaluations are the distinct ones of a row,
the scores of the shortlist included; percentages are of the paper's rule at θ = 0.1 %.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

import dcsvm
from benchmarks.routing.problems import stored_rows
from benchmarks.routing.rules import PAPER
from benchmarks.shared.output import FOLDER, about_machine, heading, log, table, write_json
from benchmarks.shared.problems import Problem, standardised

# Of the first, some were used to choose constants; of the second, none.
SETS = [
    "letter",
    "clinc150_lsa128",
    "caltech101_silhouettes28",
    "omniglot8_21x21",
    "aloi27",
    "digit_pairs",
]
FRESH = ["segmentation", "sensorless_2200", "krkopt", "ucr_fiftywords", "gaussian100"]
# Too large for the paper's rule, and for many splits.
LARGE = "gaussian400"
SPLITS_OF_LARGE = 3
ROWS = (5, 10, 20)
FEWEST_TEST_ROWS = 3
MOST_CLASSES, TEST_ROWS, COST_ROWS = 160, 1500, 400

COLUMNS = [
    ("data set", "data", "{}"),
    ("k", "classes", "{}"),
    ("rows of a class", "rows", "{}"),
    ("vote %", "vote", "{:.2f}"),
    ("default − vote", "to_vote", "{:+.2f}"),
    ("± error", "error", "{:.2f}"),
    ("paper − vote", "paper_to_vote", "{:+.2f}"),
    ("θ %", "percent", "{:.3g}"),
    ("decisions", "decisions", "{:.1f}"),
    ("kernel evaluations", "evaluations", "{:.0f}"),
    ("paper's", "paper_evaluations", "{:.0f}"),
    ("%", "share", "{:.0f}"),
]
KEYS = [key for _, key, _ in COLUMNS[3:] if key not in ("error", "share")]


def few_rows(name, n_rows, split, test_rows=TEST_ROWS):
    """A problem with so many training rows of each class, or None."""
    X, y = stored_rows(name)
    rng = np.random.default_rng([n_rows, split])
    names, counts = np.unique(y, return_counts=True)
    names = names[counts >= n_rows + FEWEST_TEST_ROWS]
    if name != LARGE:
        names = rng.permutation(names)[:MOST_CLASSES]
    drawn = [rng.permutation(np.flatnonzero(y == c)) for c in names]
    if not drawn:
        return None
    train = np.concatenate([rows[:n_rows] for rows in drawn])
    test = rng.permutation(np.concatenate([rows[n_rows:] for rows in drawn]))[:test_rows]
    X_train, X_test, y_train, y_test = standardised((X[train], X[test], y[train], y[test]))
    gamma = 1.0 / (X_train.shape[1] * X_train.var())
    X_train, X_test = map(np.ascontiguousarray, (X_train, X_test))
    return Problem(name, X_train, y_train, X_test, y_test, 10.0, float(gamma))


def measure(problem):
    """The default, the vote and the paper's rule on one split."""
    X, y = problem.X_test, problem.y_test
    clf = dcsvm.DCSVC(**problem.parameters, n_jobs=1).fit(problem.X_train, problem.y_train)
    vote = 100 * dcsvm.OneVsOneSVC.from_machines(clf).score(X, y)
    cost = clf.decision_cost(X[:COST_ROWS])
    line = {
        "vote": vote,
        "to_vote": 100 * clf.score(X, y) - vote,
        "percent": 100 * clf.theta_,
        "decisions": cost.decisions.mean(),
        "evaluations": cost.kernel_evaluations.mean(),
    }
    if problem.name != LARGE:
        paper = clf.rethreshold(theta=0.001, **PAPER)
        X, y = X[:COST_ROWS], y[:COST_ROWS]
        evaluations = paper.decision_cost(X).kernel_evaluations.mean()
        vote = 100 * dcsvm.OneVsOneSVC.from_machines(clf).score(X, y)
        line |= {"paper_to_vote": 100 * paper.score(X, y) - vote, "paper_evaluations": evaluations}
    return line


def mean_of(splits):
    """The mean of the splits of a set, with the standard error of the difference."""
    mean = {key: float(np.mean([s[key] for s in splits])) for key in KEYS if key in splits[0]}
    if len(splits) > 1:
        spread = np.std([s["to_vote"] for s in splits], ddof=1)
        mean["error"] = float(spread / np.sqrt(len(splits)))
    if "paper_evaluations" in mean:
        mean["share"] = 100 * mean["evaluations"] / mean["paper_evaluations"]
    return mean


def summaries(lines):
    """Means and worst, and the share of all kernel evaluations taken together."""
    paper = [line for line in lines if "share" in line]
    mean = {
        "data": "**mean**",
        "to_vote": np.mean([line["to_vote"] for line in lines]),
        "paper_to_vote": np.mean([line["paper_to_vote"] for line in paper]),
        "share": np.mean([line["share"] for line in paper]),
    }
    worst = {
        "data": "**worst**",
        "to_vote": min(line["to_vote"] for line in lines),
        "paper_to_vote": min(line["paper_to_vote"] for line in paper),
        "share": max(line["share"] for line in paper),
    }
    total = {key: sum(line[key] for line in paper) for key in ("evaluations", "paper_evaluations")}
    share = 100 * total["evaluations"] / total["paper_evaluations"]
    return [mean, worst, {"data": "**sum**", **total, "share": share}]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    every = [*SETS, *FRESH, LARGE]
    parser.add_argument("--data", nargs="*", choices=every, default=every)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--json", type=Path, default=FOLDER / "few_rows.json")
    arguments = parser.parse_args()
    about = {**about_machine(), "splits": arguments.splits}
    lines = []
    with threadpool_limits(1):
        for name in arguments.data:
            begin = perf_counter()
            n_splits = min(arguments.splits, SPLITS_OF_LARGE if name == LARGE else 1000)
            for n_rows in ROWS:
                problems = [few_rows(name, n_rows, split) for split in range(n_splits)]
                if problems[0] is None:
                    continue
                about_set = {"data": name, "classes": problems[0].n_classes, "rows": n_rows}
                lines.append({**about_set, **mean_of([measure(p) for p in problems])})
                write_json(arguments.json, {**about, "lines": lines})
            log(f"{name}: {perf_counter() - begin:.0f} s")
    print(f"{heading(about)}\n\n{table(COLUMNS, [*lines, *summaries(lines)])}")


if __name__ == "__main__":
    main()
