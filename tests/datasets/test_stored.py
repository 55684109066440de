"""Data sets in Parquet files."""

import numpy as np
import pandas as pd
import pytest

from dcsvm.datasets import load, stored
from dcsvm.datasets.sources import Source


def test_extra_columns_and_split(official_folder):
    glass = load("glass")
    np.testing.assert_array_equal(glass.extra["id"], np.arange(1, 215))
    assert glass.split is None
    vowel = load("vowel")
    assert set(vowel.extra) == {"speaker", "sex"}
    assert (vowel.split == "train").sum() == 528


def test_folder_beside_the_working_directory(monkeypatch, tmp_path):
    folder = tmp_path / "shared" / "data"
    folder.mkdir(parents=True)
    frame = pd.DataFrame({"f0": [1, 2], "f1": [3.5, 4.5], "label": ["a", "b"]})
    frame.to_parquet(folder / "glass.parquet")
    (tmp_path / "project").mkdir()
    monkeypatch.delenv("DCSVM_DATA", raising=False)
    monkeypatch.chdir(tmp_path / "project")
    data = load("glass")
    np.testing.assert_array_equal(data.data, [[1, 3.5], [2, 4.5]])
    assert data.target.tolist() == ["a", "b"]


def test_the_folder_named_counts_and_no_other(monkeypatch, tmp_path):
    monkeypatch.setenv("DCSVM_DATA", str(tmp_path))
    assert stored.folders() == [tmp_path]


def test_without_pyarrow(monkeypatch, tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"")

    def read_parquet(_):
        raise ImportError("no pyarrow")

    monkeypatch.setattr("pandas.read_parquet", read_parquet)
    with pytest.raises(ImportError, match=r"dcsvm\[paper\]"):
        stored.read(tmp_path / "x.parquet")


def test_columns_by_their_names_and_types(tmp_path):
    columns = {
        "f1": np.array([1, 2], np.uint8),
        "f0": np.array([0.5, np.nan], np.float32),
        "flag": [True, False],
        "label": np.array([3, 1], np.int16),
        "split": pd.Categorical(["train", "test"]),
    }
    pd.DataFrame(columns).to_parquet(tmp_path / "x.parquet")
    data = stored.read(tmp_path / "x.parquet")
    np.testing.assert_array_equal(data.data, [[1, 0.5], [2, np.nan]])
    assert data.feature_names == ["f1", "f0"]
    assert data.target.dtype == np.int64
    assert data.target.tolist() == [3, 1]
    assert data.split.tolist() == ["train", "test"]
    assert {name: column.tolist() for name, column in data.extra.items()} == {"flag": [1, 0]}


def test_find_takes_the_first_folder_that_has_the_file(monkeypatch, tmp_path):
    folders = [tmp_path / "a", tmp_path / "b"]
    monkeypatch.setattr(stored, "folders", lambda: folders)
    assert stored.find("iris.parquet") is None
    for folder in reversed(folders):
        folder.mkdir()
        (folder / "iris.parquet").touch()
        assert stored.find("iris.parquet") == folder / "iris.parquet"
    (folders[1] / "kept.parquet").touch()
    assert stored.stored_file(Source("x", 1, 1, 1, "", "", stored_as="kept")).parent == folders[1]


def test_description_says_what_and_where_from():
    text = stored.description(Source("x", 7, 6, 5, "Some rows.", "there"), "here")
    assert text.split("\n") == [
        "x: Some rows.",
        "7 rows, 6 features, 5 classes.",
        "Original: there. These rows: here.",
    ]
