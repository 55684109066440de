"""The kinds of columns."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.cli.cli_tools import fine, flowers

from dcsvm.cli.columns import NUMBER, Column, ValueRules, convert
from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.inferring import find_offset, infer_columns


def test_a_column_that_numbers_the_rows_is_pointed_out(table, tmp_path):
    frame = flowers().assign(id=np.arange(90))
    outcome = fine("fit", table(frame), "-t", "kind", "-o", tmp_path / "m")
    assert "leave it out with --drop 'id'" in outcome.err


def test_odd_values_among_numbers(table, tmp_path):
    frame = flowers().astype({"sepal": object})
    frame.loc[[3, 9], "sepal"] = ["unknown", "inf"]
    path = table(frame)
    words = ("fit", path, "-t", "kind", "-o", tmp_path / "m", "--json")
    document = fine(*words).document
    assert document["columns"][0]["kind"] == "text"
    assert "'unknown', so that it counts as text: add --coerce" in " ".join(document["notes"])
    document = fine(*words, "--coerce").document
    assert document["columns"][0]["kind"] == "number"
    assert "1 infinite or immense value" in " ".join(document["notes"])


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "2.5", "NA", ""], "number"),
        (["007", "012", "100"], "text"),
        (["1,5", "2"], "number"),
        (["true", "FALSE", "?"], "boolean"),
        (["2021-01-31", "2021-02-28"], "date"),
        (["2021-01-31", "soon"], "text"),
        ([*map(str, range(19)), "x"], "number"),
        ([*map(str, range(8)), "x"], "text"),
    ],
)
def test_kinds_of_texts(texts, kind):
    rules = ValueRules(is_text=True, coerce=True)
    columns = infer_columns(pa.table({"x": texts}), ["x"], rules, Console(quiet=True))
    assert [(column.name, column.kind) for column in columns] == [("x", kind)]


def test_columns_of_no_use_are_named():
    table = pa.table({"same": ["a"] * 3, "gap": ["a", "", "a"], "none": ["", "?", "NA"]})
    console = Console(quiet=True)
    rules = ValueRules(is_text=True)
    (column,) = infer_columns(table, table.column_names, rules, console)
    assert column.name == "gap"
    assert console.notes == [
        "Column 'none' has no values and is left out.",
        "Column 'same' has the same value in every row and is left out.",
    ]
    with pytest.raises(UserError, match="all are empty or constant"):
        infer_columns(table, ["same", "none"], rules, console)
    with pytest.raises(UserError, match="--drop 'x'"):
        infer_columns(pa.table({"x": [[1], [2]]}), ["x"], rules, console)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_long_numbers_that_differ_little_are_exact(tmp_path, suffix):
    """As floats these would be one number, and the column constant."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 4, 400)
    frame = pd.DataFrame({"key": 10**17 + 3 * kind + rng.integers(0, 3, 400), "kind": kind})
    train, new = tmp_path / f"train.{suffix}", tmp_path / f"new.{suffix}"
    for part, path in ((frame[:300], train), (frame[300:], new)):
        part.to_csv(path, index=False) if suffix == "csv" else part.to_parquet(path)
    outcome = fine("fit", train, "-t", "kind", "-o", tmp_path / "m")
    assert "Column 'key' has whole numbers of 18 digits, as identifiers have" in outcome.err
    words = ("predict", tmp_path / "m", new, "-o", tmp_path / "o.csv", "--json")
    assert fine(*words).document["accuracy"] == 1.0
    said = fine("export", tmp_path / "m", "-o", tmp_path / "m.c").err
    assert "takes 'key' less 100000000000000000" in said


def test_offsets():
    def offset(values):
        return find_offset(pa.array(values), np.array(values, float))

    assert offset([2**63 - 1, 2**63 - 5]) == 2**63 - 5
    assert offset([-(2**60), 5]) == -(2**60)
    assert offset([1_700_000_000, 1_700_000_100]) == 1_700_000_000
    assert offset([1e9 + 0.5, 1e9 + 1.25]) == 1e9 + 0.5
    for values in ([1, 2, 3], [0.0, 1e300], [5.5, 5.5], [np.nan], []):
        assert offset(values) is None
    exact = convert(
        pa.array(["36893488147419103232", "36893488147419103233", "", "1.5"]),
        Column("x", NUMBER, offset=2**65),
        ValueRules(is_text=True),
    )
    assert exact == pytest.approx([0, 1, np.nan, 1.5 - 2**65], nan_ok=True)
