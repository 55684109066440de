"""Estimators are the same when they come back from their plain states."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tests.model_files.broken_files import refused
from tests.model_files.mutations import zipped
from tests.model_files.saved_models import (
    CODES,
    FRAME,
    LABELS,
    MODELS,
    X,
    assert_same_answers,
    fitted,
    last_step,
    there_and_back,
)

import dcsvm
from dcsvm import DAGSVC, DCSVC, DCSVCCV, DivideAndConquerClassifier, OneVsOneSVC

# One number of a state set wrong, and what is said about it.
WRONG = {
    "classes": (lambda m: m["classes"].__setitem__(0, "zzz"), "sorted and distinct"),
    "n_features": (lambda m: m.update(n_features=2), "of shape"),
    "theta": (lambda m: m.update(theta=0.7), "out of range"),
}


def assert_same_parameters(a, b):
    a, b = a.get_params(), b.get_params()
    assert a.keys() == b.keys()
    for name, value in a.items():
        if not hasattr(value, "fit") and "steps" not in name and "transformers" not in name:
            assert repr(value) == repr(b[name]), name


@pytest.mark.parametrize("name", MODELS)
def test_all_answers_come_back(name, tmp_path):
    model, rows = fitted(name)
    loaded = there_and_back(model, tmp_path)
    bytes_written = (tmp_path / "model.dcsvm").read_bytes()
    dcsvm.save(model, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == bytes_written
    assert type(loaded) is type(model)
    assert_same_answers(model, loaded, rows)
    assert_same_parameters(last_step(model), last_step(loaded))
    # What has grown since is saved, too, and another copy of it again the same.
    assert_same_answers(model, there_and_back(loaded, tmp_path), rows)


def test_parameters_set_after_fit_change_nothing(tmp_path):
    model = DCSVC().fit(X, LABELS).set_params(theta=0.3, routing="sign", shortlist=None)
    loaded = there_and_back(model, tmp_path)
    assert loaded.theta == 0.3
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    model = DivideAndConquerClassifier(LogisticRegression()).fit(X, LABELS).set_params(theta=0.3)
    loaded = there_and_back(model, tmp_path)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_rethreshold_after_load(tmp_path):
    model = DCSVC().fit(X, LABELS).rethreshold(theta=0.1, shortlist=None)
    loaded = there_and_back(model, tmp_path)
    assert_same_answers(model, loaded, X)
    again, expected = (m.rethreshold(shortlist="auto", theta=0.001) for m in (loaded, model))
    assert_same_answers(expected, again, X)
    shortlist = LogisticRegression()
    loaded = there_and_back(DCSVC(shortlist=shortlist).fit(X, LABELS), tmp_path)
    loaded.rethreshold(shortlist=loaded.shortlist)  # is known to be the one that was fitted
    with pytest.raises(ValueError, match="Fit with this shortlist"):
        loaded.rethreshold(shortlist=shortlist)


def test_of_a_search_what_it_has_found_comes_back(tmp_path):
    search = DCSVCCV(Cs=[1.0, 10.0], gammas=["scale"], cv=2)
    loaded = there_and_back(search.fit(X, LABELS), tmp_path)
    assert type(loaded) is DCSVC
    assert loaded.C == search.C_
    assert (loaded.predict(X) == search.predict(X)).all()
    loaded = there_and_back(make_pipeline(StandardScaler(), search).fit(X, LABELS), tmp_path)
    assert type(loaded[-1]) is DCSVC
    with pytest.raises(NotFittedError):
        dcsvm.save(search.set_params(refit=False).fit(X, LABELS), tmp_path / "model")


def test_names_of_features(tmp_path):
    frame = FRAME[["height", "width"]].fillna(0.0)
    loaded = there_and_back(DCSVC().fit(frame, LABELS), tmp_path)
    assert loaded.feature_names_in_.tolist() == ["height", "width"]
    assert loaded.feature_names_in_.dtype == object
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["width", "height"]])


def test_other_objects_are_refused(tmp_path):
    search = GridSearchCV(DCSVC(), {"C": [1.0]}, cv=2).fit(X, LABELS)
    for model in (SVC().fit(X, LABELS), search, make_pipeline(StandardScaler()), "model", None):
        with pytest.raises(TypeError, match="save takes a fitted DCSVC"):
            dcsvm.save(model, tmp_path / "model")
    assert_same_answers(search.best_estimator_, there_and_back(search.best_estimator_, tmp_path), X)


def test_what_is_not_fitted_is_refused(tmp_path):
    for model in (DCSVC(), make_pipeline(StandardScaler(), DCSVC())):
        with pytest.raises(NotFittedError):
            dcsvm.save(model, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_caches_and_requests_of_a_pipeline(tmp_path):
    with config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True)
        clf = DivideAndConquerClassifier(inner).fit(X, LABELS, sample_weight=CODES + 1.0)
        loaded = there_and_back(clf, tmp_path)
        assert_same_answers(clf, loaded, X)
        with pytest.raises(ValueError, match="sample_weight"):  # to be requested anew
            loaded.fit(X, LABELS, sample_weight=CODES + 1.0)
        assert inner.get_metadata_routing().fit.requests == {"sample_weight": True}
    cached = make_pipeline(StandardScaler(), DCSVC(), memory=str(tmp_path / "cache"))
    loaded = there_and_back(cached.fit(X, LABELS), tmp_path)
    np.testing.assert_array_equal(loaded.predict(X), cached.predict(X))
    assert loaded.memory is None  # it is a place on another computer


def test_further_fitting_of_what_was_loaded(tmp_path):
    model = DivideAndConquerClassifier(SGDClassifier(random_state=0)).fit(X, LABELS)
    loaded = there_and_back(model, tmp_path)
    assert_same_answers(model, loaded, X)
    again = loaded.fit(X, LABELS)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_models_are_what_they_say(tmp_path, members):
    """Another class than the one that was saved lacks something, or has all that it needs."""
    for kind, cls in [("DAGSVC", DAGSVC), ("OneVsOneSVC", OneVsOneSVC)]:
        schema = members["margin"]["schema.json"].decode()
        other = zipped(
            {
                **members["margin"],
                "schema.json": schema.replace('\\"DCSVC\\"', f'\\"{kind}\\"').encode(),
            }
        )
        (tmp_path / "model").write_bytes(other)
        assert type(dcsvm.load(tmp_path / "model")) is cls
    wrong = schema.replace('\\"DCSVC\\"', '\\"DivideAndConquerClassifier\\"').encode()
    refused(zipped({**members["margin"], "schema.json": wrong}), tmp_path, "is missing")


@pytest.mark.parametrize("model", ["default", "margin"])
@pytest.mark.parametrize("name", WRONG)
def test_every_number_is_checked(model, name, refused_state):
    refused_state(model, *WRONG[name])
