"""Values of columns, and those that do not fit."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.cli.cli_tools import fine, mistake, new_rows

from dcsvm.cli.columns import BOOLEAN, DATE, NUMBER, Column, ValueRules, convert
from dcsvm.cli.errors import UserError
from dcsvm.cli.number_formats import NumberFormat


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


TEXT_FILE = ValueRules(is_text=True)
EUROPEAN = ValueRules(is_text=True, number_format=NumberFormat.COMMA)


@pytest.mark.parametrize(
    ("texts", "rules", "expected"),
    [
        (["1", " 2.5 ", "1e3", "-.5"], TEXT_FILE, [1, 2.5, 1000, -0.5]),
        (["1", "NA", "", "?", "NULL", None], TEXT_FILE, [1, *[np.nan] * 5]),
        (["1,5", "2", "-,25"], EUROPEAN, [1.5, 2, -0.25]),
        (["1e300", "inf", "3"], TEXT_FILE, [np.nan, np.nan, 3]),
    ],
)
def test_texts_become_numbers(texts, rules, expected):
    found = convert(pa.array(texts), Column("x", NUMBER), rules)
    assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("texts", [["1,5"], ["1_000"], ["0x10"], ["12 kg"], ["$5€"]])
def test_other_texts_are_no_numbers(texts):
    with pytest.raises(UserError, match="in row 8 is not a number"):
        convert(pa.array(texts), Column("x", NUMBER), TEXT_FILE, first_row=7)
    coerced = convert(pa.array(texts), Column("x", NUMBER), replace(TEXT_FILE, coerce=True))
    assert np.isnan(coerced).all()


def test_true_and_false():
    texts = pa.chunked_array([["True", "FALSE"], ["false", None, "NaN"]])
    found = convert(texts, Column("x", BOOLEAN), TEXT_FILE)
    assert found == pytest.approx([1, 0, 0, np.nan, np.nan], nan_ok=True)
    assert convert(pa.array([True, False]), Column("x", BOOLEAN), TEXT_FILE).tolist() == [1, 0]
    with pytest.raises(UserError, match="'yes' in row 1 is not true or false"):
        convert(pa.array(["yes"]), Column("x", BOOLEAN), TEXT_FILE)


def test_dates_lose_their_zone_and_keep_their_time():
    column = Column("x", DATE, "%d.%m.%Y")
    found = convert(pa.array(["31.01.2021", ""]), column, TEXT_FILE)
    assert found.tolist() == [pd.Timestamp("2021-01-31"), pd.NaT]
    noon = pd.Series(pd.to_datetime(["2021-07-01 12:00"])).dt.tz_localize("Europe/Berlin")
    zoned = convert(pa.array(noon), Column("x", DATE), ValueRules(is_text=False))
    assert zoned.tolist() == [pd.Timestamp("2021-07-01 10:00")]
