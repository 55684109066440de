"""Reading a sheet of an Excel workbook.

A column of a sheet can hold anything. So every value becomes the text that a CSV would have, and
what the texts mean is decided for the whole column, as it is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, time
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import openpyxl
import pyarrow as pa
from openpyxl.utils.exceptions import InvalidFileException

from dcsvm.cli.columns import ValueRules
from dcsvm.cli.errors import UserError
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.tables import Table, named_columns
from dcsvm.cli.wording import did_you_mean, listed

ROWS_PER_BATCH = 2**13


def open_excel(path: Path, options: ReadingOptions) -> Table:
    """A sheet of a workbook, of which one batch of rows at a time is in memory."""
    with _workbook(path) as book:
        sheet, notes = _sheet(path, book, options.sheet)
        first = next(_rows(book[sheet]), None)
    if first is None:
        raise UserError(f"{path}: sheet {sheet!r} is empty.")
    names, about_names = named_columns(path, first, not options.no_header)
    schema = pa.schema([(name, pa.string()) for name in names])
    read = partial(_batches, path, sheet, schema, not options.no_header)
    return Table(path, schema, ValueRules.of(options, is_text=True), read, (*notes, *about_names))


@contextmanager
def _workbook(path: Path) -> Iterator[Any]:
    try:
        with path.open("rb") as file:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            try:
                yield book
            finally:
                book.close()
    except (BadZipFile, InvalidFileException, KeyError, ValueError, SyntaxError) as error:
        raise UserError(f"{path} is not an Excel workbook (.xlsx), or is damaged.") from error


def _sheet(path: Path, book: Any, wanted: str | None) -> tuple[str, list[str]]:
    names = [sheet.title for sheet in book.worksheets]
    if not names:
        raise UserError(f"{path} has no sheet with cells.")
    if wanted is None:
        others = f"{path} has the sheets {listed(names)}: the first is read (--sheet for another)."
        return names[0], [others] if len(names) > 1 else []
    if wanted not in names:
        raise UserError(f"{path} has no sheet {wanted!r}: {did_you_mean(wanted, names)}")
    return wanted, []


def _rows(sheet: Any) -> Iterator[list[str]]:
    """The rows as texts; those without any value, and empty cells at the end, are left out."""
    for row in sheet.iter_rows(values_only=True):
        texts = [_text(value) for value in row]
        while texts and not texts[-1]:
            texts.pop()
        if texts:
            yield texts


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return str(value)


def _batches(
    path: Path, sheet: str, schema: pa.Schema, has_header: bool
) -> Iterator[pa.RecordBatch]:
    width = len(schema)
    with _workbook(path) as book:
        rows = _rows(book[sheet])
        if has_header:
            next(rows, None)
        while some := list(islice(rows, ROWS_PER_BATCH)):
            if (most := max(map(len, some))) > width:
                raise UserError(
                    f"{path}: a row of sheet {sheet!r} has {most} cells, but there are {width} "
                    "columns: remove what stands beside the table."
                )
            columns = zip(*(chain(row, [""] * (width - len(row))) for row in some), strict=True)
            yield pa.RecordBatch.from_arrays(
                [pa.array(column, pa.string()) for column in columns], schema=schema
            )
