"""What other rooms may reach of estimators beside their public attributes."""

from __future__ import annotations

from typing import Any

from dcsvm.data.rows import RowSample

# What `fit` sets, under plain names. Not every estimator has all of it.
FITTED = {
    "classes": "classes_",
    "n_features": "n_features_in_",
    "feature_names": "feature_names_in_",
    "machines": "machines_",
    "n_iter": "n_iter_",
    "table": "table_",
    "theta": "theta_",
    "thetas": "_thetas",
    "missed": "missed_",
    "shortlist": "shortlist_",
    "shortlist_of_fit": "_shortlist_of_fit",
    "route": "_route",
    "sample": "_sample",
    "kept": "_kept",
}


def route_of(estimator: Any) -> Any:
    """The `Route` by which a fitted estimator gets from a row to its class."""
    return estimator._route


def sample_of(estimator: Any) -> RowSample | None:
    """The training rows that a fitted estimator keeps, or None."""
    return getattr(estimator, "_sample", None)


def validated_rows(estimator: Any, X: Any) -> Any:
    """X as `predict` of a fitted estimator takes it, after the checks that `predict` makes."""
    return estimator._check_rows(X)


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


def fitted_state(estimator: Any) -> dict[str, Any]:
    """What `fit` has set, by the names of `FITTED`; empty where an estimator is not fitted."""
    own = vars(estimator)
    return {name: own[attribute] for name, attribute in FITTED.items() if attribute in own}


def restore(estimator: Any, state: dict[str, Any]) -> None:
    """Make an estimator fitted: the inverse of `fitted_state`."""
    for name, value in state.items():
        setattr(estimator, FITTED[name], value)
