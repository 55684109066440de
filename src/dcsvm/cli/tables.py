"""Opening tables of any format, as columns of Arrow in batches of rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from pyarrow import parquet

from dcsvm.cli.arff_tables import ArffFile
from dcsvm.cli.delimited import check_names, open_delimited
from dcsvm.cli.errors import UserError, check_readable
from dcsvm.cli.formats import Format, input_format

# Numbers in a batch: enough to make each worth its while, few enough to be forgotten.
NUMBERS_PER_BATCH = 2**21
MOST_ROWS_PER_BATCH = 2**17


class TableFile(Protocol):
    """A table on disk."""

    @property
    def path(self) -> Path:
        """Where it is."""

    @property
    def names(self) -> list[str]:
        """The names of the columns."""

    @property
    def is_text(self) -> bool:
        """Whether its values are texts of which the meaning is to be found out."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know about how it is read."""

    @property
    def decimal_comma(self) -> bool:
        """Whether 3,14 may be a number."""

    @property
    def schema(self) -> pa.Schema:
        """The types of the columns."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows in order."""


@dataclass(frozen=True)
class ReadingOptions:
    """What the user says about a file."""

    format: Format | None = None
    delimiter: str | None = None
    encoding: str | None = None


@dataclass(frozen=True)
class ParquetTable:
    """A Parquet file."""

    path: Path
    names: list[str]
    schema: pa.Schema
    n_rows: int
    notes: tuple[str, ...] = ()
    is_text = False
    decimal_comma = False

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows in order; memory is needed for a batch at a time."""
        at_once = max(1, min(MOST_ROWS_PER_BATCH, NUMBERS_PER_BATCH // max(len(self.names), 1)))
        try:
            with parquet.ParquetFile(self.path, pre_buffer=False, buffer_size=2**20) as file:
                yield from file.iter_batches(batch_size=at_once)
        except (pa.ArrowInvalid, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise UserError(f"{self.path} is damaged: {_first_line(error)}") from error


def open_table(path: Path, options: ReadingOptions) -> TableFile:
    """Open a table of any format but svmlight, which has no columns."""
    check_readable(path)
    format = input_format(path, options.format)
    if format is Format.PARQUET:
        return _open_parquet(path)
    if format is Format.ARFF:
        return ArffFile.open(path, options.encoding)
    return open_delimited(path, format, options.delimiter, options.encoding)


def read_all(table: TableFile) -> pa.Table:
    """All rows at once; a table without any is refused."""
    whole = pa.Table.from_batches(table.batches(), schema=table.schema)
    if whole.num_rows == 0:
        raise UserError(f"{table.path} has a header but no rows.")
    return whole


def _open_parquet(path: Path) -> ParquetTable:
    try:
        with parquet.ParquetFile(path) as file:
            schema, n_rows = file.schema_arrow, file.metadata.num_rows
    except (pa.ArrowInvalid, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise UserError(
            f"{path} is not a Parquet file: name its format with --format, if it is another."
        ) from error
    check_names(path, schema.names)
    return ParquetTable(path, list(schema.names), schema.remove_metadata(), n_rows)


def _first_line(error: Any) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
