"""Shortlists as plain states, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.model_files.fields import Fields, require
from dcsvm.routing.elimination.calibration import Calibration
from dcsvm.routing.elimination.linear import LinearShortlist
from dcsvm.routing.elimination.of_estimator import EstimatorShortlist

Shortlist = LinearShortlist | EstimatorShortlist


def shortlist_state(shortlist: Shortlist, encode_estimator: Any) -> dict[str, Any]:
    """The plain state of a shortlist, without its gap."""
    state: dict[str, Any] = {
        "calibration": shortlist.calibration._asdict(),
        "accuracy": float(shortlist.accuracy),
        "cost": float(shortlist.cost),
    }
    if isinstance(shortlist, EstimatorShortlist):
        return {**state, "scores": "estimator", "estimator": encode_estimator(shortlist.estimator)}
    scores = "quadratic" if shortlist.quadratic else "linear"
    return {
        **state,
        "scores": scores if shortlist.landmarks is None else "landmarks",
        "weights": shortlist.weights,
        "intercept": shortlist.intercept,
        "landmarks": shortlist.landmarks,
    }


def shortlist_from(
    fields: Fields, machines: PairwiseMachines, n_features: int, decode_estimator: Any
) -> Shortlist:
    """A shortlist from its state."""
    k = machines.n_classes
    known = (
        _calibration_from(fields.part("calibration")),
        fields.number("accuracy", 0.0, 1.0 + 1e-9),
        fields.finite("cost", 0.0),
    )
    scores = fields.string("scores", ("linear", "quadratic", "landmarks", "estimator"))
    if scores == "estimator":
        name = fields.name_of("estimator")
        return EstimatorShortlist(decode_estimator(fields.raw("estimator"), name), k, *known)
    landmarks = None
    length = n_features
    if scores == "quadratic":
        length = n_features * (n_features + 3) // 2
    if scores == "landmarks":
        require(machines.pair_scaling is None, "landmarks cannot be used with scaling by pairs")
        landmarks = fields.indices("landmarks", np.int32, (None,), machines.n_distinct_support)
        length = len(landmarks)
        require(length, "there are no landmarks")
    if scores != "linear":
        compiled = machines.kernel.is_built_in and machines.kernel.name != "linear"
        require(compiled, "the shortlist cannot be used with the kernel")
    return LinearShortlist(
        fields.finite_array("weights", np.float64, (k, length)),
        fields.finite_array("intercept", np.float64, (k,)),
        landmarks,
        scores == "quadratic",
        *known,
    )


def _calibration_from(fields: Fields) -> Calibration:
    behind = fields.finite_array("behind", np.float64, (None,))
    weight = fields.finite_array("weight", np.float64, (len(behind),))
    is_sorted = (behind >= 0).all() and (behind[1:] >= behind[:-1]).all()
    require(is_sorted, "a shortlist's gaps are not sorted")
    require((weight >= 0).all(), "a shortlist is calibrated with negative weights")
    return Calibration(behind, weight)
