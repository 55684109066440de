"""One trial: a split, one fit, all methods measured on the test rows. Times are separate trials."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from paper import methods
from paper.problems import problem
from paper.tuning import tuned

SEPARATION = tuple(np.round(np.linspace(0, 5, 51), 10).tolist())  # θ in per cent
ROUNDS_OF_TIMING = 5
# Few test rows are repeated, since otherwise the overhead of the call would be measured.
ROWS_OF_TIMING = 2_000


def run(name, setting, trial, fast):
    """All measurements of one trial but the times, as plain numbers."""
    data = problem(name, setting, fast)
    train, test = data.split(trial)
    X, y, X_test, y_test = data.X[train], data.y[train], data.X[test], data.y[test]
    C, gamma = _parameters(X, y, setting, trial)
    fitted = methods.fit(X, y, setting, C, gamma)
    ours = methods.over_machines(fitted)
    measured = {method: _measure(clf, X_test, y_test) for method, clf in ours.items()}
    svc = methods.built_in(C, gamma).fit(X, y)
    measured[methods.BUILT_IN] = {
        "accuracy": _accuracy(svc, X_test, y_test),
        "kernel_evaluations": len(svc[-1].support_),
    }
    # These standardise by themselves and have no γ, so one setting is enough.
    for method, clf in (methods.linear() if setting == "tuned" else {}).items():
        measured[method] = {"accuracy": _accuracy(clf.fit(X, y), X_test, y_test)}
    return {
        "n_train": len(y),
        "n_test": len(y_test),
        "n_features": X.shape[1],
        "n_classes": data.n_classes,
        "C": C,
        "gamma": gamma,
        "methods": measured,
        "curve": {theta: _point(fitted, theta, X_test, y_test) for theta in methods.CURVE},
        "separation": [100 * fitted.table_.separation(theta / 100) for theta in SEPARATION],
    }


def times(name, setting, trial, fast):
    """Seconds to predict a row, by method; to be run with no other process."""
    data = problem(name, setting, fast)
    train, test = data.split(trial)
    X, y = data.X[train], data.y[train]
    ours = methods.over_machines(methods.fit(X, y, setting, *_parameters(X, y, setting, trial)))
    return {"seconds": _seconds({m: ours[m] for m in methods.TIMED}, data.X[test])}


def _parameters(X, y, setting, trial):
    return tuned(X, y, trial) if setting == "tuned" else (1.0, 1 / X.shape[1])


def _accuracy(clf, X, y):
    return 100 * float(np.mean(clf.predict(X) == y))


def _measure(clf, X, y):
    """Accuracy in per cent, and the mean costs of a row."""
    cost = clf.decision_cost(X)
    return {
        "accuracy": _accuracy(clf, X, y),
        "decisions": float(cost.decisions.mean()),
        "support_vectors": float(cost.support_vectors.mean()),
        "kernel_evaluations": float(cost.kernel_evaluations.mean()),
    }


def _point(fitted, theta, X, y):
    clf = methods.by_rule(fitted, theta)
    decisions = clf.decision_cost(X).decisions
    return {"accuracy": _accuracy(clf, X, y), "decisions": float(decisions.mean())}


def _seconds(classifiers, X):
    """Seconds per row: the shortest of several predictions of all rows, the methods in turn."""
    X = np.tile(X, (-(-ROWS_OF_TIMING // len(X)), 1))
    best = dict.fromkeys(classifiers, np.inf)
    for _ in range(ROUNDS_OF_TIMING):
        for method, clf in classifiers.items():
            start = perf_counter()
            clf.predict(X)
            best[method] = min(best[method], perf_counter() - start)
    return {method: seconds / len(X) for method, seconds in best.items()}
