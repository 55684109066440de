"""Folders of Parquet files: cut into runs of row groups, which workers read by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

# Numbers in a run of row groups, if its row groups have fewer.
NUMBERS_IN_RUN = 2**22


class ParquetFolder(NamedTuple):
    """A folder, and columns that are neither features nor labels."""

    path: Path
    left_out: tuple[str, ...] = ()


class RowGroups(NamedTuple):
    """Some row groups of a file."""

    path: str
    numbers: list[int]
    n_rows: int


def row_groups(folder: Path) -> tuple[list[RowGroups], Any]:
    """The files of a folder, or the one file, in runs of row groups; and their common schema."""
    import pyarrow.parquet as pq

    paths = sorted(folder.glob("**/*.parquet")) if folder.is_dir() else [folder]
    if not paths:
        raise ValueError(f"There are no files named *.parquet in {folder}.")
    runs: list[RowGroups] = []
    schema: Any = None
    for path in paths:
        with pq.ParquetFile(path) as file:
            metadata, own = file.metadata, file.schema_arrow
            if schema is None:
                schema = own
            elif own.names != schema.names or own.types != schema.types:
                raise ValueError(f"{path} has other columns than {paths[0]}.")
            runs += _runs(str(path), metadata)
    return runs, schema


def _runs(path: str, metadata: Any) -> list[RowGroups]:
    runs: list[RowGroups] = []
    n_numbers = 0
    for g in range(metadata.num_row_groups):
        group = metadata.row_group(g)
        of_group = group.num_rows * metadata.num_columns
        if not runs or n_numbers + of_group > NUMBERS_IN_RUN:
            runs.append(RowGroups(path, [g], group.num_rows))
            n_numbers = of_group
        else:
            last = runs[-1]
            runs[-1] = RowGroups(path, [*last.numbers, g], last.n_rows + group.num_rows)
            n_numbers += of_group
    return runs


def read_table(groups: RowGroups, columns: list[str] | None = None) -> Any:
    """Some row groups as a table of pyarrow."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(groups.path) as file:
        return file.read_row_groups(groups.numbers, columns=columns, use_threads=False)


def read_frame(groups: RowGroups, columns: list[str]) -> Any:
    """Some columns as a data frame, in the order given."""
    return read_table(groups, columns).select(columns).to_pandas()


def read_column(groups: RowGroups, column: str) -> Any:
    """One column."""
    return read_table(groups, [column]).column(column).to_pandas()
