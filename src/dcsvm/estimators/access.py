"""What other rooms may reach of estimators beside their public attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.rows import RowSample, TrainingRows
from dcsvm.estimators.base import TrainingData
from dcsvm.estimators.one_vs_one import OneVsOneSVC
from dcsvm.estimators.stages import Stages
from dcsvm.estimators.state import Refit
from dcsvm.estimators.voting import VoteRoute
from dcsvm.probability.calibration import Calibration

# What `fit` sets, under plain names. Not every estimator has all of it.
FITTED = {
    "classes": "classes_",
    "n_features": "n_features_in_",
    "shape": "shape_fit_",
    "class_weight": "class_weight_",
    "feature_names": "feature_names_in_",
    "machines": "machines_",
    "n_iter": "n_iter_",
    "table": "table_",
    "theta": "theta_",
    "thetas": "_thetas",
    "missed": "missed_",
    "shortlist": "shortlist_",
    "shortlist_of_fit": "_shortlist_of_fit",
    "vote_is_cheapest": "_vote_is_cheapest",
    "route": "_route",
    "sample": "_sample",
    "kept": "_kept",
    "calibration": "_calibration",
}


def route_of(estimator: Any) -> Any:
    """The `Route` by which a fitted estimator gets from a row to its class."""
    return estimator._route


def votes(estimator: Any) -> bool:
    """Whether a fitted estimator lets all machines vote."""
    return isinstance(estimator, OneVsOneSVC) or isinstance(route_of(estimator), VoteRoute)


def sample_of(estimator: Any) -> RowSample | None:
    """The training rows that a fitted estimator keeps, or None."""
    return getattr(estimator, "_sample", None)


def validated_rows(estimator: Any, X: Any) -> Any:
    """X as `predict` of a fitted estimator takes it, after the checks that `predict` makes."""
    return estimator._check_rows(X)


def probabilities_of(estimator: Any, X: Any) -> NDArray[np.float64] | None:
    """`predict_proba` of validated rows, or None where a fitted estimator has no probabilities."""
    calibration: Calibration | None = vars(estimator).get("_calibration")
    if calibration is None:
        return None
    return calibration.probabilities(estimator._contests(estimator.machines_, X))


def parameter_names(cls: type) -> list[str]:
    """The names of the parameters of a class of estimators."""
    names: list[str] = cls._get_param_names()  # type: ignore[attr-defined]
    return names


def parameter_constraints(cls: type) -> dict[str, Any]:
    """What each parameter of a class of estimators may be, in the form of scikit-learn."""
    constraints: dict[str, Any] = cls._parameter_constraints  # type: ignore[attr-defined]
    return constraints


def with_parameters(cls: type, parameters: dict[str, Any]) -> Any:
    """An estimator that is not fitted, its parameters checked as `fit` checks them."""
    estimator: Any = cls(**parameters)
    estimator._validate_params()
    return estimator


def fit_elsewhere(
    estimator: Any,
    X_some: Any,
    prepare: Callable[[], tuple[TrainingRows, NDArray[Any], Stages]],
) -> None:
    """Fit an estimator to rows that are not here; if anything stops this, it is left as it was.

    `X_some` has a row or more with all features. `prepare` gives all rows as far as they are known
    here, the classes, and how the stages are done.
    """
    with Refit(estimator) as refit:
        new = refit.fitted
        new._validate(X_some, reset=True)
        rows, classes, stages = prepare()
        new.shape_fit_ = rows.n_rows, new.n_features_in_
        if new._trains_all_pairs(len(classes)):
            new._check_memory(len(classes))
        progress = new._progress(estimator, None, None, classes)
        new._fit_rows(TrainingData(rows, classes, progress, stages))
        refit.take_over()
        progress.end()


def fitted_state(estimator: Any) -> dict[str, Any]:
    """What `fit` has set, by the names of `FITTED`; empty where an estimator is not fitted."""
    own = vars(estimator)
    if "table_" in own:
        estimator.table_ = estimator.table_  # built by now, if it was not before
    return {name: own[attribute] for name, attribute in FITTED.items() if attribute in own}


def restore(estimator: Any, state: dict[str, Any]) -> None:
    """Make an estimator fitted: the inverse of `fitted_state`."""
    for name, value in state.items():
        setattr(estimator, FITTED[name], value)
