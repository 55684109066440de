"""`dcsvm fit --tune`: C and gamma by successive halving, then θ without training again.

Many candidates are tried on few rows, the best third on three times as many, and so on. They are
judged by the vote of their machines, which is what every θ aims at, and which spares each fit the
table. θ changes nothing in the machines, so that all its values share one fit of the winner.
Accuracy alone would always take the smallest θ; the one taken is the cheapest that costs no more
than `accuracy_tolerance`.
"""

from __future__ import annotations

import warnings
from math import ceil
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingGridSearchCV, StratifiedKFold

from dcsvm import OneVsOneSVC
from dcsvm.cli.errors import UserError
from dcsvm.cli.messages import Advance, Messages

CS = [0.3, 1.0, 3.0, 10.0, 30.0, 100.0]
# Times gamma="scale".
GAMMAS = [1 / 9, 1 / 3, 1.0, 3.0, 9.0]
THETAS = [0.0, 0.0001, 0.0005, 0.002, 0.005, 0.01, 0.02, 0.05]
FACTOR = 3
FOLDS = 3
# With fewer rows than this there is nothing to save.
FEWEST_ROWS = 500
ROWS_PER_CLASS = 10
ROWS_TO_COUNT = 500


def tune(pipeline: Any, table: Any, options: Any, messages: Messages) -> dict[str, Any]:
    """Set the parameters of the classifier in a pipeline, and say how they were found.

    Columns are made numbers once, from all rows given: they are rows to learn from, and what
    judges the result is not among them.
    """
    classifier = pipeline[-1]
    given = set(options.parameters)
    with messages.bar("Columns", None):
        X = clone(pipeline[:-1]).fit_transform(table.X) if len(pipeline) > 1 else table.X
    smallest = int(np.unique_counts(table.labels).counts.max())
    if smallest < FOLDS:
        raise UserError("--tune needs a class with at least 3 rows.")
    chosen: dict[str, Any] = {}
    found: dict[str, Any] = {"rows": table.n_rows}
    grid = _grid(X, classifier, given)
    if grid:
        search = _search(X, table, classifier, grid, options.seed, messages)
        chosen.update(search.best_params_)
        found["accuracy"] = float(search.best_score_)
        found["candidates"] = len(search.cv_results_["params"])
    classifier.set_params(**chosen)
    if "theta" not in given and len(np.unique(table.labels)) > 2:
        found["thetas"] = _try_thetas(X, table, classifier, options.seed, messages)
        theta = _cheapest(found["thetas"], classifier.accuracy_tolerance)
        chosen["theta"] = theta["theta"]
        found["accuracy"] = theta["accuracy"]
        classifier.set_params(theta=theta["theta"])
    found["chosen"] = chosen
    _show(found, messages)
    return found


def _grid(X: Any, classifier: Any, given: set[str]) -> dict[str, list[float]]:
    """What to try of the parameters that the user has left open."""
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
    X: Any, table: Any, classifier: Any, grid: Any, seed: int, messages: Messages
) -> HalvingGridSearchCV:
    n, k = table.n_rows, len(np.unique(table.labels))
    fewest = min(n, max(FEWEST_ROWS, ROWS_PER_CLASS * k))
    n_candidates = int(np.prod([len(values) for values in grid.values()]))
    with messages.bar("Tuning", FOLDS * sum(_schedule(n, fewest, n_candidates)), "fits") as advance:
        search = HalvingGridSearchCV(
            OneVsOneSVC(**_shared_parameters(classifier)),
            grid,
            factor=FACTOR,
            min_resources=fewest,
            cv=StratifiedKFold(FOLDS, shuffle=True, random_state=seed),
            scoring=_counting(advance),
            random_state=seed,
            refit=False,
            error_score=0.0,
            return_train_score=False,
        )
        weights = {} if table.weight is None else {"sample_weight": table.weight}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search.fit(X, table.labels, **weights)
    best = np.argmax(
        np.where(
            search.cv_results_["iter"] == search.cv_results_["iter"].max(),
            search.cv_results_["mean_test_score"],
            -np.inf,
        )
    )
    search.best_params_ = search.cv_results_["params"][best]
    search.best_score_ = search.cv_results_["mean_test_score"][best]
    return search


def _shared_parameters(classifier: Any) -> dict[str, Any]:
    return {name: getattr(classifier, name) for name in OneVsOneSVC().get_params(deep=False)}


def _schedule(n: int, fewest: int, n_candidates: int) -> list[int]:
    """Candidates in each round."""
    rounds = []
    while fewest <= n:
        rounds.append(n_candidates)
        if n_candidates <= 1:
            break
        fewest, n_candidates = fewest * FACTOR, ceil(n_candidates / FACTOR)
    return rounds


def _counting(advance: Advance) -> Any:
    """Accuracy, and a bar that hears of each."""
    n_done = 0

    def accuracy(estimator: Any, X: Any, y: Any) -> float:
        nonlocal n_done
        n_done += 1
        advance(n_done)
        return float(estimator.score(X, y))

    return accuracy


def _try_thetas(
    X: Any, table: Any, classifier: Any, seed: int, messages: Messages
) -> list[dict[str, float]]:
    """Accuracy and cost by cross-validation at each θ, one fit for all of them."""
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    seen = np.zeros((FOLDS, len(THETAS), 3))
    with warnings.catch_warnings(), messages.bar("Trying θ", FOLDS, "fits") as advance:
        warnings.simplefilter("ignore")
        for fold, (train, test) in enumerate(splitter.split(X, table.labels)):
            weight = None if table.weight is None else table.weight[train]
            fitted = clone(classifier).fit(X[train], table.labels[train], sample_weight=weight)
            for place, theta in enumerate(THETAS):
                other = fitted.rethreshold(theta=theta)
                cost = other.decision_cost(X[test[:ROWS_TO_COUNT]])
                seen[fold, place] = (
                    np.mean(other.predict(X[test]) == table.labels[test]),
                    np.mean(cost.decisions),
                    np.mean(cost.kernel_evaluations),
                )
            advance(fold + 1)
    names = ("accuracy", "decisions", "kernel_evaluations")
    return [
        {"theta": theta, **dict(zip(names, map(float, mean), strict=True))}
        for theta, mean in zip(THETAS, seen.mean(axis=0), strict=True)
    ]


def _cheapest(thetas: list[dict[str, float]], tolerance: float) -> dict[str, float]:
    best = max(theta["accuracy"] for theta in thetas)
    good = [theta for theta in thetas if theta["accuracy"] >= best - tolerance]
    return min(good, key=lambda theta: theta["kernel_evaluations"])


def _show(found: dict[str, Any], messages: Messages) -> None:
    chosen = ", ".join(f"{name}={value:g}" for name, value in found["chosen"].items())
    messages.heading(f"Tuned: {chosen or 'nothing was left open'}")
    if "accuracy" in found:
        messages.say(
            f"  accuracy in {FOLDS} folds of {found['rows']:,} rows: "
            f"{100 * found['accuracy']:.2f} %"
        )
    for theta in found.get("thetas", []):
        mark = "<" if theta["theta"] == found["chosen"]["theta"] else ""
        messages.say(
            f"  θ {theta['theta']:<7g} accuracy {100 * theta['accuracy']:6.2f} %  "
            f"decisions {theta['decisions']:6.1f}  kernel evaluations "
            f"{theta['kernel_evaluations']:8,.0f} {mark}".rstrip()
        )
