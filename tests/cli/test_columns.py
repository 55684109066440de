"""Values of columns, and those that do not fit."""

import pandas as pd
from tests.cli.cli_tools import fine, mistake, new_rows


def test_a_value_that_does_not_fit_is_found_in_any_batch(folder, monkeypatch):
    monkeypatch.setattr("dcsvm.cli.delimited.BLOCK_BYTES", 1024)
    frame = new_rows().astype({"petal": object})
    frame.loc[37, "petal"] = "broad"
    frame.to_csv(folder / "h.csv", index=False)
    text = mistake("predict", folder / "m", folder / "h.csv", "-o", folder / "h_out.csv")
    assert "'broad' in row 38" in text
    assert "--coerce" in text
    assert not (folder / "h_out.csv").exists()
    coerced = fine("predict", folder / "m", folder / "h.csv", "--coerce").out
    frame.loc[37, "petal"] = ""
    frame.to_csv(folder / "h.csv", index=False)
    gap = fine("predict", folder / "m", folder / "h.csv").out
    assert coerced.replace("broad", "") == gap


def test_columns_of_another_type(folder):
    frame = new_rows(5).assign(sepal=pd.Timestamp("2020-01-01"))
    frame.to_parquet(folder / "i.parquet")
    text = mistake("predict", folder / "m", folder / "i.parquet", "-o", folder / "i.csv")
    assert "Column 'sepal' has numbers" in text
    assert "timestamp" in text
    new_rows(5).assign(colour=1.5).to_parquet(folder / "i.parquet")
    text = mistake("predict", folder / "m", folder / "i.parquet", "-o", folder / "i.csv")
    assert "Column 'colour' has texts" in text
