"""JSON lines."""

import json

import pytest

from dcsvm.cli.errors import UserError
from dcsvm.cli.json_tables import open_json_lines
from dcsvm.cli.options import ReadingOptions


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_types_are_those_that_hold_all_values(tmp_path, monkeypatch):
    """Also where the blocks, one by one, have others."""
    rows = [{"n": i, "t": "2024-05-01", "late": None} for i in range(50)]
    rows += [{"n": i + 0.5, "t": "next week", "late": "x"} for i in range(50)]
    monkeypatch.setattr("dcsvm.cli.json_tables.BLOCK_BYTES", 200)
    table = open_json_lines(written(tmp_path / "a.jsonl", rows), ReadingOptions())
    assert len(list(table.batches())) > 10
    assert table.read_all().to_pylist() == rows
    with pytest.raises(UserError, match="'n' has values of type int64 and of type string"):
        open_json_lines(written(tmp_path / "b.jsonl", [*rows[:50], {"n": "?"}]), ReadingOptions())


def test_a_name_that_a_line_lacks_is_missing(tmp_path):
    rows = [{"a": 1}, {"b": True}, {"a": 2, "b": False}]
    table = open_json_lines(written(tmp_path / "a.jsonl", rows), ReadingOptions())
    read = table.read_all()
    assert read.column("a").to_pylist() == [1, None, 2]
    assert read.column("b").to_pylist() == [None, True, False]
