"""Every number of a calibration is checked."""

import numpy as np
import pytest
from tests.model_files.saved_models import fitted

from dcsvm.estimators.access import fitted_state
from dcsvm.model_files.estimators import model_from, model_state
from dcsvm.model_files.fields import Fields
from dcsvm.model_files.probability_state import calibration_from, calibration_state


def part(change):
    return lambda m: change(m["calibration"])


# One number of a state set wrong, and what is said about it.
WRONG = {
    "slope": (part(lambda c: c["sigmoids"]["slope"].__setitem__(0, -1.0)), "does not rise"),
    "slope nan": (part(lambda c: c["sigmoids"]["slope"].__setitem__(0, np.nan)), "not finite"),
    "offset": (part(lambda c: c["sigmoids"].update(offset=np.zeros(3))), "of shape"),
    "sharpness": (part(lambda c: c.update(sharpness=0.0)), "no sharpness"),
    "sharpness inf": (part(lambda c: c.update(sharpness=np.inf)), "not finite"),
    "spread": (part(lambda c: c.update(spread=1.5)), "out of range"),
    "spread nan": (part(lambda c: c.update(spread=float("nan"))), "out of range"),
    "frequency": (part(lambda c: c["frequency"].__setitem__(0, 0.9)), "add up to one"),
    "frequency zero": (part(lambda c: c["frequency"].__setitem__(0, 0.0)), "add up to one"),
    "codes": (part(lambda c: c["left_out"]["codes"].__setitem__(0, 4)), "indices beyond"),
    "probability": (
        part(lambda c: c["left_out"]["probability"].__setitem__(0, 2.0)),
        "out of range",
    ),
    "probability nan": (
        part(lambda c: c["left_out"]["probability"].__setitem__(0, np.nan)),
        "out of range",
    ),
    "weight": (part(lambda c: c["left_out"]["weight"].__setitem__(0, 0.0)), "no weight"),
    "weight shape": (part(lambda c: c["left_out"].update(weight=np.ones(2))), "of shape"),
    "type": (part(lambda c: c.update(spread="much")), "not a number"),
}


@pytest.mark.parametrize("name", WRONG)
def test_every_number_is_checked(name, refused_state):
    refused_state("probability", *WRONG[name])


def test_there_and_back():
    calibration = fitted_state(fitted("probability")[0])["calibration"]
    state = calibration_state(calibration)
    again = calibration_state(calibration_from(Fields(state, "calibration"), 4, 6))
    np.testing.assert_equal(again, state)


def test_files_of_earlier_versions_have_no_probabilities():
    state = model_state(fitted("default")[0])
    assert "calibration" not in state["fitted"]
    del state["parameters"]["probability"]
    model = model_from(state)
    assert model.probability is False
    assert not hasattr(model, "predict_proba")
