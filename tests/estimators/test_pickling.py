"""Copies of fitted estimators, made in all the usual ways."""

import copy
import io
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from tests.model_files.saved_models import LABELS, MODELS, X, assert_same_answers, fitted, last_step

from dcsvm import DCSVC


def by_joblib(model):
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "table"])
def test_copies_give_the_same_answers(name):
    model, rows = fitted(name)
    pickled = pickle.loads(pickle.dumps(model))
    for other in (pickled, by_joblib(model), copy.deepcopy(model)):
        assert_same_answers(model, other, rows)


@pytest.mark.parametrize("name", ["default", "paper", "pair", "vote", "platt", "trees", "forest"])
def test_clones_are_fitted_to_the_same(name):
    model, rows = fitted(name)
    other = clone(model)
    assert not hasattr(last_step(other), "classes_")
    assert repr(other) == repr(clone(other)) == repr(model)
    if name == "trees":  # draws features at random
        return
    np.testing.assert_array_equal(other.fit(rows, LABELS).predict(rows), model.predict(rows))


def test_pickled_shortlist_is_known():
    model = pickle.loads(pickle.dumps(DCSVC().fit(X, LABELS)))
    without = model.rethreshold(shortlist=None)
    again = pickle.loads(pickle.dumps(without)).rethreshold(shortlist="auto")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
