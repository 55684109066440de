"""Calibrations of probabilities as plain states, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from dcsvm.model_files.fields import Fields, require
from dcsvm.probability.calibration import Calibration, LeftOutRows
from dcsvm.probability.pair_sigmoids import PairSigmoids


def calibration_state(calibration: Calibration) -> dict[str, Any]:
    """The plain state of a calibration."""
    return {
        "sigmoids": calibration.sigmoids._asdict(),
        "sharpness": float(calibration.sharpness),
        "spread": float(calibration.spread),
        "frequency": calibration.frequency,
        "left_out": calibration.left_out._asdict(),
    }


def calibration_from(fields: Fields, n_classes: int, n_machines: int) -> Calibration:
    """A calibration from its state."""
    sigmoids, left_out = fields.part("sigmoids"), fields.part("left_out")
    slope = sigmoids.finite_array("slope", np.float64, (n_machines,))
    require((slope > 0).all(), "a sigmoid does not rise")
    frequency = fields.finite_array("frequency", np.float64, (n_classes,))
    is_share = (frequency > 0).all() and abs(frequency.sum() - 1) < 1e-6
    require(is_share, "frequencies of classes do not add up to one")
    codes = left_out.indices("codes", np.int64, (None,), n_classes)
    probability = left_out.array("probability", np.float64, codes.shape)
    require(((probability >= 0) & (probability <= 1)).all(), "a probability is out of range")
    weight = left_out.finite_array("weight", np.float64, codes.shape)
    require((weight > 0).all(), "a row that was left out has no weight")
    sharpness = fields.finite("sharpness", 0.0)
    require(sharpness > 0, "probabilities have no sharpness")
    return Calibration(
        PairSigmoids(slope, sigmoids.finite_array("offset", np.float64, (n_machines,))),
        sharpness,
        fields.number("spread", 0.0, 1.0),
        frequency,
        LeftOutRows(codes, probability, weight),
    )
