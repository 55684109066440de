"""Parquet files."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from dcsvm.cli.errors import UserError
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.parquet_tables import open_parquet


def test_batches_have_all_rows_in_order(tmp_path, monkeypatch):
    frame = pd.DataFrame({"a": np.arange(1000), "b": [f"t{i % 7}" for i in range(1000)]})
    frame.to_parquet(tmp_path / "a.parquet", row_group_size=300)
    monkeypatch.setattr("dcsvm.cli.parquet_tables.VALUES_PER_BATCH", 100)
    table = open_parquet(tmp_path / "a.parquet", ReadingOptions())
    assert table.names == ["a", "b"]
    assert table.n_rows == 1000
    batches = list(table.batches())
    assert max(batch.num_rows for batch in batches) == 50  # of two columns
    pd.testing.assert_frame_equal(pa.Table.from_batches(batches).to_pandas(), frame)


def test_types_are_those_of_the_file(tmp_path):
    columns = {"i": pa.array([1], pa.int8()), "c": pa.array(["x"]).dictionary_encode()}
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    table = open_parquet(tmp_path / "a.parquet", ReadingOptions(coerce=True))
    assert table.schema.types == [pa.int8(), columns["c"].type]
    assert not table.rules.is_text
    assert table.rules.coerce


def test_damage_is_found(tmp_path):
    path = tmp_path / "a.parquet"
    rng = np.random.default_rng(0)
    pd.DataFrame({"a": rng.random(10_000)}).to_parquet(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(UserError, match="is not a Parquet file"):
        open_parquet(path, ReadingOptions())
    path.write_bytes(whole[:10] + b"\xff" * 60 + whole[70:])  # the footer is sound
    with pytest.raises(UserError, match="is damaged"):
        open_parquet(path, ReadingOptions()).read_all()
