import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from dask import compute
from dcsvm.dask.partitions import (
    Part,
    codes_of,
    count_labels,
    source_of,
    total_counts,
    weight_of,
)

X = np.arange(20.0).reshape(10, 2)
Y = np.array(list("abcabcabca"))


def parts_of(*given):
    return compute(*source_of(*given).parts)


def test_arrays_are_cut_as_their_features_are():
    array = da.from_array(X, chunks=(4, 1))
    for y in (Y, Y.tolist(), da.from_array(Y, chunks=10), da.from_array(Y, chunks=4)):
        parts = parts_of(array, y, None)
        assert [part.X.shape for part in parts] == [(4, 2), (4, 2), (2, 2)]
        assert np.concatenate([part.y for part in parts]).tolist() == Y.tolist()


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [(["f4", "f4"], "f4"), (["f4", "f8"], "f8"), (["i4", "i4"], "f8"), (["i1", "f4"], "f4")],
)
def test_the_type_in_training_is_that_of_a_local_fit(dtypes, expected):
    frame = pd.DataFrame({"a": X[:, 0].astype(dtypes[0]), "b": X[:, 1].astype(dtypes[1])})
    source = source_of(dd.from_pandas(frame, npartitions=2), dd.from_pandas(pd.Series(Y), 2), None)
    assert source.dtype == expected
    assert list(source.X_some.columns) == ["a", "b"]
    if dtypes[0] == dtypes[1]:
        array = da.from_array(X.astype(dtypes[0]), chunks=5)
        assert source_of(array, Y, None).dtype == expected


def test_chunks_of_unknown_length_need_collections():
    array = da.from_array(X, chunks=(5, 2))
    unknown = array[array[:, 0] > 3]
    with pytest.raises(TypeError, match="unknown lengths"):
        source_of(unknown, Y[2:], None)
    parts = parts_of(unknown, da.from_array(Y, chunks=5)[array[:, 0] > 3], None)
    assert [len(part.X) for part in parts] == [len(part.y) for part in parts] == [3, 5]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((X, Y, None), "takes a dask array"),
        ((da.from_array(X, chunks=5), None, None), "target y is None"),
        ((da.from_array(X, chunks=5), Y[:-1], None), "inconsistent numbers"),
        ((da.from_array(X, chunks=5), da.from_array(Y[:-1], chunks=3), None), "inconsistent"),
        ((da.from_array(X[:, 0], chunks=5), Y, None), "2D array"),
        ((dd.from_pandas(pd.DataFrame(X), 2), dd.from_pandas(pd.Series(Y), 3), None), "2 part"),
        ((dd.from_pandas(pd.DataFrame({"t": Y}), 2), Y, None), "not numbers: 't'"),
        ((dd.from_pandas(pd.DataFrame({"t": Y}).astype("category"), 2), Y, None), "'t' .categ"),
    ],
)
def test_errors_say_what_to_do(given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        source_of(*given)


def test_labels_are_counted_over_partitions():
    weight = np.array([1, 0, 1, -1, 2, 1.0])
    parts = [
        Part(None, Y[:3], weight[:3]),
        Part(None, Y[:0], weight[:0]),
        Part(None, Y[3:6], weight[3:]),
    ]
    found = total_counts([count_labels(part) for part in parts])
    assert found.labels.tolist() == ["a", "b", "c"]
    assert found.n_rows.tolist() == [2, 2, 2]
    assert found.n_weighted.tolist() == [1, 1, 2]
    with pytest.raises(ValueError, match="0 sample"):
        total_counts([count_labels(Part(None, Y[:0]))])
    with pytest.raises(ValueError, match="cannot be sorted"):
        total_counts(
            [count_labels(Part(None, [1])), count_labels(Part(None, np.array(["a"], object)))]
        )


def test_labels_that_change_are_noticed():
    assert codes_of(pd.Categorical(["b", "a"]), np.array(["a", "b"])).tolist() == [1, 0]
    with pytest.raises(ValueError, match="other labels than when"):
        codes_of(np.array(["c"]), np.array(["a", "b"]))


def test_weights_are_checked():
    assert weight_of(Part(None, Y)).tolist() == [1.0] * 10
    with pytest.raises(ValueError, match="NaN"):
        weight_of(Part(None, Y, np.full(10, np.nan)))
    with pytest.raises(ValueError, match="expected"):
        weight_of(Part(None, Y, np.ones(3)))
