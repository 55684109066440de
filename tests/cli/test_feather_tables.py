"""Feather files."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather

from dcsvm.cli.errors import UserError
from dcsvm.cli.feather_tables import open_feather
from dcsvm.cli.options import ReadingOptions


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_batches_have_all_rows_in_order(tmp_path, monkeypatch, compression):
    frame = pd.DataFrame({"a": np.arange(1000), "b": [f"t{i % 7}" for i in range(1000)]})
    feather.write_feather(frame, tmp_path / "a.feather", compression, chunksize=300)
    monkeypatch.setattr("dcsvm.cli.feather_tables.ROWS_PER_BATCH", 128)
    table = open_feather(tmp_path / "a.feather", ReadingOptions())
    assert table.names == ["a", "b"]
    assert not table.rules.is_text
    batches = list(table.batches())
    assert max(batch.num_rows for batch in batches) == 128
    pd.testing.assert_frame_equal(pa.Table.from_batches(batches).to_pandas(), frame)


def test_damage_is_found(tmp_path):
    path = tmp_path / "a.feather"
    feather.write_feather(pd.DataFrame({"a": np.random.default_rng(0).random(10_000)}), path, "lz4")
    whole = path.read_bytes()
    path.write_bytes(whole[:-50])
    with pytest.raises(UserError, match="is not a Feather file"):
        open_feather(path, ReadingOptions())
