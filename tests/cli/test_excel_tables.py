"""Sheets of Excel workbooks."""

from datetime import datetime

import pytest
from openpyxl import Workbook

from dcsvm.cli.errors import UserError
from dcsvm.cli.excel_tables import open_excel
from dcsvm.cli.options import ReadingOptions

ROWS = [
    [None, None],
    ["size", "day", None, "kind"],
    [1.5, datetime(2024, 5, 1), "007", "a"],
    [],
    [2.0, datetime(2024, 5, 2, 13, 30), None, True],
    ["NA", None, 1e17, None],
]


@pytest.fixture
def workbook(tmp_path):
    book = Workbook()
    for row in ROWS:
        book.active.append(row)
    book.create_sheet("notes").append(["nothing"])
    book.save(tmp_path / "a.xlsx")
    return tmp_path / "a.xlsx"


def test_values_are_the_texts_that_a_csv_has(workbook, monkeypatch):
    monkeypatch.setattr("dcsvm.cli.excel_tables.ROWS_PER_BATCH", 2)
    table = open_excel(workbook, ReadingOptions())
    assert table.rules.is_text
    assert table.names == ["size", "day", "column_3", "kind"]
    assert [list(row.values()) for row in table.read_all().to_pylist()] == [
        ["1.5", "2024-05-01", "007", "a"],
        ["2", "2024-05-02 13:30:00", "", "true"],
        ["NA", "", "100000000000000000", ""],
    ]


def test_sheets_are_chosen_by_name(workbook):
    assert "'Sheet' and 'notes'" in open_excel(workbook, ReadingOptions()).notes[0]
    assert open_excel(workbook, ReadingOptions(sheet="notes")).names == ["nothing"]
    with pytest.raises(UserError, match=r"no sheet 'note'.*'notes'"):
        open_excel(workbook, ReadingOptions(sheet="note"))


def test_cells_beside_the_table_are_refused(tmp_path):
    book = Workbook()
    for row in (["x", "kind"], [1, "a"], [2, "b", "a remark"]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(UserError, match="has 3 cells"):
        open_excel(tmp_path / "a.xlsx", ReadingOptions()).read_all()
