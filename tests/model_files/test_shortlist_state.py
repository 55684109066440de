"""Shortlists of every kind come back, and every number of them is checked."""

from functools import partial

import numpy as np
import pytest
from tests.model_files.saved_models import assert_same_answers, there_and_back

from dcsvm import DCSVC
from dcsvm.routing import select

# One number of a state set wrong, and what is said about it.
WRONG = {
    "gap": (lambda m: m["elimination"].update(gap=-1.0), "out of range"),
    "gap is nan": (lambda m: m["elimination"].update(gap=np.nan), "out of range"),
    "shortlist": (lambda m: m["shortlist_of_fit"].update(shortlist=None), "missing"),
    "weights": (
        lambda m: m["shortlist_of_fit"]["shortlist"].update(weights=np.ones((4, 2))),
        "of shape",
    ),
    "landmarks": (
        lambda m: m["shortlist_of_fit"]["shortlist"].update(
            scores="landmarks", landmarks=np.array([999], np.int32)
        ),
        "indices beyond",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_every_number_is_checked(name, refused_state):
    refused_state("default", *WRONG[name])


@pytest.mark.parametrize(
    ("kernel", "shortlist"),
    [("linear", "linear"), ("quadratic", "quadratic"), ("landmarks", "32 landmarks")],
)
def test_every_kind_of_score(kernel, shortlist, tmp_path):
    rng = np.random.default_rng(1)
    y = np.arange(300) % 5
    rows = rng.normal(size=(300, 4)) + y[:, np.newaxis]
    makers = {
        "linear": select.linear_shortlist,
        "quadratic": select.quadratic_shortlist,
        "landmarks": partial(select.landmark_shortlist, n_landmarks=32),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(select, "UNEVEN", np.inf)
        for other in ("linear_shortlist", "quadratic_shortlist", "landmark_shortlist"):
            patch.setattr(select, other, lambda *_, **__: None)
        patch.setattr(select, "linear_shortlist", makers[kernel])
        model = DCSVC(theta=0.005).fit(rows, y)
    assert model.shortlist_.name == shortlist
    loaded = there_and_back(model, tmp_path)
    assert loaded.shortlist_.name == shortlist
    assert loaded.shortlist_.gap == model.shortlist_.gap
    assert_same_answers(model, loaded, rows)
