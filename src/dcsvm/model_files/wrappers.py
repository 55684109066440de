"""Classifiers of scikit-learn that hold others, as plain states and back.

Their attributes are parameters and those listed here; what they hold has a state of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import sklearn
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from dcsvm.model_files.fields import Fields, require
from dcsvm.model_files.values import decode, encode


class Wrapper(NamedTuple):
    """Where a class comes from, and what `fit` sets."""

    module: str
    fitted: str


SEEN_IN_FIT = " classes_ n_features_in_ feature_names_in_"
WRAPPERS = {
    "BaggingClassifier": Wrapper(
        "sklearn.ensemble",
        "estimator_ estimators_ estimators_features_ n_classes_ _n_samples _max_samples "
        "_max_features _sample_weight _seeds oob_score_ oob_decision_function_" + SEEN_IN_FIT,
    ),
    "CalibratedClassifierCV": Wrapper(
        "sklearn.calibration", "calibrated_classifiers_" + SEEN_IN_FIT
    ),
    "FixedThresholdClassifier": Wrapper("sklearn.model_selection", "estimator_" + SEEN_IN_FIT),
    "FrozenEstimator": Wrapper("sklearn.frozen", ""),
    "IsotonicRegression": Wrapper(
        "sklearn.isotonic", "increasing_ X_min_ X_max_ X_thresholds_ y_thresholds_ n_features_in_"
    ),
    "OneVsRestClassifier": Wrapper(
        "sklearn.multiclass", "label_binarizer_ estimators_" + SEEN_IN_FIT
    ),
    "StackingClassifier": Wrapper(
        "sklearn.ensemble",
        "estimators_ final_estimator_ stack_method_ _label_encoder _n_feature_outs" + SEEN_IN_FIT,
    ),
    "TunedThresholdClassifierCV": Wrapper(
        "sklearn.model_selection", "estimator_ best_score_ best_threshold_" + SEEN_IN_FIT
    ),
    "VotingClassifier": Wrapper("sklearn.ensemble", "estimators_ le_" + SEEN_IN_FIT),
    "_CalibratedClassifier": Wrapper("sklearn.calibration", "estimator calibrators classes method"),
    "_SigmoidCalibration": Wrapper("sklearn.calibration", "a_ b_"),
    "_TemperatureScaling": Wrapper("sklearn.calibration", "beta_"),
}
# How it was fitted, which no prediction needs and which can be of any type.
NOT_KEPT = ("cv",)


def is_wrapper(estimator: Any) -> bool:
    """Whether an estimator is of one of these classes."""
    known = WRAPPERS.get(type(estimator).__name__)
    return known is not None and type(estimator) is _class_of(type(estimator).__name__)


def wrapper_state(estimator: Any, encode_estimator: Callable[[Any], Any]) -> dict[str, Any]:
    """The state of a wrapper."""
    name = type(estimator).__name__
    known = _attributes(name)
    own = {n: v for n, v in vars(estimator).items() if n in known and n not in NOT_KEPT}
    attributes = {n: encode(v, f"{name}.{n}", encode_estimator) for n, v in own.items()}
    return {"kind": "wrapper", "class": name, "attributes": attributes}


def wrapper_from(fields: Fields, decode_estimator: Callable[[Any, str], Any]) -> Any:
    """The inverse of `wrapper_state`."""
    name = fields.string("class", WRAPPERS)
    encoded = fields.raw("attributes")
    require(isinstance(encoded, dict), f"{name} has no attributes")
    require(set(encoded) <= _attributes(name), f"{name} has unknown attributes")
    own = {n: decode(v, f"{name}.{n}", decode_estimator) for n, v in encoded.items()}
    if "estimators" in own and "estimators_" in own:
        own["named_estimators_"] = _named(own["estimators"], own["estimators_"])
    cls = _class_of(name)
    wrapper = object.__new__(cls)
    if issubclass(cls, BaseEstimator):
        own |= {n: None for n in NOT_KEPT if n in _parameters(cls)}
        wrapper.__setstate__({**own, "_sklearn_version": sklearn.__version__})
    else:
        vars(wrapper).update(own)
    return wrapper


def _named(given: Any, fitted: Any) -> Bunch:
    """The estimators that were fitted, by their names."""
    are_pairs = all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in given)
    require(are_pairs and isinstance(fitted, list), "an ensemble has estimators without names")
    names = [name for name, estimator in given if estimator != "drop"]
    require(len(names) == len(fitted), "an ensemble has other estimators than names")
    return Bunch(**dict(zip(names, fitted, strict=True)))


def _class_of(name: str) -> Any:
    return getattr(import_module(WRAPPERS[name].module), name)


def _parameters(cls: Any) -> set[str]:
    return set(cls._get_param_names()) if issubclass(cls, BaseEstimator) else set()


def _attributes(name: str) -> set[str]:
    return _parameters(_class_of(name)) | set(WRAPPERS[name].fitted.split())
