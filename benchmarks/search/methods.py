"""The searches, each with one thread.

A method is called with a task, with what it has measured before, and with a deadline. It yields
what it knows after each part, so that a measurement that was stopped goes on where it ended:

    seconds    of the search and of the last fit; of the parts so far, if there are others left
    parts      the share of the search that was measured
    scores     (folds, gammas, Cs); NaN where nothing was measured
    accuracy   on the test rows, of the point that was chosen, in per cent
    chosen     C and γ
"""

from __future__ import annotations

import sys
import sysconfig
import warnings
from time import perf_counter
from types import ModuleType

import numpy as np
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, cross_val_score
from sklearn.svm import SVC

from benchmarks.search.tasks import N_FOLDS
from dcsvm import DCSVC, DCSVCCV

# Smaller searches are made whole, and repeated for as many seconds.
ROWS_OF_PARTS = 3000
BUDGET = 3.0
TRIALS = 30


def own(racing):
    """`DCSVCCV`."""

    def search(task, _known, _deadline):
        def run():
            model = DCSVCCV(Cs=task.Cs, gammas=task.gammas, cv=task.folds, racing=racing, n_jobs=1)
            return model.fit(task.problem.X_train, task.problem.y_train)

        model, seconds = fastest(run)
        yield {
            "seconds": seconds,
            "parts": 1.0,
            "scores": model.scores_.tolist(),
            "accuracy": task.accuracy(model),
            "chosen": {"C": model.C_, "gamma": float(model.gamma_)},
        }

    return search


def grid_search(estimator):
    """`GridSearchCV`, of large sets by parts: a fold with one value of C."""

    def search(task, known, deadline):
        if len(task.problem.y_train) < ROWS_OF_PARTS:
            yield whole(GridSearchCV, estimator, task)
        else:
            yield from by_parts(estimator, task, known, deadline)

    return search


def halving(task, _known, _deadline):
    """`HalvingGridSearchCV` over SVC, with its own folds of few rows."""
    yield whole(HalvingGridSearchCV, SVC(), task, random_state=0, cv=N_FOLDS)


def whole(search, estimator, task, **parameters):
    """A search of scikit-learn in one call."""

    def run():
        model = search(estimator, task.grid, **{"cv": task.folds, **parameters})
        return model.fit(task.problem.X_train, task.problem.y_train)

    model, seconds = fastest(run)
    found = {
        "seconds": seconds,
        "parts": 1.0,
        "accuracy": task.accuracy(model),
        "chosen": model.best_params_,
    }
    if search is GridSearchCV:
        found["scores"] = scores_of(task, model, range(N_FOLDS)).tolist()
    return found


def scores_of(task, model, folds):
    """(folds, gammas, Cs): C is the slower of the two in the results of scikit-learn."""
    by_fold = [model.cv_results_[f"split{number}_test_score"] for number in range(len(folds))]
    return np.reshape(by_fold, (len(folds), -1, len(task.gammas))).swapaxes(1, 2)


def by_parts(estimator, task, known, deadline):
    """`GridSearchCV` for one fold and one value of C after the other, then the last fit.

    Parts of a fold follow in a random order, so that any number of them stands for the fold.
    """
    X, y = task.problem.X_train, task.problem.y_train
    shape = (N_FOLDS, len(task.gammas), len(task.Cs))
    scores = np.array(known.get("scores", np.full(shape, np.nan)), dtype=float)
    seconds = known.get("seconds_of_parts", 0.0)
    orders = [np.random.default_rng(f).permutation(len(task.Cs)) for f in range(N_FOLDS)]
    parts = [(f, c) for f, order in enumerate(orders) for c in order.tolist()]
    for number, (f, c) in enumerate(parts):
        if not np.isnan(scores[f, 0, c]):
            continue
        if perf_counter() > deadline:
            break
        begin = perf_counter()
        grid = {"C": [task.Cs[c]], "gamma": task.gammas}
        model = GridSearchCV(estimator, grid, cv=[task.folds[f]], refit=False).fit(X, y)
        seconds += perf_counter() - begin
        scores[f, :, c] = scores_of(task, model, [f])[0, :, 0]
        yield {
            "seconds_of_parts": seconds,
            "parts": (number + 1) / len(parts),
            "scores": scores.tolist(),
        }
    done = ~np.isnan(scores[:, 0])
    if not done.any(axis=0).all():
        return
    with warnings.catch_warnings(action="ignore"):
        s, c = np.unravel_index(np.nanmean(scores, axis=0).argmax(), shape[1:])
    chosen = {"C": task.Cs[c], "gamma": task.gammas[s]}
    begin = perf_counter()
    model = estimator.set_params(**chosen).fit(X, y)
    refit = perf_counter() - begin
    yield {
        "seconds_of_parts": seconds,
        "seconds": seconds / done.mean() + refit,
        "parts": float(done.mean()),
        "scores": scores.tolist(),
        "accuracy": task.accuracy(model),
        "chosen": chosen,
    }


def by_optuna(task, known, deadline):
    """optuna's default sampler, for SVC and as many points as it says, within the same bounds."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    X, y = task.problem.X_train, task.problem.y_train
    bounds = {name: (min(values), max(values)) for name, values in task.grid.items()}
    space = {
        name: optuna.distributions.FloatDistribution(*of, log=True) for name, of in bounds.items()
    }
    tried = known.get("tried", [])
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.TPESampler(seed=len(tried))
    )
    for point, value in tried:
        study.add_trial(optuna.trial.create_trial(params=point, distributions=space, value=value))
    seconds = known.get("seconds_of_parts", 0.0)
    while len(tried) < TRIALS and perf_counter() < deadline:
        begin = perf_counter()
        trial = study.ask(space)
        value = cross_val_score(SVC(**trial.params), X, y, cv=task.folds).mean()
        study.tell(trial, value)
        seconds += perf_counter() - begin
        tried = [*tried, (trial.params, float(value))]
        yield {"tried": tried, "seconds_of_parts": seconds, "parts": len(tried) / TRIALS}
    if tried:
        begin = perf_counter()
        model = SVC(**study.best_params).fit(X, y)
        refit = perf_counter() - begin
        yield {
            "tried": tried,
            "seconds_of_parts": seconds,
            "seconds": seconds * TRIALS / len(tried) + refit,
            "parts": len(tried) / TRIALS,
            "accuracy": task.accuracy(model),
            "chosen": study.best_params,
        }


def liquid_svm(task, _known, _deadline):
    """liquidSVM: all pairs of classes, each with C and γ of its own, and five folds of its own."""
    mcSVM = imported_liquid_svm().mcSVM
    X, y = task.problem.X_train, task.problem.y_train

    def run():
        return mcSVM(
            *(X, y),
            mcType="AvA_hinge",
            folds=N_FOLDS,
            threads=1,
            display=0,
            gammas=[1 / np.sqrt(gamma) for gamma in task.gammas],  # it divides by the square
            c_values=task.Cs,
        )

    model, seconds = fastest(run)
    yield {"seconds": seconds, "parts": 1.0, "accuracy": task.accuracy(model)}


def imported_liquid_svm():
    """liquidSVM asks for what Python 3.11 and setuptools do not have any more."""
    variables = sysconfig.get_config_vars()
    variables.setdefault("SO", variables["EXT_SUFFIX"])
    sys.modules.setdefault("pkg_resources", ModuleType("pkg_resources"))
    import liquidSVM

    return liquidSVM


def fastest(run):
    """What the first of several calls returns, and the seconds of the shortest."""
    times, first = [], None
    while not times or (len(times) < 5 and sum(times) < BUDGET):
        begin = perf_counter()
        model = run()
        times.append(perf_counter() - begin)
        first = first or model
    return first, min(times)


# In the order in which they are measured and shown.
METHODS = {
    "DCSVCCV": own(racing=True),
    "DCSVCCV racing=False": own(racing=False),
    "liquidSVM": liquid_svm,
    "HalvingGridSearchCV(SVC)": halving,
    "GridSearchCV(DCSVC)": grid_search(DCSVC(n_jobs=1)),
    "optuna, SVC": by_optuna,
    "GridSearchCV(SVC)": grid_search(SVC()),
}
