"""Parameters and labels of every type."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.utils import check_random_state
from tests.model_files.saved_models import CODES, LABELS, X, assert_same_answers, there_and_back

import dcsvm
from dcsvm import DCSVC
from dcsvm.model_files import ModelFileError
from dcsvm.model_files.values import decode, decode_labels, encode


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


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 3, 2.5, "text"),
        *([1, [2, "a"]], (1, (None,)), {"a": {1: [2]}, 2.5: ()}),
        *(np.float32(0.1), np.int8(3), np.str_("a"), np.datetime64("2020-01-01")),
    ],
    ids=repr,
)
def test_values_are_the_same_when_they_come_back(value):
    found = decode(encode(value, "name", None), "name", None)
    assert found == value
    assert type(found) is type(value)


def test_arrays_and_generators_come_back():
    for array in (np.arange(3), np.array([["a"], ["b"]]), np.array([], np.float32)):
        found = decode(encode(array, "name", None), "name", None)
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)
    random = np.random.default_rng(0)
    assert decode(encode(random, "name", None), "name", None) is random


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (len, "C is a function .len."),
        ({1, 2}, "C is of type set"),
        ([object()], "C is of type object"),
        (np.array([None]), "C is of type ndarray"),
        (SVC, "C is a function .SVC."),
    ],
)
def test_values_that_no_file_holds(value, problem):
    with pytest.raises(ModelFileError, match=problem):
        encode(value, "C", None)


@pytest.mark.parametrize(
    ("state", "problem"),
    [
        ([1, 2], "C is missing"),
        ({"kind": 3}, "C.kind is not a text"),
        ({"kind": "object", "object": len}, "C is of type builtin"),
        ({"kind": "object", "object": np.random.Generator(np.random.MT19937())}, "MT19937"),
        ({"kind": "array", "array": [1]}, "C is not a plain array"),
        ({"kind": "array", "array": np.array([None])}, "C is not a plain array"),
        ({"kind": "dict", "items": [[1]]}, "C is not a dict"),
        ({"kind": "dict", "items": [[{"kind": "list", "items": []}, 1]]}, "C is not a dict"),
        ({"kind": "list", "items": 3}, "C.items is not a list"),
    ],
)
def test_broken_values_are_refused(state, problem):
    with pytest.raises(ModelFileError, match=problem):
        decode(state, "C", None)


@pytest.mark.parametrize(
    ("state", "problem"),
    [
        (None, "the labels are missing"),
        (np.zeros((2, 2)), "not a list"),
        (np.array([None, None]), "not a list"),
        ([1, "a"], "some labels are texts and some are not"),
        ([(1,), (2,)], "neither numbers nor texts"),
        ([1], "fewer than two"),
        (np.array([2, 1]), "not sorted and distinct"),
        (["a", "a"], "not sorted and distinct"),
        (np.array([1.0, np.nan]), "not sorted and distinct"),
    ],
)
def test_broken_labels_are_refused(state, problem):
    with pytest.raises(ModelFileError, match=problem):
        decode_labels(state)
