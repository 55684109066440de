"""The tests of scikit-learn that are expected to fail, as a table."""

from __future__ import annotations

import tomllib
from pathlib import Path

LIST = Path(__file__).parents[2] / "tests" / "drop_in" / "differences.toml"


def table_of_differences() -> str:
    """A row for each difference: what it is, why, and the tests that it makes fail."""
    rows = ["| difference | why | tests |", "| --- | --- | --- |"]
    for each in tomllib.loads(LIST.read_text(encoding="utf-8"))["difference"]:
        tests = "<br>".join(f"`{test.rpartition('::')[2]}`" for test in each["tests"])
        rows.append(f"| {each['title']} | {' '.join(each['reason'].split())} | {tests} |")
    return "\n".join(rows)
