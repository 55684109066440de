"""Model files: what is saved comes back."""

import importlib
import os
import subprocess
import sys
import zipfile
from functools import partial

import numpy as np
import pytest
import skops.io
from sklearn import config_context
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.utils import check_random_state
from tests.model_files.saved_models import (
    CODES,
    FRAME,
    LABELS,
    MODELS,
    X,
    assert_same_answers,
    fitted,
    last_step,
)

import dcsvm
from dcsvm import DCSVC, DivideAndConquerClassifier
from dcsvm.model_files import ModelFileError, load_metadata


def there_and_back(model, folder, **kwargs):
    dcsvm.save(model, folder / "model.dcsvm", **kwargs)
    return dcsvm.load(folder / "model.dcsvm")


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


@pytest.mark.parametrize(
    ("kernel", "shortlist"),
    [("linear", "linear"), ("quadratic", "quadratic"), ("landmarks", "32 landmarks")],
)
def test_every_kind_of_score(kernel, shortlist, tmp_path):
    from dcsvm.routing import select

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
            patch.setattr(select, other, lambda *arguments: None)
        patch.setattr(select, "linear_shortlist", makers[kernel])
        model = DCSVC().fit(rows, y)
    assert model.shortlist_.name == shortlist
    loaded = there_and_back(model, tmp_path)
    assert loaded.shortlist_.name == shortlist
    assert loaded.shortlist_.gap == model.shortlist_.gap
    assert_same_answers(model, loaded, rows)


@pytest.mark.parametrize(
    "labels",
    [
        CODES,
        CODES > 1,
        CODES.astype(np.uint8),
        CODES / 2,
        LABELS.astype(object),
        LABELS.astype("S"),
        CODES.astype(object) * 10**30,
        np.array("2020-01-01", dtype="datetime64[D]") + CODES,
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_of_every_type(labels, tmp_path):
    if labels.dtype.kind == "f":
        labels = np.floor(labels) * 1.0
    model = DCSVC().fit(X, labels)
    loaded = there_and_back(model, tmp_path)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert [type(c) for c in loaded.classes_] == [type(c) for c in model.classes_]
    np.testing.assert_array_equal(model.predict(X), loaded.predict(X))


def test_labels_that_no_file_holds(tmp_path):
    labels = np.array([(c,) for c in CODES.tolist()] + [None], dtype=object)[:-1]
    model = DCSVC().fit(X, labels)
    with pytest.raises(ModelFileError, match=r"type tuple.*y.astype\(str\)"):
        dcsvm.save(model, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_parameters_of_every_type(tmp_path):
    weights = {"ash": 1, "birch": np.float32(2.5), "cedar": 0.5, "dogwood": np.int64(3)}
    model = DCSVC(
        C=np.float64(2.0),
        theta="auto",
        class_weight=weights,
        random_state=check_random_state(3),
        degree=np.int64(2),
        table_rows=20,
        shortlist=None,
    ).fit(X, LABELS)
    loaded = there_and_back(model, tmp_path)
    assert loaded.theta_ == model.theta_
    assert loaded.class_weight == weights
    assert_same_answers(model, loaded, X)
    expected = model.random_state.random(5)
    np.testing.assert_array_equal(loaded.random_state.random(5), expected)
    truths = DCSVC(class_weight={False: 1.0, True: 2.0}).fit(X, CODES > 1)
    assert there_and_back(truths, tmp_path).class_weight == {False: 1.0, True: 2.0}


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


def test_names_of_features(tmp_path):
    frame = FRAME[["height", "width"]].fillna(0.0)
    loaded = there_and_back(DCSVC().fit(frame, LABELS), tmp_path)
    assert loaded.feature_names_in_.tolist() == ["height", "width"]
    assert loaded.feature_names_in_.dtype == object
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["width", "height"]])


def test_metadata(tmp_path):
    path = tmp_path / "model"
    model = DCSVC().fit(X, LABELS)
    metadata = {"columns": {"a": "float64"}, "accuracy": [0.5, None], "text": "Ωμέγα"}
    dcsvm.save(model, path, metadata=metadata)
    assert load_metadata(path) == metadata
    loaded, found = dcsvm.load(path, return_metadata=True)
    assert found == metadata
    assert isinstance(loaded, DCSVC)
    dcsvm.save(model, path)
    assert load_metadata(path) is None
    with pytest.raises(TypeError, match="metadata must be something that JSON can hold"):
        dcsvm.save(model, path, metadata={"model": model})
    assert load_metadata(path) is None


def test_file_is_one_of_skops_and_no_larger_than_its_arrays(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(1000) % 5
    rows = rng.normal(size=(1000, 50)) + y[:, np.newaxis] / 10
    model = DCSVC().fit(rows, y)
    dcsvm.save(model, tmp_path / "model")
    with zipfile.ZipFile(tmp_path / "model") as archive:
        arrays = sum(i.file_size for i in archive.infolist() if i.filename.endswith(".npy"))
    pool = model.machines_.pool.nbytes + model._sample.X.nbytes
    assert pool < arrays < 1.5 * pool
    assert (tmp_path / "model").stat().st_size < arrays + 10_000
    assert skops.io.get_untrusted_types(file=tmp_path / "model") == []
    assert skops.io.load(tmp_path / "model")["kind"] == "DCSVC"


def test_functions_are_refused(tmp_path):
    def kernel(A, B):
        return A @ B.T

    by_function = DCSVC(kernel=kernel).fit(X, LABELS)
    renamed = DCSVC(kernel=kernel).fit(X, LABELS).set_params(kernel="rbf")
    step = make_pipeline(FunctionTransformer(lambda rows: rows), DCSVC()).fit(X, LABELS)
    for model in (by_function, renamed, step):
        with pytest.raises(ModelFileError, match="function"):
            dcsvm.save(model, tmp_path / "model")
        assert list(tmp_path.iterdir()) == []


def test_types_that_are_not_known_to_be_safe_are_refused(tmp_path):
    class OwnScaler(StandardScaler):
        pass

    neighbours = DivideAndConquerClassifier(KNeighborsClassifier()).fit(X, LABELS)
    own = make_pipeline(OwnScaler(), DCSVC()).fit(X, LABELS)
    for model, name in ((neighbours, "KNeighborsClassifier"), (own, "OwnScaler")):
        with pytest.raises(ModelFileError, match=f"{name}, which is not on the list"):
            dcsvm.save(model, tmp_path / "model")
        assert list(tmp_path.iterdir()) == []


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


def test_places_that_cannot_be_written_or_read(tmp_path):
    model = DCSVC().fit(X, LABELS)
    with pytest.raises(FileNotFoundError, match="no directory"):
        dcsvm.save(model, tmp_path / "nowhere" / "model")
    with pytest.raises(IsADirectoryError):
        dcsvm.save(model, tmp_path)
    for read in (dcsvm.load, load_metadata):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "nothing")
        with pytest.raises(IsADirectoryError):
            read(tmp_path)


def test_failure_leaves_the_older_file(tmp_path, monkeypatch):
    path = tmp_path / "model"
    model = DCSVC().fit(X, LABELS)
    dcsvm.save(model, path)
    before = path.read_bytes()
    with pytest.raises(ModelFileError):
        dcsvm.save(DivideAndConquerClassifier(KNeighborsClassifier()).fit(X, LABELS), path)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        dcsvm.save(DCSVC(C=100).fit(X, LABELS), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_everything_on_the_lists_is_there():
    """A type that a new version has moved would be refused."""
    from dcsvm.model_files.allowlist import ESTIMATORS, FUNCTIONS, INTERNALS, PLAIN

    plain = [name.rpartition(".")[::2] for names in PLAIN.values() for name in names]
    others = [
        (m, n) for names in (ESTIMATORS, FUNCTIONS, INTERNALS) for m in names for n in names[m]
    ]
    missing = [n for m, n in (*plain, *others) if not hasattr(importlib.import_module(m), n)]
    assert set(missing) <= {"_RemainderColsList"}  # of older versions


def test_import_loads_nothing_of_files():
    code = "import dcsvm, sys; assert 'skops' not in sys.modules, 'skops'; dcsvm.load; dcsvm.save"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {"load", "save"} <= set(dcsvm.__all__)
    with pytest.raises(AttributeError, match="no attribute 'sove'"):
        _ = dcsvm.sove
