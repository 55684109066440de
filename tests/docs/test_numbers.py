"""Figures on the pages and in the README are those of benchmarks/RESULTS.md."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
DEFAULT_TABLE = "The default"


def load_hook():
    path = ROOT / "docs" / "hooks" / "results.py"
    spec = importlib.util.spec_from_file_location("docs_results", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hook = load_hook()

SMALL = """# Results

## First

| data set | who | µs |
| --- | --- | --- |
| a | SVC | 1.5 |
| a | ours | 0.1 |
| b | SVC | 2.5 |

| data set | %  |
| --- | --- |
| a | 97.1 |

### Below

| k |
| --- |
| 3 |

## Second

No table.
"""


def test_table_with_columns_and_rows():
    mark = "x\n\n<!-- table: First | columns: who, µs | rows: data set = a | rows: who = ours -->\n"
    assert hook.fill_in(mark, SMALL) == "x\n\n| who | µs |\n| --- | --: |\n| ours | 0.1 |\n"


def test_table_is_found_by_its_columns():
    assert hook.table_below("First", ["%"], SMALL) == (["data set", "%"], [["a", "97.1"]])
    assert hook.table_below("First", ["k"], SMALL) == (["k"], [["3"]])
    assert hook.table_below("Below", [], SMALL) == (["k"], [["3"]])


@pytest.mark.parametrize(
    "asked",
    [
        "Third",
        "Second",
        "First | columns: nobody",
        "First | rows: who = ours, theirs",
        "First | lines: 3",
    ],
)
def test_what_is_not_there_stops_the_build(asked):
    with pytest.raises(ValueError, match=r"\b[nN]o\b"):
        hook.fill_in(f"<!-- table: {asked} -->", SMALL)


def test_speed_in_the_readme():
    header, rows = hook.table_below("Prediction", ["µs/row", "accuracy %"], RESULTS)
    named = [dict(zip(header, row, strict=True)) for row in rows]
    letter = {r["method"]: r for r in named if r["data set"] == "letter" and r["threads"] == "1"}
    time = {method: float(row["µs/row"]) for method, row in letter.items()}
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    said = re.search(
        r"takes 1/(\d+) of the time of `SVC.predict` and 1/(\d+) of OpenCV's.*? at ([\d.]+) % "
        r"against ([\d.]+) % accuracy",
        readme,
    )
    assert abs(int(said[1]) - time["SVC"] / time["DCSVC"]) <= 1
    assert abs(int(said[2]) - time["OpenCV"] / time["DCSVC"]) <= 1
    assert said[3] == letter["DCSVC"]["accuracy %"]
    assert said[4] == letter["SVC"]["accuracy %"]


def test_accuracy_of_the_papers_rule_in_many_classes():
    header, rows = hook.table_below(DEFAULT_TABLE, ["− vote", "− paper"], RESULTS)
    named = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    page = (ROOT / "docs" / "many-classes.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| (\w+) \| (\d+) \| ([\d.]+) \| ([-+][\d.]+) \|$", page, re.MULTILINE)
    assert len(shown) == sum("mean" not in name and "worst" not in name for name in named)
    for name, classes, accuracy, less_the_vote in shown:
        row = named[name]
        assert classes == row["k"]
        # Differences of rounded numbers.
        of_paper = float(row["accuracy %"]) - float(row["− paper"])
        assert float(accuracy) == pytest.approx(of_paper, abs=0.0101), name
        to_vote = float(row["− vote"]) - float(row["− paper"])
        assert float(less_the_vote) == pytest.approx(to_vote, abs=0.0101), name
