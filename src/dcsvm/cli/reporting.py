"""`dcsvm report`: a page about a model and a labelled table."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.cli.columns import Reading, convert, frame_of
from dcsvm.cli.errors import UserError, counted, did_you_mean, listed
from dcsvm.cli.messages import Messages
from dcsvm.cli.models import Model
from dcsvm.cli.predicting import check_columns
from dcsvm.cli.sparse_tables import svmlight_blocks
from dcsvm.cli.tables import ReadingOptions, open_table, read_all
from dcsvm.cli.targets import as_array


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
    write_report = import_module("dcsvm.report").write_report
    X, labels = read_labelled(model, data, options, coerce, messages)
    write_report(
        model=model.pipeline,
        X=X,
        y=pd.Series(labels, name=model.target.name),
        path=output,
        title=title or f"{model.path.stem} on {data.name}",
    )
    messages.say(f"{output}: written from {counted(len(labels), 'row')}.")
    messages.document({"report": str(output), "rows": len(labels)})


def read_labelled(
    model: Model, data: Path, options: ReadingOptions, coerce: bool, messages: Messages
) -> tuple[Any, NDArray[Any]]:
    """The rows that have a label which the model knows, as the pipeline takes them."""
    target = model.target
    if model.is_sparse:
        blocks = list(
            svmlight_blocks(data, model.metadata["features"], model.metadata["zero_based"])
        )
        X = sparse.vstack([block.X for block in blocks], format="csr")
        labels = target.labels(pa.array(np.concatenate([block.labels for block in blocks])))
    else:
        file = open_table(data, options)
        for note in file.notes:
            messages.note(note)
        if target.name not in file.names:
            raise UserError(
                f"{data} has no column {target.name!r}, the target: "
                f"{did_you_mean(target.name, file.names)}"
            )
        check_columns(model, file, messages)
        table = read_all(file)
        reading = Reading(file.is_text, file.decimal_comma, coerce)
        labels = target.labels(table.column(target.name))
        parts = (convert(table.column(c.name), c, reading) for c in model.columns)
        X = frame_of(parts, table.num_rows)
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
