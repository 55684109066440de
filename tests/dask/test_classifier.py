"""DaskDCSVC on a cluster of processes, beside DCSVC on the same rows."""

import inspect
import pickle

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.dask.test_stages import assert_equal

import dcsvm
from dcsvm import DCSVC
from dcsvm.dask import DaskDCSVC

RNG = np.random.default_rng(1)
CODES = RNG.permutation(np.repeat(np.arange(6), 100))
X = (RNG.normal(size=(600, 4)) + 2 * RNG.normal(size=(6, 4))[CODES]).round(1)
Y = np.array(list("abcdef"))[CODES]
WEIGHT = RNG.integers(0, 4, 600) / 2.0
FRAME = pd.DataFrame(X, columns=list("pqrs")).assign(t=pd.Categorical(Y), w=WEIGHT)


def test_arrays(client):
    rows, labels = da.from_array(X, chunks=(170, 2)), da.from_array(Y, chunks=200)
    local = DCSVC(C=2.0).fit(X, Y, WEIGHT)
    clf = DaskDCSVC(client, C=2.0).fit(rows, labels, WEIGHT)
    assert_equal(clf.to_local(), local, X)
    assert clf.to_local().shape_fit_ == local.shape_fit_
    assert clf.classes_.tolist() == list("abcdef")
    assert clf.n_features_in_ == 4
    assert clf.plan_.n_rows == (WEIGHT > 0).sum()
    assert np.array_equal(clf.predict(rows).compute(), local.predict(X))
    found = clf.predict_with_decisions(rows)
    for ours, theirs in zip(found, local.predict_with_decisions(X), strict=True):
        assert np.array_equal(ours.compute(), theirs)
    assert clf.score(rows, labels) == pytest.approx(local.score(X, Y))
    assert hasattr(clf, "predict_proba") == hasattr(local, "predict_proba")


def test_frames_with_categories_of_labels_and_partitions_without_rows(client):
    whole = dd.from_pandas(FRAME, npartitions=5)
    some = whole[(whole["p"] > 0.5) | (whole.index > 150)]
    kept = FRAME[(FRAME["p"] > 0.5) | (FRAME.index > 150)]
    lost = whole[whole["p"] > 1e9]
    frame = dd.concat([lost, some[some["t"] != "f"], some[some["t"] == "f"]])
    rows = pd.concat([kept[kept["t"] != "f"], kept[kept["t"] == "f"]])
    features = list("pqrs")
    clf = DaskDCSVC(client).fit(frame[features], frame["t"])
    local = DCSVC().fit(rows[features], rows["t"])
    assert_equal(clf.to_local(), local, rows[features])
    assert clf.to_local().feature_names_in_.tolist() == features
    labels = clf.predict(some[features])
    assert labels.divisions == some.divisions
    assert np.array_equal(labels.compute(), local.predict(kept[features]))
    scores = clf.decision_function(some[features]).compute()
    assert np.array_equal(scores, local.decision_function(kept[features]))
    assert scores.columns.tolist() == list("abcdef")


def test_a_folder_of_parquet_files(client, tmp_path):
    FRAME[:250].to_parquet(tmp_path / "1.parquet", row_group_size=100)
    FRAME[250:].to_parquet(tmp_path / "2.parquet", row_group_size=100)
    clf = DaskDCSVC(client).fit(tmp_path, "t", "w")
    assert_equal(clf.to_local(), DCSVC().fit(FRAME[list("pqrs")], Y, WEIGHT), FRAME[list("pqrs")])
    assert "600" not in str(clf.plan(tmp_path, "t", "w"))
    assert "600 rows × 4 features in 6 classes" in str(
        clf.plan(dd.read_parquet(tmp_path)[list("pqrs")], dd.read_parquet(tmp_path)["t"])
    )


def test_the_result_is_an_ordinary_classifier(client, tmp_path):
    clf = DaskDCSVC(client).fit(da.from_array(X, 300), Y)
    local = clf.to_local()
    assert type(local) is DCSVC
    dcsvm.save(local, tmp_path / "model.dcsvm")
    for again in (dcsvm.load(tmp_path / "model.dcsvm"), pickle.loads(pickle.dumps(local))):
        assert np.array_equal(again.predict(X), local.predict(X))
    copied = pickle.loads(pickle.dumps(clf))
    assert copied.client is None
    assert np.array_equal(copied.to_local().predict(X), local.predict(X))


def test_workers_get_the_model_once(client):
    clf = DaskDCSVC(client).fit(da.from_array(X, 300), Y)
    rows = da.from_array(X, 20)
    for _ in range(2):
        graph = clf.predict(rows).__dask_graph__()
        assert len(pickle.dumps(dict(graph))) < len(pickle.dumps(clf.to_local()))
    assert clf._model[1] is clf._model_for(client)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((da.from_array(X, 300), np.zeros(600)), "only one class"),
        ((da.from_array(np.where(X > 3, np.nan, X), 300), Y), "contains NaN"),
        ((da.from_array(X, 300), Y, (CODES > 0) * 1.0), "class 'a' have zero weight|'a' has"),
    ],
)
def test_errors_are_those_of_a_local_fit(client, given, message):
    clf = DaskDCSVC(client)
    with pytest.raises(ValueError, match=message):
        clf.fit(*given)
    assert not hasattr(clf, "plan_")


def test_parameters_are_those_of_dcsvc(client):
    names = [*inspect.signature(DCSVC).parameters]
    assert [*inspect.signature(DaskDCSVC).parameters] == ["client", *names]
    clf = DaskDCSVC(client, C=3, theta=0.01)
    assert clone(clf).get_params() == {**DCSVC(C=3, theta=0.01).get_params(), "client": client}
    with pytest.raises(TypeError, match="no parameter 'D'"):
        DaskDCSVC(D=3)
    with pytest.raises(ValueError, match="The 'C' parameter"):
        DaskDCSVC(client, C=-1).fit(da.from_array(X, 300), Y)
    with pytest.raises(ValueError, match="precomputed"):
        DaskDCSVC(client, kernel="precomputed").fit(da.from_array(X, 300), Y)
