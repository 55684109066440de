"""The rows of a file as a model takes them, with their labels where the file has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.cli.columns import to_frame
from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.files import Format, input_format
from dcsvm.cli.misfits import Misfits
from dcsvm.cli.models import Model
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.reading import open_table
from dcsvm.cli.sparse_tables import svmlight_blocks
from dcsvm.cli.tables import Table
from dcsvm.cli.wording import listed, near_names


class Rows(NamedTuple):
    """Some rows."""

    X: Any  # a frame, or a sparse matrix
    labels: NDArray[Any] | None  # objects, None where missing; no array where there is no target
    columns: pa.RecordBatch | pa.Table | None  # as they are in the file


class TableRows:
    """The rows of a table."""

    def __init__(self, model: Model, data: Path, reading: ReadingOptions, console: Console) -> None:
        self.model = model
        self.table = open_table(data, model.reading(reading), console)
        _check_columns(model, self.table, console)
        self.schema, self.n_rows = self.table.schema, self.table.n_rows
        self.misfits = self.table.rules.misfits

    def batches(self) -> Iterator[Rows]:
        """The rows in order, as many at a time as fit into bounded memory."""
        n = 0
        for batch in self.table.batches():
            yield self._rows(batch, n)
            n += batch.num_rows

    def all(self) -> Rows:
        """All rows at once."""
        return self._rows(self.table.read_all(), 0)

    def _rows(self, columns: pa.RecordBatch | pa.Table, first: int) -> Rows:
        target, labels = self.model.target, None
        if target.name in self.table.names:
            labels = target.labels(columns.column(target.name), self.table.rules)
        return Rows(to_frame(columns, self.model.columns, self.table.rules, first), labels, columns)


class SparseRows:
    """The rows of an svmlight file."""

    schema, n_rows = pa.schema([]), None

    def __init__(self, model: Model, data: Path) -> None:
        self.model = model
        self.data = data
        self.misfits = Misfits()

    def batches(self) -> Iterator[Rows]:
        """The rows in order, as many at a time as fit into bounded memory."""
        known = self.model.metadata
        for X, labels in svmlight_blocks(self.data, known["features"], known["zero_based"]):
            yield Rows(X, self.model.target.labels(pa.array(labels)), None)

    def all(self) -> Rows:
        """All rows at once."""
        X, labels, _ = zip(*self.batches(), strict=True)
        return Rows(sparse.vstack(X, format="csr"), np.concatenate(labels), None)


def open_rows(
    model: Model, data: Path, reading: ReadingOptions, console: Console
) -> TableRows | SparseRows:
    """The rows of a file, which must be of the kind that the model was fitted to."""
    is_sparse = input_format(data, reading.format) is Format.SVMLIGHT
    if is_sparse and not model.is_sparse:
        raise UserError(
            f"{data} is in the svmlight format, but {model.path} was fitted to a table with named "
            "columns: give it a table."
        )
    if model.is_sparse and not is_sparse:
        raise UserError(
            f"{model.path} was fitted to an svmlight file and predicts no other: {data} is none."
        )
    return SparseRows(model, data) if is_sparse else TableRows(model, data, reading, console)


def _check_columns(model: Model, table: Table, console: Console) -> None:
    """Refuse a table that lacks columns, and note those that the model does not use."""
    wanted = [column.name for column in model.columns]
    extra = [name for name in table.names if name not in {*wanted, model.target.name}]
    missing = [name for name in wanted if name not in table.names]
    if missing:
        others = [name for name in table.names if name not in wanted]
        near = {name: near_names(name, others) for name in missing}
        hints = [f"{name!r} may be {found[0]!r}" for name, found in near.items() if found]
        hint = f"{'; '.join(hints[:3])}." if hints else f"it has {listed(table.names, 8)}."
        if all(re.fullmatch(r"column_\d+", name) for name in wanted):
            hint = "add --no-header if its first line is a row too."
        raise UserError(
            f"{table.path} lacks {'the column' if len(missing) == 1 else 'the columns'} "
            f"{listed(missing)}, which the model needs: {hint}"
        )
    if extra:
        console.note(
            f"The model does not use {'the column' if len(extra) == 1 else 'the columns'} "
            f"{listed(extra)} of {table.path}."
        )
