import numpy as np
import pandas as pd
import pytest

from dcsvm.dask import parquet
from dcsvm.dask.partitions import count_labels, source_of


@pytest.fixture
def folder(tmp_path):
    frame = pd.DataFrame(np.arange(40.0).reshape(20, 2), columns=["u", "v"])
    frame.insert(1, "t", list("ab") * 10)
    (tmp_path / "deeper").mkdir()
    frame[:12].to_parquet(tmp_path / "a.parquet", row_group_size=5)
    frame[12:].to_parquet(tmp_path / "deeper" / "b.parquet", row_group_size=5)
    return tmp_path, frame


@pytest.mark.parametrize(("numbers", "n_runs"), [(2**22, 2), (30, 3), (1, 5)])
def test_runs_of_row_groups_have_all_rows_in_order(folder, numbers, n_runs, monkeypatch):
    monkeypatch.setattr(parquet, "NUMBERS_IN_RUN", numbers)
    runs, schema = parquet.row_groups(folder[0])
    assert len(runs) == n_runs
    assert schema.names == ["u", "t", "v"]
    found = pd.concat([parquet.read_frame(run, ["v", "u"]) for run in runs], ignore_index=True)
    pd.testing.assert_frame_equal(found, folder[1][["v", "u"]])
    assert [run.n_rows for run in runs] == [len(parquet.read_column(run, "t")) for run in runs]


def test_the_column_of_labels_is_no_feature(folder):
    source = source_of(str(folder[0]), "t", None)
    assert list(source.X_some.columns) == ["u", "v"]
    counted = count_labels(source.parts[0]._replace(y=source.parts[0].y.compute()))
    assert counted.n_rows.tolist() == [6, 6]


def test_errors_say_what_to_do(folder, tmp_path):
    with pytest.raises(ValueError, match="no column 'z': it has u, t, v"):
        source_of(folder[0], "z", None)
    with pytest.raises(TypeError, match="name of the column"):
        source_of(folder[0], np.zeros(3), None)
    empty = tmp_path / "none"
    empty.mkdir()
    with pytest.raises(ValueError, match="no files"):
        source_of(empty, "t", None)
    folder[1][["u"]].to_parquet(tmp_path / "c.parquet")
    with pytest.raises(ValueError, match="other columns"):
        source_of(tmp_path, "t", None)
