"""theta="auto": the largest θ that loses little against the vote, on rows held out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from dcsvm.data.rows import TrainingRows
from dcsvm.estimators.one_vs_one import OneVsOneSVC

THETAS = (0.02, 0.01, 0.005, 0.002, 0.001, 5e-4, 2e-4, 1e-4, 1e-5, 0.0)
HELD_OUT = 0.25


def held_out_theta(classifier: Any, data: Any) -> float:
    """Fit to three quarters of the rows, and choose by the others.

    Classes of fewer than four rows are not held out.
    """
    rows = data.rows
    held = _held_out(rows, check_random_state(classifier.random_state))
    if classifier.kernel == "precomputed":
        raise ValueError("theta='auto' holds rows out, which a precomputed kernel does not allow.")
    labels = np.repeat(data.classes, np.diff(rows.class_start))
    first = clone(classifier).set_params(theta=THETAS[0], verbose=False, probability=False)
    first.set_params(accuracy_tolerance=type(classifier)().accuracy_tolerance)  # has no effect
    first.fit(rows.X[~held], labels[~held], sample_weight=rows.weight[~held])
    if not held.any():
        return THETAS[-1]
    X, y, weight = rows.X[held], labels[held], rows.weight[held]
    vote = OneVsOneSVC.from_machines(first).score(X, y, sample_weight=weight)
    for theta in THETAS[:-1]:
        routed = first.rethreshold(theta=theta).score(X, y, sample_weight=weight)
        if routed >= vote - classifier.accuracy_tolerance:
            return theta
    return THETAS[-1]


def _held_out(rows: TrainingRows, random_state: np.random.RandomState) -> NDArray[np.bool_]:
    held = np.zeros(rows.n_rows, dtype=bool)
    for c in range(rows.n_classes):
        of_class = np.arange(rows.n_rows)[rows.of_class(c)]
        n = int(HELD_OUT * len(of_class))
        held[random_state.choice(of_class, n, replace=False)] = True
    return held
