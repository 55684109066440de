"""`dcsvm fit --tune`: C and gamma by successive halving, then θ without training again.

Many candidates are tried on few rows, the best third on three times as many, and so on. They are
compared by the accuracy of one-versus-one, which every θ approximates, and which needs no
All-Predictions table. θ changes nothing in the machines, so that all its values share one fit of
the best candidate. Accuracy alone would always favour the smallest θ: chosen is the cheapest one
that is less accurate than the best by no more than `accuracy_tolerance`.
"""

from __future__ import annotations

from itertools import count
from math import ceil
from typing import Any
from warnings import catch_warnings

import numpy as np
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingGridSearchCV, StratifiedKFold

from dcsvm import OneVsOneSVC
from dcsvm.cli.console import Advance, Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.evaluation import always_largest, largest_share
from dcsvm.cli.training_data import TrainingTable
from dcsvm.estimators.theta_search import THETAS

CS = [0.3, 1.0, 3.0, 10.0, 30.0, 100.0]
# Times gamma="scale".
GAMMAS = [1 / 9, 1 / 3, 1.0, 3.0, 9.0]
FACTOR = 3
FOLDS = 3
# Fewer rows than these in the first round would save nothing, or not tell candidates apart.
MIN_ROWS = 500
MIN_ROWS_PER_CLASS = 10
# The mean cost of so many rows is close enough to that of all.
ROWS_TO_COUNT = 500


def tune(
    pipeline: Any, table: TrainingTable, given: set[str], seed: int, console: Console
) -> dict[str, Any]:
    """Set the parameters of the classifier that are not `given`, and return how they were found.

    Columns become numbers only once, by what all rows of the table say, those of test folds
    included: rows that judge the final model are not in this table.
    """
    classifier = pipeline[-1]
    if np.unique_counts(table.labels).counts.max() < FOLDS:
        raise UserError(f"--tune needs a class with at least {FOLDS} rows.")
    with console.progress("Columns", None):
        X = clone(pipeline[:-1]).fit_transform(table.X) if len(pipeline) > 1 else table.X
    chosen: dict[str, Any] = {}
    found: dict[str, Any] = {
        "rows": table.n_rows,
        "largest_class_accuracy": largest_share(table.labels, table.weight),
    }
    if grid := _grid(X, classifier, given):
        results = _search(X, table, classifier, grid, seed, console)
        in_last_round = results["iter"] == results["iter"].max()
        best = np.argmax(np.where(in_last_round, results["mean_test_score"], -np.inf))
        chosen.update(results["params"][best])
        found["accuracy"] = float(results["mean_test_score"][best])
        found["candidates"] = len(results["params"])
    classifier.set_params(**chosen)
    if "theta" not in given and len(np.unique(table.labels)) > 2:
        found["thetas"] = _try_thetas(X, table, classifier, seed, console)
        theta = _cheapest(found["thetas"], classifier.accuracy_tolerance)
        chosen["theta"] = theta["theta"]
        found["accuracy"] = theta["accuracy"]
        classifier.set_params(theta=theta["theta"])
    found["chosen"] = chosen
    _print_tuned(found, console)
    return found


def _grid(X: Any, classifier: Any, given: set[str]) -> dict[str, list[float]]:
    grid = {}
    if "C" not in given:
        grid["C"] = CS
    if "gamma" not in given and classifier.kernel != "linear":
        mean = X.mean()
        variance = float(X.multiply(X).mean() - mean**2) if hasattr(X, "multiply") else X.var()
        scale = 1.0 / (X.shape[1] * variance) if variance else 1.0
        grid["gamma"] = [float(f"{scale * factor:.3g}") for factor in GAMMAS]
    return grid


def _search(
    X: Any, table: TrainingTable, classifier: Any, grid: Any, seed: int, console: Console
) -> dict[str, Any]:
    """The results of successive halving, as `HalvingGridSearchCV` has them."""
    n, k = table.n_rows, len(np.unique(table.labels))
    first_rows = min(n, max(MIN_ROWS, MIN_ROWS_PER_CLASS * k))
    n_candidates = int(np.prod([len(values) for values in grid.values()]))
    n_fits = FOLDS * _n_trials(n, first_rows, n_candidates)
    shared = {name: getattr(classifier, name) for name in OneVsOneSVC().get_params(deep=False)}
    with console.progress("Tuning", n_fits, "fits") as advance, catch_warnings(action="ignore"):
        search = HalvingGridSearchCV(
            OneVsOneSVC(**shared),
            grid,
            factor=FACTOR,
            min_resources=first_rows,
            cv=StratifiedKFold(FOLDS, shuffle=True, random_state=seed),
            scoring=_accuracy_with_progress(advance),
            random_state=seed,
            refit=False,
            error_score=0.0,
            return_train_score=False,
        )
        weights = {} if table.weight is None else {"sample_weight": table.weight}
        search.fit(X, table.labels, **weights)
    return search.cv_results_  # type: ignore[no-any-return]


def _n_trials(n: int, n_rows: int, n_candidates: int) -> int:
    """The number of candidates in all rounds together."""
    if n_rows > n:
        return 0
    if n_candidates <= 1:
        return n_candidates
    return n_candidates + _n_trials(n, n_rows * FACTOR, ceil(n_candidates / FACTOR))


def _accuracy_with_progress(advance: Advance) -> Any:
    counter = count(1)

    def accuracy(estimator: Any, X: Any, y: Any) -> float:
        advance(next(counter))
        return float(estimator.score(X, y))

    return accuracy


def _try_thetas(
    X: Any, table: TrainingTable, classifier: Any, seed: int, console: Console
) -> list[dict[str, float]]:
    """Accuracy and cost by cross-validation at each θ, with one fit per fold for all of them."""
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    figures: dict[float, list[Any]] = {theta: [] for theta in THETAS}
    with console.progress("Trying θ", FOLDS, "fits") as advance, catch_warnings(action="ignore"):
        for fold, (train, test) in enumerate(splitter.split(X, table.labels)):
            weight = None if table.weight is None else table.weight[train]
            fitted = clone(classifier).fit(X[train], table.labels[train], sample_weight=weight)
            # Where only the machines needed are trained, a smaller θ needs more of them.
            least = 0.0 if fitted.machines_.some_pairs is None else fitted.theta_
            for theta in (theta for theta in THETAS if theta >= least):
                other = fitted.rethreshold(theta=theta)
                cost = other.decision_cost(X[test[:ROWS_TO_COUNT]])
                of_fold = (
                    np.mean(other.predict(X[test]) == table.labels[test]),
                    np.mean(cost.decisions),
                    np.mean(cost.kernel_evaluations),
                )
                figures[theta].append(of_fold)
            advance(fold + 1)
    names = ("accuracy", "decisions", "kernel_evaluations")
    return [
        {"theta": theta, **dict(zip(names, map(float, np.mean(of_folds, axis=0)), strict=True))}
        for theta, of_folds in figures.items()
        if len(of_folds) == FOLDS
    ]


def _cheapest(thetas: list[dict[str, float]], tolerance: float) -> dict[str, float]:
    best = max(theta["accuracy"] for theta in thetas)
    good = [theta for theta in thetas if theta["accuracy"] >= best - tolerance]
    return min(good, key=lambda theta: theta["kernel_evaluations"])


def _print_tuned(found: dict[str, Any], console: Console) -> None:
    chosen = ", ".join(f"{name}={value:g}" for name, value in found["chosen"].items())
    console.heading(f"Tuned: {chosen or 'all parameters were given'}")
    if "accuracy" in found:
        console.print(
            f"  accuracy in {FOLDS} folds of {found['rows']:,} rows: "
            f"{100 * found['accuracy']:.2f} % {always_largest(found['largest_class_accuracy'])}"
        )
    for theta in found.get("thetas", []):
        mark = "<" if theta["theta"] == found["chosen"]["theta"] else ""
        console.print(
            f"  θ {theta['theta']:<7g} accuracy {100 * theta['accuracy']:6.2f} %  "
            f"decisions {theta['decisions']:6.1f}  kernel evaluations "
            f"{theta['kernel_evaluations']:8,.0f} {mark}".rstrip()
        )
