"""Predictions in files of every format."""

import csv

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cli.cli_tools import fine, mistake, new_rows

from dcsvm.cli.console import Console
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.reading import open_table
from dcsvm.cli.writers import open_writer


def test_types_are_kept(folder):
    frame = new_rows(10)
    table = pa.table(
        {
            "lists": [[i] for i in range(10)],
            "sepal": pa.array(frame["sepal"], pa.float32()),
            "petal": pa.array(frame["petal"]),
            "colour": pa.array(frame["colour"].tolist()).dictionary_encode(),
            "day": pa.array(pd.to_datetime(frame["day"]), pa.date32()),
            "when": pa.array(pd.to_datetime(frame["day"]), pa.timestamp("ms", "Europe/London")),
        }
    )
    parquet.write_table(table, folder / "typed.parquet")
    fine("predict", folder / "m", folder / "typed.parquet", "-o", folder / "typed_out.parquet")
    out = parquet.read_table(folder / "typed_out.parquet")
    assert out.select(table.column_names).equals(table)
    assert out.schema.field("predicted_kind").type == pa.string()
    text = mistake("predict", folder / "m", folder / "typed.parquet", "-o", folder / "no.csv")
    assert "'lists' is of type list" in text
    frame.to_csv(folder / "c.csv", index=False)
    fine("predict", folder / "m", folder / "c.csv", "-o", folder / "c.parquet")
    kinds = {f.name: str(f.type) for f in parquet.read_schema(folder / "c.parquet")}
    assert kinds == {
        **{"sepal": "double", "petal": "double", "colour": "string", "kind": "string"},
        **{"day": "timestamp[us]", "note": "string", "predicted_kind": "string"},
        **{"decisions": "int32"},
    }


AWKWARD = {
    "text": ["a", "", None, "b, c", 'say "so"', "two\nlines", "tab\there", "ä"],
    "number": pa.array([1.5, None, 1e-7, 1e300, -0.0, 3.0, 0.1, 2.0]),
    "whole": pa.array([1, 2, None, -4, 5, 6, 7, 8], pa.int8()),
}


@pytest.mark.parametrize("columns", [["text", "number", "whole"], ["number", "whole"], ["text"]])
@pytest.mark.parametrize(("name", "delimiter"), [("a.csv", ","), ("a.tsv", "\t")])
def test_csv_can_be_read_back(tmp_path, columns, name, delimiter):
    batch = pa.record_batch({name: AWKWARD[name] for name in columns})
    with open_writer(tmp_path / name, batch.schema) as write:
        write(batch)
        write(batch.slice(0, 1))
    with (tmp_path / name).open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file, delimiter=delimiter)
    assert header == columns
    assert len(rows) == 9
    for place, column in enumerate(columns):
        expected = AWKWARD[column] if column == "text" else AWKWARD[column].to_pylist()
        found = [row[place] for row in rows[:-1]]
        if column == "text":
            assert found == [text or "" for text in expected]
        else:
            assert [float(text) if text else None for text in found] == expected


NAMES = ["a.csv.gz", "a.csv.bz2", "a.csv.xz", "a.csv.zst", "a.jsonl", "a.jsonl.zst"]


@pytest.mark.parametrize("name", [*NAMES, "a.feather", "a.parquet", "a.xlsx"])
def test_every_format_can_be_read_back(tmp_path, name):
    batch = pa.record_batch(
        {"text": ["a", 'ä, "b"', None], "number": [1.5, -2.0, 1e-7], "whole": [1, 2, 3]}
    )
    with open_writer(tmp_path / name, batch.schema) as write:
        write(batch)
        write(batch.slice(0, 1))
    table = open_table(tmp_path / name, ReadingOptions(), Console())
    found = table.read_all()
    assert found.column_names == batch.schema.names
    texts = [None if text == "" else text for text in found.column("text").to_pylist()]
    assert texts == ["a", 'ä, "b"', None, "a"]
    assert [float(number) for number in found.column("number").to_pylist()] == [1.5, -2, 1e-7, 1.5]
    assert [int(number) for number in found.column("whole").to_pylist()] == [1, 2, 3, 1]


def test_a_failure_leaves_no_file(tmp_path):
    schema = pa.schema([("a", pa.int64())])
    for name in ("a.csv", "a.csv.gz", "a.jsonl", "a.parquet", "a.feather", "a.xlsx"):
        with pytest.raises(ValueError, match="stop"), open_writer(tmp_path / name, schema):
            raise ValueError("stop")
    assert list(tmp_path.iterdir()) == []
