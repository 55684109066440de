"""Classifiers of scikit-learn that hold ours come back the same, and hold nothing else."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.model_files.saved_models import LABELS, X, there_and_back

import dcsvm
from dcsvm import DCSVC
from dcsvm.model_files import ModelFileError
from dcsvm.model_files.estimators import model_from, model_state


def piped():
    return make_pipeline(StandardScaler(), DCSVC())


def pair(name):
    return [(name, piped()), ("logistic", LogisticRegression())]


MODELS = {
    "sigmoid": CalibratedClassifierCV(piped(), cv=2),
    "isotonic": CalibratedClassifierCV(DCSVC(), method="isotonic", ensemble=False, cv=2),
    "in a pipeline": make_pipeline(StandardScaler(), CalibratedClassifierCV(DCSVC(), cv=2)),
    "vote": VotingClassifier([*pair("ours"), ("left out", "drop")]),
    "soft vote": VotingClassifier([("a", CalibratedClassifierCV(DCSVC(), cv=2))], voting="soft"),
    "stack": StackingClassifier(pair("ours"), cv=2),
    "bags": BaggingClassifier(DCSVC(), n_estimators=2, max_features=2, random_state=0),
    "one against the rest": OneVsRestClassifier(DCSVC()),
}


def assert_same_predictions(model, other, rows):
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, method):
            expected, found = getattr(model, method)(rows), getattr(other, method)(rows)
            np.testing.assert_array_equal(found, expected, err_msg=method)


@pytest.mark.parametrize("name", MODELS)
def test_predictions_come_back(name, tmp_path):
    model = MODELS[name].fit(X, LABELS)
    loaded = there_and_back(model, tmp_path)
    assert type(loaded) is type(model)
    assert_same_predictions(model, loaded, X)
    assert {*vars(loaded)} >= {n for n in vars(model) if n.endswith("_")}


def test_the_best_of_a_search(tmp_path):
    search = GridSearchCV(MODELS["sigmoid"], {"estimator__dcsvc__C": [0.1, 1]}, cv=2)
    best = search.fit(X, LABELS).best_estimator_
    assert_same_predictions(best, there_and_back(best, tmp_path), X)
    with pytest.raises(TypeError, match="best_estimator_"):
        dcsvm.save(search, tmp_path / "search.dcsvm")


def test_thresholds_and_frozen_estimators(tmp_path):
    two = np.isin(LABELS, ["ash", "birch"])
    frozen = FrozenEstimator(piped().fit(X[two], LABELS[two]))
    model = FixedThresholdClassifier(frozen, threshold=0.2, pos_label="ash").fit(
        X[two], LABELS[two]
    )
    assert_same_predictions(model, there_and_back(model, tmp_path), X)


def test_what_holds_none_of_ours_is_refused(tmp_path):
    with pytest.raises(TypeError, match="save takes a fitted DCSVC"):
        dcsvm.save(OneVsRestClassifier(LogisticRegression()).fit(X, LABELS), tmp_path / "model")


def forget_fit(state):
    for name in [n for n in state["attributes"] if n.endswith("_")]:
        del state["attributes"][name]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda s: s["attributes"].update(predict=None), "unknown attributes"),
        (lambda s: s.update({"class": "Bunch"}), "class is 'Bunch'"),
        (lambda s: s["attributes"]["estimators"]["items"].pop(0), "other estimators than names"),
        (forget_fit, "not fitted"),
        (lambda s: s["attributes"].update(n_jobs=10**6), "jobs"),
    ],
)
def test_states_that_cannot_be(change, problem):
    state = model_state(MODELS["vote"].fit(X, LABELS))
    change(state)
    with pytest.raises(ModelFileError, match=problem):
        model_from(state)
