"""Prediction by partitions, by the scheduler of this process."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import dask
from dcsvm import DCSVC
from dcsvm.dask.partitions import Part
from dcsvm.dask.prediction import Output, model_on, predicted, right_weight

X, CODES = load_iris(return_X_y=True)
FRAME = pd.DataFrame(X, columns=list("abcd"), index=np.arange(150) * 2)
LABELS = {
    "texts": np.array(["setosa", "versicolor", "virginica"])[CODES],
    "objects": np.array(["setosa", "versicolor", "virginica"], object)[CODES],
    "numbers": CODES,
    "dates": np.array(["2020", "2021", "2022"], "datetime64[s]")[CODES],
}


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("chunks", [150, 40, (50, 2)])
def test_arrays_keep_their_chunks(labels, chunks):
    clf = DCSVC().fit(X, LABELS[labels])
    found = predicted(
        da.from_array(X, chunks), model_on(None, clf), Output("predict", clf.classes_[:1])
    )
    assert found.dtype == clf.classes_.dtype
    assert found.chunks == (da.from_array(X, chunks).chunks[0],)
    assert np.array_equal(found.compute(), clf.predict(X))
    wide = Output("decision_function", np.zeros((1, 3)), clf.classes_.tolist())
    scores = predicted(da.from_array(X, chunks), model_on(None, clf), wide)
    assert scores.shape == (150, 3)
    assert np.array_equal(scores.compute(), clf.decision_function(X))


@pytest.mark.parametrize("labels", LABELS)
def test_frames_keep_their_index_and_divisions(labels):
    clf = DCSVC().fit(FRAME, LABELS[labels])
    frame = dd.from_pandas(FRAME, npartitions=4)
    found = predicted(frame, model_on(None, clf), Output("predict", clf.classes_[:1]))
    assert found.divisions == frame.divisions
    computed = found.compute()
    pd.testing.assert_series_equal(
        computed, pd.Series(clf.predict(FRAME), FRAME.index, name="label"), check_index_type=False
    )
    assert computed.dtype == found.dtype
    names = clf.classes_.tolist()
    wide = Output("decision_function", np.zeros((1, 3)), names)
    scores = predicted(frame, model_on(None, clf), wide)
    assert scores.columns.tolist() == names
    assert np.array_equal(scores.compute().to_numpy(), clf.decision_function(FRAME))


def test_partitions_without_rows_are_predicted():
    clf = DCSVC().fit(X, CODES)
    array = da.from_array(X, 50)
    some = array[(array[:, 0] > 5) & (da.arange(150, chunks=50) >= 50)]
    found = predicted(some, model_on(None, clf), Output("predict", clf.classes_[:1]))
    assert np.isnan(found.chunks[0]).all()
    assert np.array_equal(found.compute(), clf.predict(some.compute()))
    assert right_weight(clf, Part(X[:0], CODES[:0])).tolist() == [0, 0]


def test_what_is_right_is_weighed():
    clf, weight = DCSVC().fit(X, CODES), np.arange(150.0)
    right, total = right_weight(clf, Part(X, CODES, weight))
    assert right / total == pytest.approx(clf.score(X, CODES, weight))


def test_rows_in_memory_are_refused():
    with pytest.raises(TypeError, match="use to_local"):
        predicted(X, None, Output("predict", CODES[:1]))


def test_the_model_uses_one_thread_and_is_not_changed():
    clf = DCSVC(n_jobs=2).fit(X, CODES)
    assert model_on(None, clf).compute().n_jobs == 1
    assert clf.n_jobs == 2
