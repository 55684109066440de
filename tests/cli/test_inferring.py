"""The kinds of columns."""

import numpy as np
import pyarrow as pa
import pytest
from tests.cli.cli_tools import fine, flowers

from dcsvm.cli.columns import ValueRules
from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.inferring import infer_columns


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
        (["1,5", "2"], "text"),
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
