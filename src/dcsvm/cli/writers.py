"""Writing batches of Arrow as a table of any format that has names for its columns."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from dcsvm._util.files import atomic_write
from dcsvm.cli.columns import decoded, is_string
from dcsvm.cli.errors import UserError
from dcsvm.cli.files import Format, open_output, output_format

Write = Callable[[pa.RecordBatch], None]
EXCEL_ROWS = 2**20


@contextmanager
def open_writer(path: Path | None, schema: pa.Schema) -> Iterator[Write]:
    """A function that writes batches to a file, or as CSV to the standard output.

    The file is complete or not there at all. Without rows it has the names of the columns.
    """
    if path is None:
        yield _delimited_writer(sys.stdout.buffer, ",", schema)
        sys.stdout.buffer.flush()
        return
    format = output_format(path)
    with atomic_write(path) as temporary:
        if format is Format.PARQUET:
            with parquet.ParquetWriter(temporary, schema, compression="zstd") as file:
                yield file.write_batch
        elif format is Format.FEATHER:
            options = pa.ipc.IpcWriteOptions(compression="zstd")
            with pa.ipc.new_file(str(temporary), schema, options=options) as file:
                yield file.write_batch
        elif format is Format.EXCEL:
            with _excel_writer(temporary, schema) as write:
                yield write
        else:
            with open_output(temporary, path) as stream:
                yield _text_writer(stream, format, schema)


def _text_writer(stream: IO[bytes], format: Format, schema: pa.Schema) -> Write:
    if format is Format.JSONL:
        return _json_writer(stream)
    return _delimited_writer(stream, "\t" if format is Format.TSV else ",", schema)


def _json_writer(stream: IO[bytes]) -> Write:
    def write(batch: pa.RecordBatch) -> None:
        for row in batch.to_pylist():
            finite = {k: None if v != v else v for k, v in row.items()}  # JSON has no NaN
            stream.write(json.dumps(finite, default=str, ensure_ascii=False).encode() + b"\n")

    return write


@contextmanager
def _excel_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("predictions")
    sheet.append(schema.names)
    n_rows = 1

    def write(batch: pa.RecordBatch) -> None:
        nonlocal n_rows
        n_rows += batch.num_rows
        if n_rows > EXCEL_ROWS:
            raise UserError(f"A sheet of Excel has {EXCEL_ROWS:,} rows at most: write Parquet.")
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            sheet.append([_cell(value) for value in row])

    try:
        yield write
    except BaseException:
        sheet.close()  # else it complains when it is collected
        raise
    book.save(path)


def _cell(value: Any) -> Any:
    """What a cell can hold: no date with a time zone, and nothing nested."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return value if isinstance(value, str | bool | int | float | date | None) else str(value)


def _delimited_writer(stream: IO[bytes], delimiter: str, schema: pa.Schema) -> Write:
    for field in schema:
        if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
            raise UserError(
                f"Column {field.name!r} is of type {field.type}, which CSV cannot hold: write "
                "Parquet with -o, or add --labels-only."
            )
    without_quotes = arrow_csv.WriteOptions(
        include_header=False, delimiter=delimiter, quoting_style="none"
    )

    def write_with_quotes(rows: Iterable[Any]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
        stream.write(text.getvalue().encode())

    def write(batch: pa.RecordBatch) -> None:
        batch = pa.RecordBatch.from_arrays(list(map(decoded, batch.columns)), batch.schema.names)
        if len(schema) > 1:  # else an empty text would be an empty line, and no row
            with suppress(pa.ArrowInvalid):  # a value needs quotes
                sink = pa.BufferOutputStream()
                arrow_csv.write_csv(batch, sink, without_quotes)  # fast
                stream.write(sink.getvalue())
                return
        write_with_quotes(zip(*(_texts(column) for column in batch.columns), strict=True))

    write_with_quotes([schema.names])
    return write


def _texts(column: Any) -> list[str | None]:
    texts = column if is_string(column.type) else column.cast(pa.string())
    return texts.to_pylist()  # type: ignore[no-any-return]
