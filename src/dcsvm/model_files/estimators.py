"""Estimators as plain states, and back."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from dcsvm.data.pairs import n_pairs
from dcsvm.estimators.base import BasePairwiseSVC
from dcsvm.estimators.dagsvc import DAGSVC
from dcsvm.estimators.dcsvc import DCSVC
from dcsvm.estimators.meta import DivideAndConquerClassifier
from dcsvm.estimators.one_vs_one import OneVsOneSVC
from dcsvm.machines.of_estimators import EstimatorMachines
from dcsvm.model_files.errors import ModelFileError
from dcsvm.model_files.fields import Fields, require
from dcsvm.model_files.foreign import check_foreign, check_jobs
from dcsvm.model_files.machine_state import (
    machines_from,
    machines_state,
    sample_from,
    sample_state,
    table_from,
    table_state,
)
from dcsvm.model_files.route_state import (
    dag_route_from,
    dag_route_state,
    levels_from,
    levels_state,
)
from dcsvm.model_files.shortlist_state import shortlist_from, shortlist_state
from dcsvm.model_files.values import decode, decode_labels, encode, encode_labels
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.elimination.rounds import Elimination

OURS: dict[str, Any] = {
    cls.__name__: cls for cls in (DCSVC, OneVsOneSVC, DAGSVC, DivideAndConquerClassifier)
}
# What an estimator wants to be passed in `fit`. It refers to the estimator itself.
REQUESTS = "_metadata_request"
# But for `memory`, a place on the disk of whoever saved the model.
PIPELINE_PARAMETERS = ("verbose", "transform_input")


def model_state(model: Any) -> dict[str, Any]:
    """The plain state of a fitted classifier of ours, or of a pipeline that ends in one."""
    last = model
    while isinstance(last, Pipeline) and last.steps:
        last = last.steps[-1][1]
    if type(last) not in OURS.values() or (last is not model and type(model) is not Pipeline):
        raise TypeError(
            f"save takes a fitted {', '.join(OURS)}, or a Pipeline that ends in one, not "
            f"{type(model).__name__}. Of a search, save its best_estimator_."
        )
    check_is_fitted(last)
    return estimator_state(model)


def model_from(state: Any) -> Any:
    """The inverse of `model_state`."""
    model = estimator_from(state, "model")
    last = model
    while isinstance(last, Pipeline) and last.steps:
        last = last.steps[-1][1]
    require(type(last) in OURS.values(), "it holds no classifier of dcsvm")
    require(hasattr(last, "classes_"), "its classifier is not fitted")
    return model


def estimator_state(estimator: Any) -> dict[str, Any]:
    """The state of any estimator."""
    if type(estimator) in OURS.values():
        return {
            "kind": type(estimator).__name__,
            "parameters": _parameters_state(estimator),
            "fitted": _fitted_state(estimator) if hasattr(estimator, "classes_") else None,
        }
    if type(estimator) is Pipeline:
        steps = [
            [str(name), step if isinstance(step, str | None) else estimator_state(step)]
            for name, step in estimator.steps
        ]
        parameters = {n: getattr(estimator, n) for n in PIPELINE_PARAMETERS if n in vars(estimator)}
        encoded = {n: encode(v, f"Pipeline.{n}", estimator_state) for n, v in parameters.items()}
        return {"kind": "pipeline", "steps": steps, "parameters": encoded}
    if REQUESTS in vars(estimator):
        estimator = copy(estimator)
        delattr(estimator, REQUESTS)
    return {"kind": "foreign", "object": estimator}


def estimator_from(state: Any, name: str) -> Any:
    """The inverse of `estimator_state`."""
    fields = Fields(state, name)
    kind = fields.text("kind", (*OURS, "pipeline", "foreign"))
    if kind == "foreign":
        return check_foreign(fields.raw("object"))
    if kind == "pipeline":
        return _pipeline_from(fields, name)
    estimator = OURS[kind](**_parameters_from(fields.part("parameters"), OURS[kind]))
    estimator._validate_params()
    check_jobs(estimator.n_jobs)
    fitted = fields.optional_part("fitted")
    if fitted is not None:
        _put_fitted(estimator, fitted)
    return estimator


def _pipeline_from(fields: Fields, name: str) -> Pipeline:
    steps = []
    for step in fields.items("steps"):
        is_step = isinstance(step, list) and len(step) == 2 and isinstance(step[0], str)
        require(is_step, f"{name} has a step without a name")
        step_name, inner = step
        if inner is not None and not isinstance(inner, str):
            inner = estimator_from(inner, f"{name}.{step_name[:40]}")
        require(inner in (None, "passthrough") or hasattr(inner, "fit"), f"{name} has no step")
        steps.append((step_name, inner))
    require(steps, f"{name} has no steps")
    parameters = fields.raw("parameters")
    require(isinstance(parameters, dict), f"{name} has no parameters")
    known = {n: decode(v, n, estimator_from) for n, v in parameters.items()}
    require(set(known) <= set(PIPELINE_PARAMETERS), f"{name} has unknown parameters")
    return Pipeline(steps, **known)


def _parameters_state(estimator: Any) -> dict[str, Any]:
    owner = type(estimator).__name__
    return {
        name: encode(value, f"{owner}.{name}", estimator_state)
        for name, value in estimator.get_params(deep=False).items()
    }


def _parameters_from(fields: Fields, cls: Any) -> dict[str, Any]:
    return {
        name: decode(fields.raw(name), fields.name_of(name), estimator_from)
        for name in cls._get_param_names()
    }


def _fitted_state(estimator: Any) -> dict[str, Any]:
    names = getattr(estimator, "feature_names_in_", None)
    state: dict[str, Any] = {
        "classes": encode_labels(estimator.classes_),
        "n_features": int(estimator.n_features_in_),
        "feature_names": None if names is None else [str(name) for name in names],
    }
    if isinstance(estimator, BasePairwiseSVC):
        state["machines"] = machines_state(estimator.machines_)
    else:
        columns = estimator.machines_.columns
        state["estimators"] = [estimator_state(e) for e in estimator.machines_.estimators]
        state["columns"] = None if columns is None else {str(m): c for m, c in enumerate(columns)}
    if isinstance(estimator, DCSVC | DivideAndConquerClassifier):
        state["table"] = table_state(estimator.table_)
        state["sample"] = sample_state(estimator._sample)
    if isinstance(estimator, DCSVC):
        state.update(_choice_state(estimator))
    if isinstance(getattr(estimator, "_route", None), DagRoute):
        state["route"] = dag_route_state(estimator._route)
    return state


def _choice_state(estimator: DCSVC) -> dict[str, Any]:
    """θ, and the shortlist: that of `fit`, and whether and how it is in use."""
    parameter, shortlist = estimator._shortlist_of_fit
    route = estimator._route
    is_same = parameter is estimator.shortlist
    return {
        "theta": float(estimator.theta_),
        "shortlist_of_fit": {
            "parameter": None if is_same else encode(parameter, "shortlist", estimator_state),
            "is_parameter": is_same,
            "shortlist": None if shortlist is None else shortlist_state(shortlist, estimator_state),
        },
        "elimination": None
        if not isinstance(route, Elimination)
        else {"gap": float(route.shortlist.gap), "levels": levels_state(route.levels)},
    }


def _put_fitted(estimator: Any, fields: Fields) -> None:
    """Make an estimator fitted."""
    classes = decode_labels(fields.raw("classes"))
    n_features = fields.whole("n_features", 1)
    if fields.raw("feature_names") is not None:
        names = fields.items("feature_names", n_features)
        require(all(isinstance(name, str) for name in names), "a feature's name is not a text")
        estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator.n_features_in_ = n_features
    k = len(classes)
    if isinstance(estimator, BasePairwiseSVC):
        machines = machines_from(fields.part("machines"), k, n_features)
        estimator._set_machines(machines, classes)
    else:
        estimator.machines_ = _estimator_machines_from(fields, k, n_features)
        estimator.classes_ = classes
    if isinstance(estimator, DCSVC | DivideAndConquerClassifier):
        estimator.table_ = table_from(fields.part("table"), classes)
        estimator._sample = sample_from(fields.part("sample"), k, n_features)
    is_eliminating = isinstance(estimator, DCSVC) and _put_choice(estimator, fields)
    if not isinstance(estimator, OneVsOneSVC) and not is_eliminating:
        estimator._route = dag_route_from(fields.part("route"), k)


def _put_choice(estimator: DCSVC, fields: Fields) -> bool:
    """Give back θ and the shortlist; whether the shortlist is in use."""
    estimator.theta_ = fields.number("theta", 0.0, 0.5)
    of_fit = fields.part("shortlist_of_fit")
    parameter = estimator.shortlist
    if not of_fit.flag("is_parameter"):
        parameter = decode(of_fit.raw("parameter"), "shortlist", estimator_from)
    shortlist, machines = None, estimator.machines_
    found = of_fit.optional_part("shortlist")
    if found is not None:
        shortlist = shortlist_from(found, machines, estimator.n_features_in_, estimator_from)
    estimator._shortlist_of_fit = parameter, shortlist
    estimator.shortlist_ = None
    elimination = fields.optional_part("elimination")
    if elimination is None:
        return False
    if shortlist is None:
        raise ModelFileError("the shortlist in use is missing")
    estimator.shortlist_ = shortlist.at(estimator.theta_)
    estimator.shortlist_.gap = elimination.number("gap", 0.0)
    levels = levels_from(elimination.part("levels"), machines.n_classes)
    estimator._route = Elimination(levels, estimator.shortlist_)
    return True


def _estimator_machines_from(fields: Fields, k: int, n_features: int) -> EstimatorMachines:
    m = n_pairs(k)
    estimators = [
        estimator_from(state, f"{fields.name_of('estimators')}[{t}]")
        for t, state in enumerate(fields.items("estimators", m))
    ]
    scored = (hasattr(e, "decision_function") or hasattr(e, "predict_proba") for e in estimators)
    require(all(scored), "an estimator is no classifier")
    columns = fields.optional_part("columns")
    if columns is None:
        return EstimatorMachines(k, estimators, None)
    of_machine = [columns.places(str(t), np.int64, (None,), n_features) for t in range(m)]
    return EstimatorMachines(k, estimators, of_machine)
