"""Reading Feather files, which are files of Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from dcsvm.cli.columns import ValueRules
from dcsvm.cli.errors import UserError
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.tables import Table

ROWS_PER_BATCH = 2**14


def open_feather(path: Path, options: ReadingOptions) -> Table:
    """A Feather file, of which one batch at a time is in memory."""
    with _open(path, "is not a Feather file (its format can be given with --format)") as file:
        schema = file.schema.remove_metadata()

    def batches() -> Iterator[pa.RecordBatch]:
        with _open(path, "is damaged") as file:
            for place in range(file.num_record_batches):
                batch = file.get_batch(place).replace_schema_metadata()
                for start in range(0, batch.num_rows, ROWS_PER_BATCH):
                    yield batch.slice(start, ROWS_PER_BATCH)

    return Table(path, schema, ValueRules.of(options, is_text=False), batches)


@contextmanager
def _open(path: Path, failure: str) -> Iterator[Any]:
    try:
        with pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as file:
            yield file
    except (pa.ArrowInvalid, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise UserError(f"{path} {failure}: {(str(error).splitlines() or ['?'])[0]}") from error
