"""Writing predictions batch by batch, as CSV, TSV or Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from dcsvm.cli.columns import is_string
from dcsvm.cli.errors import UserError
from dcsvm.cli.formats import Format


class Writer(Protocol):
    """Takes batches that all have one schema."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""


class DelimitedWriter:
    """CSV or TSV, with quotes where they are needed and nowhere else."""

    def __init__(self, stream: IO[bytes], delimiter: str, names: list[str]) -> None:
        self.stream = stream
        self.delimiter = delimiter
        self._by_row([names])

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""
        if self._needs_quotes(batch):
            columns = [_as_text(column).to_pylist() for column in batch.columns]
            self._by_row(zip(*columns, strict=True))
            return
        options = arrow_csv.WriteOptions(
            include_header=False, delimiter=self.delimiter, quoting_style="none"
        )
        sink = pa.BufferOutputStream()
        arrow_csv.write_csv(_without_dictionaries(batch), sink, options)
        self.stream.write(sink.getvalue())

    def _needs_quotes(self, batch: pa.RecordBatch) -> bool:
        special = rf'[{self.delimiter}"\r\n]'
        for column in batch.columns:
            texts = _decoded(column)
            if not is_string(texts.type):
                continue
            if pc.any(pc.match_substring_regex(texts, special)).as_py():
                return True
            if batch.num_columns == 1:  # an empty line would be no row
                return True
        return False

    def _by_row(self, rows: Any) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self.delimiter, lineterminator="\n").writerows(rows)
        self.stream.write(text.getvalue().encode())


def _decoded(column: Any) -> Any:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _without_dictionaries(batch: pa.RecordBatch) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([_decoded(c) for c in batch.columns], batch.schema.names)


def _as_text(column: Any) -> Any:
    column = _decoded(column)
    return column if is_string(column.type) else column.cast(pa.string())


class ParquetWriter:
    """Parquet."""

    def __init__(self, file: parquet.ParquetWriter) -> None:
        self.file = file

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""
        self.file.write_batch(batch)


@contextmanager
def open_writer(path: Path, format: Format, schema: pa.Schema) -> Iterator[Writer]:
    """A writer into a file; with no rows it still writes the names of the columns."""
    if format is Format.PARQUET:
        with parquet.ParquetWriter(path, schema, compression="zstd") as file:
            yield ParquetWriter(file)
        return
    check_flat(schema)
    with path.open("wb") as stream:
        yield DelimitedWriter(stream, "\t" if format is Format.TSV else ",", schema.names)


def check_flat(schema: pa.Schema) -> None:
    """Refuse columns that have no place in a CSV."""
    for field in schema:
        if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
            raise UserError(
                f"Column {field.name!r} is of type {field.type}, which CSV cannot hold: write "
                "Parquet with -o, or add --labels-only."
            )
