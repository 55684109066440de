"""`dcsvm report`: a page about a model and a labelled table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.cli.columns import Reading, convert, frame_of
from dcsvm.cli.errors import UserError, counted, did_you_mean, listed, near_names
from dcsvm.cli.messages import Messages
from dcsvm.cli.models import Model
from dcsvm.cli.predicting import check_columns
from dcsvm.cli.sparse_tables import svmlight_blocks
from dcsvm.cli.tables import ReadingOptions, open_table, read_all
from dcsvm.cli.targets import as_array
from dcsvm.report import write_report


def write(
    model: Model,
    data: Path,
    output: Path,
    title: str | None,
    options: ReadingOptions,
    coerce: bool,
    messages: Messages,
) -> None:
    """Read the table, and have the page written."""
    X, labels = read_rows(model, data, options, coerce, messages)
    write_report(
        model=model.pipeline,
        X=X,
        y=None if labels is None else pd.Series(labels, name=model.target.name),
        path=output,
        title=title or f"{model.path.stem} on {data.name}",
    )
    n_rows = X.shape[0]
    messages.say(f"{output}: written from {counted(n_rows, 'row')}.")
    messages.document({"report": str(output), "rows": n_rows})


def read_rows(
    model: Model, data: Path, options: ReadingOptions, coerce: bool, messages: Messages
) -> tuple[Any, NDArray[Any] | None]:
    """Rows as the pipeline takes them, with their labels; without labels all rows."""
    if model.is_sparse:
        blocks = list(
            svmlight_blocks(data, model.metadata["features"], model.metadata["zero_based"])
        )
        X = sparse.vstack([block.X for block in blocks], format="csr")
        found = pa.array(np.concatenate([block.labels for block in blocks]))
        return _with_known_labels(model, data, X, found, messages)
    file = open_table(data, options)
    for note in file.notes:
        messages.note(note)
    check_columns(model, file, messages)
    table = read_all(file)
    reading = Reading(file.is_text, file.decimal_comma, coerce)
    parts = (convert(table.column(c.name), c, reading) for c in model.columns)
    X = frame_of(parts, table.num_rows)
    name = model.target.name
    if name not in file.names:
        near = f"; {did_you_mean(name, file.names)}" if near_names(name, file.names) else "."
        messages.note(
            f"{data} has no column {name!r}, the target: nothing is said about accuracy{near}"
        )
        return X, None
    return _with_known_labels(model, data, X, table.column(name), messages)


def _with_known_labels(
    model: Model, data: Path, X: Any, found: Any, messages: Messages
) -> tuple[Any, NDArray[Any]]:
    """The rows whose label the model knows."""
    target = model.target
    labels = target.labels(found)
    known = set(model.classifier.classes_.tolist())
    is_known = np.array([label in known for label in labels.tolist()], dtype=bool)
    if not is_known.any():
        raise UserError(f"{data} has no row with a label that the model knows in {target.name!r}.")
    if not is_known.all():
        others = sorted({str(label) for label in labels[~is_known].tolist() if label is not None})
        what = f" ({listed(others)} are no classes of the model)" if others else ""
        messages.note(
            f"{counted(int((~is_known).sum()), 'row')} without a label that the model knows left "
            f"out{what}."
        )
        X = X.loc[is_known].reset_index(drop=True) if hasattr(X, "loc") else X[is_known]
    return X, as_array(labels[is_known], target)
