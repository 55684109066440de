"""Writing batches of Arrow as CSV, TSV or Parquet."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from dcsvm._util.files import atomic_write
from dcsvm.cli.columns import decoded, is_string
from dcsvm.cli.errors import UserError
from dcsvm.cli.files import Format, output_format

Write = Callable[[pa.RecordBatch], None]


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
        else:
            with temporary.open("wb") as stream:
                yield _delimited_writer(stream, "\t" if format is Format.TSV else ",", schema)


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
