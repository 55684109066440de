"""`dcsvm fit --tune`: C, γ and θ by `DCSVCCV`.

The search is over at most `MOST_ROWS` rows, drawn by class. θ is the cheapest that scores at most
`accuracy_tolerance` below the best.
"""

from __future__ import annotations

from inspect import signature
from typing import Any
from warnings import catch_warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, train_test_split

from dcsvm import DCSVCCV
from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.evaluation import always_largest, largest_share
from dcsvm.cli.training_data import TrainingTable
from dcsvm.estimators.needed_machines import MOST_CLASSES_FOR_ALL
from dcsvm.inspection import SearchMap

FOLDS = 5
MOST_ROWS = 10_000
SEARCHED = ("C", "gamma", "theta")
# DCSVCCV has a larger default: a search has more use for memory.
OWN_DEFAULTS = ("cache_size",)
# What is called otherwise here than in `theta_results_`.
THETA_COLUMNS = {
    "theta": "theta",
    "mean_test_score": "accuracy",
    "mean_decisions": "decisions",
    "mean_kernel_evaluations": "kernel_evaluations",
}


def tune(
    pipeline: Any, table: TrainingTable, given: set[str], seed: int, console: Console
) -> dict[str, Any]:
    """Set the parameters of the classifier that are not `given`, and return how they were found.

    Columns become numbers only once, by what all rows of the table say, those of test folds
    included: rows that judge the final model are not in this table.
    """
    classifier = pipeline[-1]
    n_folds = min(FOLDS, int(np.unique_counts(table.labels).counts.max()))
    if n_folds < 2:
        raise UserError("--tune needs a class with at least 2 rows.")
    rows = _drawn(table.labels, seed)
    found: dict[str, Any] = {
        "rows": len(rows),
        "largest_class_accuracy": largest_share(table.labels, table.weight),
        "chosen": {},
    }
    if not set(SEARCHED) <= given:
        search = _searched(pipeline, table, rows, given, n_folds, seed, console)
        found |= _found(search, given)
        classifier.set_params(**found["chosen"])
    _print_tuned(found, console)
    return found


def _searched(
    pipeline: Any,
    table: TrainingTable,
    rows: NDArray[np.int64],
    given: set[str],
    n_folds: int,
    seed: int,
    console: Console,
) -> DCSVCCV:
    """The fitted search over these rows."""
    if len(rows) < table.n_rows:
        console.note(f"--tune searches with {len(rows):,} of {table.n_rows:,} rows.")
    with console.progress("Columns", None):
        X = clone(pipeline[:-1]).fit_transform(table.X) if len(pipeline) > 1 else table.X
    search = _unfitted(pipeline[-1], given, len(np.unique(table.labels)))
    search.set_params(cv=StratifiedKFold(n_folds, shuffle=True, random_state=seed), refit=False)
    weight = None if table.weight is None else table.weight[rows]
    with (
        console.search_progress("Tuning"),
        catch_warnings(record=True, action="always") as caught,
    ):
        search.fit(X[rows], table.labels[rows], sample_weight=weight)
    for message in {str(warning.message) for warning in caught}:
        if "edge of the grid" in message:
            console.note(message)
    return search


def _drawn(labels: NDArray[Any], seed: int) -> NDArray[np.int64]:
    """The rows of the search, rising: all, or so many drawn by class."""
    every = np.arange(len(labels))
    if len(labels) <= MOST_ROWS:
        return every
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if counts.min() < 2 or len(counts) > MOST_ROWS:  # too few rows to draw by class
        drawn = np.random.default_rng(seed).choice(every, MOST_ROWS, replace=False)
    else:
        drawn, _ = train_test_split(every, train_size=MOST_ROWS, stratify=codes, random_state=seed)
    return np.sort(drawn)


def _unfitted(classifier: Any, given: set[str], n_classes: int) -> DCSVCCV:
    """A search over the parameters that are not given."""
    known = classifier.get_params(deep=False)
    taken = [
        name
        for name in signature(DCSVCCV).parameters
        if name in known and (name in given or name not in OWN_DEFAULTS)
    ]
    # Where only the machines needed are trained, a smaller θ needs more of them.
    trains_all = known["machines"] != "needed" and n_classes <= MOST_CLASSES_FOR_ALL
    tries_thetas = "theta" not in given and n_classes > 2 and trains_all
    return DCSVCCV(
        **{name: known[name] for name in taken},
        Cs=[known["C"]] if "C" in given else "auto",
        gammas=[known["gamma"]] if "gamma" in given else "auto",
        thetas="auto" if tries_thetas else None,
    )


def _found(search: DCSVCCV, given: set[str]) -> dict[str, Any]:
    """What was chosen, and its figures."""
    chosen = {name: value for name, value in search.best_params_.items() if name not in given}
    found: dict[str, Any] = {
        "accuracy": search.best_score_,
        "candidates": search.scores_[0].size,
        "folds": len(search.scores_),
        "search": SearchMap.of(search)._asdict(),
        "chosen": chosen,
    }
    if search.thetas is not None:
        columns = {THETA_COLUMNS[n]: values for n, values in search.theta_results_.items()}
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        found["thetas"] = [dict(zip(columns, row, strict=True)) for row in rows]
        at_it = next(one for one in found["thetas"] if one["theta"] == chosen["theta"])
        found["accuracy"] = at_it["accuracy"]
    return found


def _print_tuned(found: dict[str, Any], console: Console) -> None:
    chosen = ", ".join(f"{name}={value:g}" for name, value in found["chosen"].items())
    console.heading(f"Tuned: {chosen or 'all parameters were given'}")
    if "accuracy" in found:
        console.print(
            f"  accuracy in {found['folds']} folds of {found['rows']:,} rows: "
            f"{100 * found['accuracy']:.2f} % {always_largest(found['largest_class_accuracy'])}"
        )
    for theta in found.get("thetas", []):
        mark = "<" if theta["theta"] == found["chosen"]["theta"] else ""
        console.print(
            f"  θ {theta['theta']:<7g} accuracy {100 * theta['accuracy']:6.2f} %  "
            f"decisions {theta['decisions']:6.1f}  kernel evaluations "
            f"{theta['kernel_evaluations']:8,.0f} {mark}".rstrip()
        )
