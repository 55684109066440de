"""The kinds of columns."""

import numpy as np
from tests.cli.cli_tools import fine, flowers


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
