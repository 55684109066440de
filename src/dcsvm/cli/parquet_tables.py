"""Reading Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from dcsvm.cli.columns import ValueRules
from dcsvm.cli.errors import UserError
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.tables import Table

# A batch has so many values: more would need more memory and be no faster.
VALUES_PER_BATCH = 2**21
MAX_ROWS_PER_BATCH = 2**17


def open_parquet(path: Path, options: ReadingOptions) -> Table:
    """A Parquet file, of which one batch at a time is in memory."""
    with _open(path, "is not a Parquet file (its format can be given with --format)") as file:
        schema, n_rows = file.schema_arrow.remove_metadata(), file.metadata.num_rows

    def batches() -> Iterator[pa.RecordBatch]:
        n = max(1, min(MAX_ROWS_PER_BATCH, VALUES_PER_BATCH // max(len(schema), 1)))
        with _open(path, "is damaged") as file:
            yield from file.iter_batches(batch_size=n)

    return Table(path, schema, ValueRules.of(options, is_text=False), batches, n_rows=n_rows)


@contextmanager
def _open(path: Path, failure: str) -> Iterator[Any]:
    try:
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=2**20) as file:
            yield file
    except (pa.ArrowInvalid, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise UserError(f"{path} {failure}: {(str(error).splitlines() or ['?'])[0]}") from error
