"""Opening a table of any format that has columns."""

from __future__ import annotations

from pathlib import Path

from dcsvm.cli.arff_tables import open_arff
from dcsvm.cli.console import Console
from dcsvm.cli.delimited import open_delimited
from dcsvm.cli.files import Format, check_readable, input_format
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.parquet_tables import open_parquet
from dcsvm.cli.tables import Table


def open_table(path: Path, options: ReadingOptions, console: Console) -> Table:
    """Open a table of any format but svmlight, which has no columns."""
    check_readable(path)
    format = input_format(path, options.format)
    if format is Format.PARQUET:
        table = open_parquet(path, options)
    elif format is Format.ARFF:
        table = open_arff(path, options)
    else:
        table = open_delimited(path, format, options)
    for note in table.notes:
        console.note(note)
    return table
