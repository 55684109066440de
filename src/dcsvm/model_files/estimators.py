"""Estimators as plain states, and back.

A plain state is made of dicts, lists, texts, numbers and arrays. Estimators of other libraries
stand in it as they are, for skops to take apart.
"""

from __future__ import annotations

from copy import copy
from operator import or_
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from dcsvm.data.pairs import n_pairs
from dcsvm.estimators.access import fitted_state, parameter_names, restore, with_parameters
from dcsvm.estimators.base import BasePairwiseSVC
from dcsvm.estimators.dagsvc import DAGSVC
from dcsvm.estimators.dcsvc import DCSVC
from dcsvm.estimators.dcsvc_cv import DCSVCCV
from dcsvm.estimators.meta import DivideAndConquerClassifier
from dcsvm.estimators.one_vs_one import OneVsOneSVC
from dcsvm.estimators.voting import VoteRoute
from dcsvm.machines.of_estimators import EstimatorMachines
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.model_files import machine_state
from dcsvm.model_files.fields import Fields, ModelFileError, require
from dcsvm.model_files.probability_state import calibration_from, calibration_state
from dcsvm.model_files.route_state import dag_route_from, dag_route_state, levels_from, levels_state
from dcsvm.model_files.shortlist_state import shortlist_from, shortlist_state
from dcsvm.model_files.third_party import check_jobs, check_third_party
from dcsvm.model_files.values import decode, decode_labels, encode, encode_labels
from dcsvm.model_files.wrappers import is_wrapper, wrapper_from, wrapper_state
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.elimination.own_classes import OwnClasses
from dcsvm.routing.elimination.prototypes import PrototypeShortlist
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.theta_by_cost import ThetasByCost

OURS: dict[str, Any] = {
    cls.__name__: cls for cls in (DCSVC, OneVsOneSVC, DAGSVC, DivideAndConquerClassifier)
}
# Parameters that files of earlier versions do not have: they are at their defaults there.
ADDED = ("probability",)
# The metadata an estimator requests for `fit`, which refers to the estimator itself.
REQUESTS = "_metadata_request"
# Without `memory`, which is a path on the computer where the model was saved.
PIPELINE_PARAMETERS = ("verbose", "transform_input")
# Where a classifier was fitted: models know nothing of it.
DEVICE = "device"


def model_state(model: Any) -> dict[str, Any]:
    """The plain state of a fitted classifier of dcsvm, or of a pipeline or wrapper of one."""
    last = _best_of(_last_step(model))
    is_itself = last is _best_of(model)
    if not _can_be_last(last) or not (is_itself or type(model) is Pipeline):
        raise _not_ours(model)
    check_is_fitted(last)
    state = estimator_state(model)
    if not _holds_ours(state):
        raise _not_ours(model)
    return state


def _not_ours(model: Any) -> TypeError:
    return TypeError(
        f"save takes a fitted {', '.join(OURS)}, a Pipeline that ends in one, or a classifier of "
        f"scikit-learn that holds one, such as CalibratedClassifierCV; not {type(model).__name__}. "
        "Of a search, save its best_estimator_."
    )


def model_from(state: Any) -> Any:
    """The inverse of `model_state`."""
    model = estimator_from(state, "model")
    last = _last_step(model)
    require(_can_be_last(last) and _holds_ours(state), "it holds no classifier of dcsvm")
    try:
        check_is_fitted(last)
    except NotFittedError as error:
        raise ModelFileError("its classifier is not fitted") from error
    return model


def _best_of(estimator: Any) -> Any:
    """What a search of ours has found; any other estimator as it is."""
    if type(estimator) is not DCSVCCV:
        return estimator
    check_is_fitted(estimator, "best_estimator_")
    return estimator.best_estimator_


def _can_be_last(estimator: Any) -> bool:
    return type(estimator) in OURS.values() or is_wrapper(estimator)


def _holds_ours(state: Any) -> bool:
    """Whether a classifier of dcsvm is somewhere in a state."""
    if isinstance(state, list):
        return any(map(_holds_ours, state))
    is_ours = isinstance(state, dict) and state.get("kind") in OURS
    return is_ours or (isinstance(state, dict) and any(map(_holds_ours, state.values())))


def _last_step(model: Any) -> Any:
    while isinstance(model, Pipeline) and model.steps:
        model = model.steps[-1][1]
    return model


def estimator_state(estimator: Any) -> dict[str, Any]:
    """The state of any estimator; of a search of ours, what it has found."""
    estimator = _best_of(estimator)
    if type(estimator) in OURS.values():
        return _own_state(estimator)
    if type(estimator) is Pipeline:
        steps = [
            [str(name), step if isinstance(step, str | None) else estimator_state(step)]
            for name, step in estimator.steps
        ]
        parameters = {n: getattr(estimator, n) for n in PIPELINE_PARAMETERS if n in vars(estimator)}
        encoded = {n: encode(v, f"Pipeline.{n}", estimator_state) for n, v in parameters.items()}
        return {"kind": "pipeline", "steps": steps, "parameters": encoded}
    if is_wrapper(estimator):
        return wrapper_state(estimator, estimator_state)
    if REQUESTS in vars(estimator):
        estimator = copy(estimator)
        delattr(estimator, REQUESTS)
    return {"kind": "third party", "object": estimator}


def estimator_from(state: Any, name: str) -> Any:
    """The inverse of `estimator_state`."""
    fields = Fields(state, name)
    kind = fields.string("kind", (*OURS, "pipeline", "wrapper", "third party"))
    if kind == "third party":
        return check_third_party(fields.raw("object"))
    if kind == "pipeline":
        return _pipeline_from(fields, name)
    if kind == "wrapper":
        wrapper = wrapper_from(fields, estimator_from)
        check_jobs(getattr(wrapper, "n_jobs", None))
        return wrapper
    parameters = fields.part("parameters")
    decoded = {
        n: decode(parameters.raw(n), parameters.name_of(n), estimator_from)
        for n in parameter_names(OURS[kind])
        if n != DEVICE and (n not in ADDED or parameters.has(n))
    }
    estimator = with_parameters(OURS[kind], decoded)
    check_jobs(estimator.n_jobs)
    fitted = fields.optional_part("fitted")
    if fitted is not None:
        restore(estimator, _fitted_from(estimator, fitted))
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


def _own_state(estimator: Any) -> dict[str, Any]:
    kind = type(estimator).__name__
    parameters = estimator.get_params(deep=False).items()
    fitted = fitted_state(estimator)
    return {
        "kind": kind,
        "parameters": {
            n: encode(v, f"{kind}.{n}", estimator_state) for n, v in parameters if n != DEVICE
        },
        "fitted": _state_of_fitted(estimator, fitted) if fitted else None,
    }


def _state_of_fitted(estimator: Any, fitted: dict[str, Any]) -> dict[str, Any]:
    names, machines = fitted.get("feature_names"), fitted["machines"]
    state: dict[str, Any] = {
        "classes": encode_labels(fitted["classes"]),
        "n_features": int(fitted["n_features"]),
        "feature_names": None if names is None else [str(name) for name in names],
    }
    if isinstance(machines, EstimatorMachines):
        columns = machines.columns
        state["estimators"] = [estimator_state(e) for e in machines.estimators]
        state["columns"] = None if columns is None else {str(m): c for m, c in enumerate(columns)}
    else:
        state["machines"] = machine_state.machines_state(machines)
        state["shape"] = [int(n) for n in fitted["shape"]]
        state["class_weight"] = fitted["class_weight"]
    if "sample" in fitted:
        table = fitted.get("table")
        state["table"] = None if table is None else machine_state.table_state(table)
        state["sample"] = machine_state.sample_state(fitted["sample"])
    if isinstance(estimator, DCSVC):
        state["missed"] = fitted.get("missed")
        thetas = fitted.get("thetas")
        state["thetas"] = None if thetas is None else thetas._asdict()
        state["vote_is_cheapest"] = bool(fitted.get("vote_is_cheapest"))
        state["votes"] = isinstance(fitted["route"], VoteRoute)
    if isinstance(estimator, DCSVC | DivideAndConquerClassifier):
        state.update(_shortlist_part_state(estimator.shortlist, fitted))
    if isinstance(estimator, DivideAndConquerClassifier):
        kept = fitted["kept"]
        state["kept"] = None if kept is None else machine_state.kept_state(kept)
    if "calibration" in fitted:
        state["calibration"] = calibration_state(fitted["calibration"])
    if isinstance(fitted.get("route"), DagRoute):
        state["route"] = dag_route_state(fitted["route"])
    return state


def _fitted_from(estimator: Any, fields: Fields) -> dict[str, Any]:
    """What `fit` would set."""
    classes, n_features = decode_labels(fields.raw("classes")), fields.integer("n_features", 1)
    k = len(classes)
    fitted: dict[str, Any] = {"classes": classes, "n_features": n_features}
    if fields.raw("feature_names") is not None:
        names = fields.items("feature_names", n_features)
        require(all(isinstance(name, str) for name in names), "a feature's name is not a text")
        fitted["feature_names"] = np.array(names, dtype=object)
    if isinstance(estimator, BasePairwiseSVC):
        fitted["machines"] = machine_state.machines_from(fields.part("machines"), k, n_features)
        fitted["n_iter"] = fitted["machines"].n_iter
        fitted["shape"] = _shape_from(fields, n_features)
        weight = fitted["class_weight"] = fields.finite_array("class_weight", np.float64, (k,))
        require((weight > 0).all(), "a class has no weight")
    else:
        fitted["machines"] = _estimator_machines_from(fields, k, n_features)
    if isinstance(estimator, DCSVC | DivideAndConquerClassifier):
        if getattr(fitted["machines"], "some_pairs", None) is None:
            fitted["table"] = machine_state.table_from(fields.part("table"), classes)
        else:
            fitted["missed"] = fields.number("missed", 0.0, 1.0)
        fitted["sample"] = machine_state.sample_from(fields.part("sample"), k, n_features)
        fitted |= _shortlist_part_from(fields, estimator.shortlist, fitted["machines"], n_features)
    if isinstance(estimator, DCSVC):
        thetas = fields.optional_part("thetas")
        fitted["thetas"] = None if thetas is None else _thetas_from(thetas)
        fitted["vote_is_cheapest"] = fields.boolean("vote_is_cheapest")
        if fields.boolean("votes"):
            require("table" in fitted, "not all machines are there to vote")
            fitted["route"] = VoteRoute()
    if isinstance(estimator, DivideAndConquerClassifier):
        kept = fields.optional_part("kept")
        fitted["kept"] = None if kept is None else machine_state.kept_from(kept, k, n_features)
    calibration = fields.part_if_there("calibration")
    if calibration is not None:
        n_machines = fitted["machines"].n_machines
        fitted["calibration"] = calibration_from(calibration, k, n_machines)
    if not isinstance(estimator, OneVsOneSVC) and "route" not in fitted:
        fitted["route"] = dag_route_from(fields.part("route"), k)
    return fitted


def _shape_from(fields: Fields, n_features: int) -> tuple[int, int]:
    """The shape of the training set."""
    n_rows, width = fields.items("shape", 2)
    require(type(n_rows) is int and n_rows >= 1 and width == n_features, "its shape is impossible")
    return n_rows, n_features


def _thetas_from(fields: Fields) -> ThetasByCost:
    measured = fields.raw("measured")
    return ThetasByCost(
        fields.number("largest", 0.0, 0.5),
        None if measured is None else fields.number("measured", 0.0, 0.5),
    )


def _shortlist_part_state(parameter: Any, fitted: dict[str, Any]) -> dict[str, Any]:
    """θ, the shortlist that was fitted and for which parameter, and whether it is in use."""
    parameter_of_fit, shortlist = fitted["shortlist_of_fit"]
    route, is_same = fitted["route"], parameter_of_fit is parameter
    encoded = None if is_same else encode(parameter_of_fit, "shortlist", estimator_state)
    return {
        "theta": float(fitted["theta"]),
        "shortlist_of_fit": {
            "parameter": encoded,
            "is_parameter": is_same,
            "shortlist": None if shortlist is None else shortlist_state(shortlist, estimator_state),
        },
        "elimination": None
        if not isinstance(route, Elimination)
        else {
            "gap": float(route.shortlist.gap),
            "levels": None if isinstance(route.levels, OwnClasses) else levels_state(route.levels),
        },
    }


def _shortlist_part_from(
    fields: Fields,
    parameter: Any,
    machines: PairwiseMachines | EstimatorMachines,
    n_features: int,
) -> dict[str, Any]:
    theta, of_fit = fields.number("theta", 0.0, 0.5), fields.part("shortlist_of_fit")
    if not of_fit.boolean("is_parameter"):
        parameter = decode(of_fit.raw("parameter"), "shortlist", estimator_from)
    found, elimination = of_fit.optional_part("shortlist"), fields.optional_part("elimination")
    known = None
    if found is not None:
        known = shortlist_from(found, machines, n_features, estimator_from)
    fitted = {"theta": theta, "shortlist_of_fit": (parameter, known), "shortlist": None}
    pairs = getattr(machines, "some_pairs", None)
    if elimination is None:
        require(pairs is None, "the shortlist in use is missing")
        return fitted
    if known is None:
        raise ModelFileError("the shortlist in use is missing")
    in_use = known.at(theta)
    in_use.gap = elimination.number("gap", 0.0)
    if pairs is not None:
        require(isinstance(known, PrototypeShortlist), "the shortlist has other scores")
        return {**fitted, "shortlist": in_use, "route": Elimination(OwnClasses(pairs), in_use)}
    levels = levels_from(elimination.part("levels"), machines.n_classes)
    counts_losses = isinstance(machines, EstimatorMachines)
    return {**fitted, "shortlist": in_use, "route": Elimination(levels, in_use, counts_losses)}


def _estimator_machines_from(fields: Fields, k: int, n_features: int) -> EstimatorMachines:
    m = n_pairs(k)
    estimators = [
        estimator_from(state, f"{fields.name_of('estimators')}[{t}]")
        for t, state in enumerate(fields.items("estimators", m))
    ]
    scored = (hasattr(e, "decision_function") or hasattr(e, "predict_proba") for e in estimators)
    decided = (is_classifier(e) or is_regressor(e) for e in estimators)
    require(all(map(or_, scored, decided)), "an estimator is no classifier")
    columns = fields.optional_part("columns")
    if columns is None:
        return EstimatorMachines(k, estimators, None)
    of_machine = [columns.indices(str(t), np.int64, (None,), n_features) for t in range(m)]
    return EstimatorMachines(k, estimators, of_machine)
