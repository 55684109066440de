"""Opening a table of any format that has columns."""

from __future__ import annotations

from pathlib import Path

from dcsvm.cli.arff_tables import open_arff
from dcsvm.cli.console import Console
from dcsvm.cli.delimited import open_delimited
from dcsvm.cli.errors import UserError
from dcsvm.cli.feather_tables import open_feather
from dcsvm.cli.files import Format, check_readable, input_format
from dcsvm.cli.json_tables import open_json_lines
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.parquet_tables import open_parquet
from dcsvm.cli.tables import Table

OPENERS = {
    Format.PARQUET: open_parquet,
    Format.FEATHER: open_feather,
    Format.JSONL: open_json_lines,
    Format.ARFF: open_arff,
}
# Formats in which columns need not have names.
MAY_LACK_NAMES = (Format.CSV, Format.TSV, Format.EXCEL)


def open_table(path: Path, options: ReadingOptions, console: Console) -> Table:
    """Open a table of any format but svmlight, which has no columns."""
    check_readable(path)
    format = input_format(path, options.format)
    if options.no_header and format not in MAY_LACK_NAMES:
        raise UserError(f"{path} has the names of its columns: leave out --no-header.")
    if options.sheet is not None and format is not Format.EXCEL:
        raise UserError(f"{path} is no Excel workbook: leave out --sheet.")
    if format in OPENERS:
        table = OPENERS[format](path, options)
    elif format is Format.EXCEL:
        # openpyxl takes long to import.
        from dcsvm.cli.excel_tables import open_excel

        table = open_excel(path, options)
    else:
        table = open_delimited(path, format, options)
    for note in table.notes:
        console.note(note)
    return table
