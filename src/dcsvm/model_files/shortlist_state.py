"""Shortlists as plain states, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from dcsvm.machines.of_estimators import EstimatorMachines
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.model_files.fields import Fields, require
from dcsvm.model_files.machine_state import FLOATS, matrix_from, matrix_state
from dcsvm.routing.elimination.calibration import Calibration
from dcsvm.routing.elimination.linear import LinearShortlist
from dcsvm.routing.elimination.of_estimator import EstimatorShortlist
from dcsvm.routing.elimination.of_features import FeatureShortlist
from dcsvm.routing.elimination.prototypes import PrototypeShortlist

Shortlist = LinearShortlist | EstimatorShortlist | FeatureShortlist | PrototypeShortlist
# What scores of features are linear in, and what needs landmarks.
OF_FEATURES = ("linear", "quadratic", "landmarks", "columns")


def shortlist_state(shortlist: Shortlist, encode_estimator: Any) -> dict[str, Any]:
    """The plain state of a shortlist, without its gap."""
    state: dict[str, Any] = {
        "calibration": shortlist.calibration._asdict(),
        "accuracy": float(shortlist.accuracy),
    }
    if isinstance(shortlist, PrototypeShortlist):
        names = ("directions", "offset", "prototypes", "largest_gap", "theta")
        return {**state, "scores": "prototypes", **{n: getattr(shortlist, n) for n in names}}
    state["cost"] = float(shortlist.cost)
    if isinstance(shortlist, EstimatorShortlist):
        return {**state, "scores": "estimator", "estimator": encode_estimator(shortlist.estimator)}
    if isinstance(shortlist, FeatureShortlist):
        names = ("numbers", "centre", "scale", "weights", "intercept")
        landmarks = shortlist.landmarks
        if shortlist.numbers == "landmarks":
            landmarks = matrix_state(landmarks)
        own = {name: getattr(shortlist, name) for name in names}
        return {**state, "scores": "features", **own, "landmarks": landmarks}
    scores = "quadratic" if shortlist.quadratic else "linear"
    return {
        **state,
        "scores": scores if shortlist.landmarks is None else "landmarks",
        "weights": shortlist.weights,
        "intercept": shortlist.intercept,
        "landmarks": shortlist.landmarks,
    }


def shortlist_from(
    fields: Fields,
    machines: PairwiseMachines | EstimatorMachines,
    n_features: int,
    decode_estimator: Any,
) -> Shortlist:
    """A shortlist from its state."""
    k = machines.n_classes
    calibration = _calibration_from(fields.part("calibration"))
    accuracy = fields.number("accuracy", 0.0, 1.0 + 1e-9)
    of_machines: tuple[str, ...] = ("linear", "quadratic", "landmarks", "prototypes")
    if not isinstance(machines, PairwiseMachines):
        of_machines = ("features",)
    scores = fields.string("scores", (*of_machines, "estimator"))
    if scores == "prototypes":
        directions = fields.finite_array("directions", np.float64, (n_features, None))
        m = directions.shape[1]
        prototypes = fields.finite_array("prototypes", np.float32, (None, k, m))
        require(len(prototypes), "there are no prototypes")
        return PrototypeShortlist(
            directions,
            fields.finite_array("offset", np.float64, (m,)),
            prototypes,
            calibration,
            accuracy,
            fields.number("largest_gap", 0.0),
            fields.number("theta", 0.0, 0.5),
        )
    known = calibration, accuracy, fields.finite("cost", 0.0)
    if scores == "estimator":
        name = fields.name_of("estimator")
        return EstimatorShortlist(decode_estimator(fields.raw("estimator"), name), k, *known)
    if not isinstance(machines, PairwiseMachines):
        return _of_features(fields, k, n_features, known[0], known[1])
    landmarks = None
    length = n_features
    if scores == "quadratic":
        length = n_features * (n_features + 3) // 2
    if scores == "landmarks":
        require(machines.pair_scaling is None, "landmarks cannot be used with scaling by pairs")
        landmarks = fields.indices("landmarks", np.int32, (None,), machines.n_distinct_support)
        length = len(landmarks)
        require(length, "there are no landmarks")
    if machines.kernel.name == "precomputed":
        require(scores == "landmarks", "the shortlist cannot be used with the kernel")
    elif scores != "linear":
        compiled = machines.kernel.is_built_in and machines.kernel.name != "linear"
        require(compiled, "the shortlist cannot be used with the kernel")
    return LinearShortlist(
        fields.finite_array("weights", np.float64, (k, length)),
        fields.finite_array("intercept", np.float64, (k,)),
        landmarks,
        scores == "quadratic",
        *known,
    )


def _of_features(
    fields: Fields, k: int, n_features: int, calibration: Calibration, accuracy: float
) -> FeatureShortlist:
    """Scores of features for machines of any kind."""
    numbers = fields.string("numbers", OF_FEATURES)
    width = 0 if numbers == "columns" else n_features
    length = n_features
    landmarks: Any = None
    if numbers == "quadratic":
        length = n_features * (n_features + 3) // 2
    if numbers == "landmarks":
        landmarks = matrix_from(fields, "landmarks", n_features, FLOATS)
        finite = np.isfinite(landmarks.data if sparse.issparse(landmarks) else landmarks).all()
        require(finite, "a landmark is not finite")
        length = landmarks.shape[0]
    if numbers == "columns":
        landmarks = fields.indices("landmarks", np.int64, (None,), n_features)
        length = len(landmarks)
    require(length, "there are no landmarks")
    return FeatureShortlist(
        numbers,
        fields.finite_array("centre", np.float64, (width,)),
        fields.finite_array("scale", np.float64, (width,)),
        landmarks,
        fields.finite_array("weights", np.float64, (k, length)),
        fields.finite_array("intercept", np.float64, (k,)),
        calibration,
        accuracy,
    )


def _calibration_from(fields: Fields) -> Calibration:
    behind = fields.finite_array("behind", np.float64, (None,))
    weight = fields.finite_array("weight", np.float64, (len(behind),))
    is_sorted = (behind >= 0).all() and (behind[1:] >= behind[:-1]).all()
    require(is_sorted, "a shortlist's gaps are not sorted")
    require((weight >= 0).all(), "a shortlist is calibrated with negative weights")
    return Calibration(behind, weight)
