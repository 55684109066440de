"""A table in a file of any format: its columns, and its rows as batches of Arrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from dcsvm.cli.columns import ValueRules
from dcsvm.cli.errors import UserError
from dcsvm.cli.wording import listed


def named_columns(path: Path, first: list[str], has_header: bool) -> tuple[list[str], list[str]]:
    """The names of the columns by the first row of a file, and what to note about them."""
    names = [name.strip() for name in first] if has_header else [""] * len(first)
    unnamed = [f"column_{place}" for place, name in enumerate(names, 1) if not name]
    notes = []
    if unnamed and has_header:
        notes.append(f"{path} has columns without a name; they are called {listed(unnamed)}.")
    return [name or f"column_{place}" for place, name in enumerate(names, 1)], notes


@dataclass(frozen=True)
class Table:
    """A table in a file."""

    path: Path
    schema: pa.Schema
    rules: ValueRules
    batches: Callable[[], Iterator[pa.RecordBatch]]  # the rows in order
    notes: tuple[str, ...] = ()  # what the user should know about how it is read
    n_rows: int | None = None  # where it is known without reading all of it

    def __post_init__(self) -> None:
        repeated = [name for name, n in Counter(self.names).items() if n > 1]
        if repeated:
            raise UserError(
                f"{self.path} has more than one column named {listed(repeated)}: rename all but "
                "one."
            )

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)

    def read_all(self) -> pa.Table:
        """All rows at once; a table without any is refused."""
        whole = pa.Table.from_batches(self.batches(), schema=self.schema)
        if whole.num_rows == 0:
            raise UserError(f"{self.path} has a header but no rows.")
        return whole
