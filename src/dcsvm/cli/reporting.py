"""`dcsvm report`: a page about a model and a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.models import Model
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.rows import TableRows, open_rows
from dcsvm.cli.seen_rows import SeenRows
from dcsvm.cli.wording import counted, did_you_mean, listed, near_names
from dcsvm.inspection import SearchMap
from dcsvm.report import write_report


def report(
    model: Model,
    data: Path,
    output: Path,
    title: str | None,
    max_rows: int | None,
    reading: ReadingOptions,
    console: Console,
) -> None:
    """Read the table and write the page; rows without a known label are left out."""
    source = open_rows(model, data, reading, console)
    X, labels, _ = source.all()
    if labels is None and isinstance(source, TableRows):
        _note_missing_target(model, data, source.table.names, console)
    elif labels is not None:
        X, labels = _with_known_labels(model, data, X, labels, console)
    seen = SeenRows(model.metadata.get("trained_on"))
    seen.count(X)
    figures = model.metadata["figures"]
    remark = seen.note(figures)
    write_report(
        model=model.pipeline,
        X=X,
        y=None if labels is None else pd.Series(labels, name=model.target.name),
        path=output,
        title=title or f"{model.path.stem} on {data.name}",
        max_rows=max_rows,
        remark=remark,
        held_out_accuracy=figures["accuracy"] if remark and figures else None,
        search=search_of(model),
    )
    for note in (*source.misfits.notes(), remark):
        if note is not None:
            console.note(note)
    n_rows = X.shape[0] if max_rows is None else min(max_rows, X.shape[0])
    console.print(f"{output}: written from {counted(n_rows, 'row')}.")
    console.document({"report": str(output), "rows": n_rows, **source.misfits.to_json()})


def search_of(model: Model) -> SearchMap | None:
    """The scores of `--tune`, where it has searched."""
    tuned = model.metadata.get("tuned") or {}
    return SearchMap.from_json(tuned["search"]) if "search" in tuned else None


def _note_missing_target(model: Model, data: Path, names: list[str], console: Console) -> None:
    target = model.target.name
    hint = f"; {did_you_mean(target, names)}" if near_names(target, names) else "."
    console.note(
        f"{data} has no column {target!r}, the target: nothing is said about accuracy{hint}"
    )


def _with_known_labels(
    model: Model, data: Path, X: Any, labels: NDArray[Any], console: Console
) -> tuple[Any, NDArray[Any]]:
    """The rows whose label is a class of the model."""
    target = model.target
    classes = set(model.classifier.classes_.tolist())
    known = np.array([label in classes for label in labels.tolist()], dtype=bool)
    if not known.any():
        raise UserError(f"{data} has no row with a label that the model knows in {target.name!r}.")
    if not known.all():
        others = sorted({str(label) for label in labels[~known].tolist() if label is not None})
        what = f" ({listed(others)} are no classes of the model)" if others else ""
        console.note(
            f"{counted(int((~known).sum()), 'row')} without a label that the model knows left "
            f"out{what}."
        )
        X = X.loc[known].reset_index(drop=True) if hasattr(X, "loc") else X[known]
    return X, target.narrowed(labels[known])
