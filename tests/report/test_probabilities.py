"""The section about probabilities has those of the classifier."""

import json

import numpy as np
import pytest
from sklearn.metrics import log_loss
from tests.report.content import gather

from dcsvm import DCSVC
from dcsvm.report.page import render


@pytest.fixture(scope="module")
def model(digits):
    return DCSVC(C=10, probability=True).fit(*digits[:2])


def test_probabilities_and_sets_of_the_rows(model, digits):
    X, y = digits[2:]
    data = gather(model, X, y)
    found = json.loads(json.dumps(data["probabilities"], allow_nan=False))
    probability = model.predict_proba(X)
    assert found["n_rows"] == len(y)
    assert found["log_loss"] == pytest.approx(log_loss(y, probability), rel=1e-3)
    assert sum(one["share"] for one in found["bins"]) == pytest.approx(1, abs=1e-3)
    right = sum(one["share"] * one["right"] for one in found["bins"])
    assert right == pytest.approx(model.score(X, y), abs=1e-3)
    for one in found["sets"]:
        sets = model.predict_set(X, one["confidence"])
        assert one["coverage"] == pytest.approx(sets[np.arange(len(y)), y].mean(), abs=1e-3)
        assert one["size"] == pytest.approx(sets.sum(axis=1).mean(), rel=1e-3)
    page = render(data)
    assert '<section id="probabilities"' in page
    assert "draw.probabilities = " in page


def test_rows_without_a_class_do_not_count(model, digits):
    X, y = digits[2:]
    labels = y.astype(float)
    labels[:100] = np.nan
    found = gather(model, X, labels)["probabilities"]
    assert found == gather(model, X[100:], y[100:])["probabilities"]


def test_a_class_that_was_not_learnt_is_in_no_set(model, digits):
    X, y = digits[2:]
    strange = np.where(y == 3, 11, y)
    found = gather(model, X, strange)["probabilities"]
    assert found["sets"][-1]["coverage"] <= 1 - (y == 3).mean() + 1e-3
    assert found["log_loss"] == pytest.approx(
        log_loss(y[y != 3], model.predict_proba(X[y != 3]), labels=np.arange(10)), rel=1e-3
    )


def test_without_probabilities_there_is_no_section(model, fitted, digits):
    X, y = digits[2:]
    assert gather(fitted, X, y)["probabilities"] is None
    assert gather(model, X, None)["probabilities"] is None
    later = DCSVC(C=10).fit(*digits[:2]).set_params(probability=True)
    assert gather(later, X, y)["probabilities"] is None
