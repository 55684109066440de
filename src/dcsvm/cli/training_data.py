"""The table to learn from: labels, weights, and the columns of use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dcsvm.cli.columns import NUMBER, Column, Reading, convert, frame_of
from dcsvm.cli.errors import UserError, counted, did_you_mean, listed
from dcsvm.cli.formats import Format, input_format
from dcsvm.cli.inferring import infer_columns
from dcsvm.cli.messages import Messages
from dcsvm.cli.sparse_tables import read_svmlight, svmlight_target
from dcsvm.cli.tables import ReadingOptions, open_table, read_all
from dcsvm.cli.targets import Target, as_array, check_classes, read_target


@dataclass(frozen=True)
class TrainingTable:
    """What a model is fitted to."""

    X: Any  # a frame, or a sparse matrix
    labels: NDArray[Any]
    weight: NDArray[np.float64] | None
    target: Target
    columns: list[Column]
    source: dict[str, Any]  # what has to be known about a file to predict

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.labels)

    def rows(self, places: NDArray[np.int64]) -> TrainingTable:
        """Some of the rows."""
        is_frame = hasattr(self.X, "iloc")
        return replace(
            self,
            X=self.X.iloc[places].reset_index(drop=True) if is_frame else self.X[places],
            labels=self.labels[places],
            weight=None if self.weight is None else self.weight[places],
        )

    def fit_parameters(self) -> dict[str, Any]:
        """What `Pipeline.fit` takes beside X and y."""
        return {} if self.weight is None else {"classifier__sample_weight": self.weight}


@dataclass(frozen=True)
class Wishes:
    """What the user says about the table."""

    target: str | None
    drop: tuple[str, ...] = ()
    weight: str | None = None
    coerce: bool = False
    most_classes: int | None = None


def read_training_table(
    path: Path, options: ReadingOptions, wishes: Wishes, messages: Messages
) -> TrainingTable:
    """Read and check everything that a fit needs."""
    if input_format(path, options.format) is Format.SVMLIGHT:
        return _read_sparse(path, wishes, messages)
    file = open_table(path, options)
    for note in file.notes:
        messages.note(note)
    target_name = _check_names(file.names, path, wishes, file)
    table = read_all(file)
    target, labels = read_target(target_name, table.column(target_name), file.is_text)
    labelled = _labelled(labels, target, messages)
    if not labelled.all():
        table, labels = table.filter(pa.array(labelled)), labels[labelled]
    vector = as_array(labels, target)
    check_classes(target, vector, wishes.most_classes)
    reading = Reading(file.is_text, file.decimal_comma, wishes.coerce)
    weight = None if wishes.weight is None else _weights(table, wishes.weight, reading)
    left = [n for n in file.names if n not in {target_name, wishes.weight, *wishes.drop}]
    if not left:
        raise UserError(f"{path} has no column to learn from beside {target_name!r}.")
    columns = infer_columns(table, left, reading, messages)
    lenient = replace(
        reading, coerce=True
    )  # what does not fit was noted when columns were inferred
    frame = frame_of((convert(table.column(c.name), c, lenient) for c in columns), len(vector))
    return TrainingTable(frame, vector, weight, target, columns, {"input": "table"})


def _read_sparse(path: Path, wishes: Wishes, messages: Messages) -> TrainingTable:
    for option, value in (("--drop", wishes.drop), ("--weight", wishes.weight)):
        if value:
            raise UserError(f"An svmlight file has no columns with names: leave out {option}.")
    (X, numbers), zero_based = read_svmlight(path)
    target, labels = svmlight_target(numbers)
    if wishes.target is not None:
        target = replace(target, name=wishes.target)
    vector = as_array(labels, target)
    check_classes(target, vector, wishes.most_classes)
    source = {"input": "svmlight", "zero_based": zero_based, "features": X.shape[1]}
    return TrainingTable(X, vector, None, target, [], source)


def _check_names(names: list[str], path: Path, wishes: Wishes, file: Any) -> str:
    if wishes.target is None:
        raise UserError(
            f"Which column of {path} has the labels? Name it with --target; there are "
            f"{listed(names, 12)}."
        )
    wanted = [("--target", wishes.target), ("--weight", wishes.weight)]
    for option, name in [*wanted, *(("--drop", name) for name in wishes.drop)]:
        if name is None or name in names:
            continue
        hint = ""
        if len(names) == 1 and option == "--target":
            hint = " If that is more than one column, name what divides them with --delimiter."
        raise UserError(
            f"{path} has no column {name!r} ({option}): {did_you_mean(name, names)}{hint}"
        )
    for option, names_of in (("--drop", wishes.drop), ("--weight", (wishes.weight,))):
        if wishes.target in names_of:
            raise UserError(f"Column {wishes.target!r} is the target: leave it out of {option}.")
    return wishes.target


def _labelled(labels: NDArray[Any], target: Target, messages: Messages) -> NDArray[np.bool_]:
    labelled = np.array([label is not None for label in labels.tolist()], dtype=bool)
    n_missing = int((~labelled).sum())
    if n_missing == len(labels):
        raise UserError(f"Column {target.name!r} has no label at all: all its values are missing.")
    if n_missing:
        messages.note(
            f"{counted(n_missing, 'row')} without a label in {target.name!r} "
            f"{'is' if n_missing == 1 else 'are'} left out."
        )
    return labelled


def _weights(table: pa.Table, name: str, reading: Reading) -> NDArray[np.float64]:
    weight = np.asarray(
        convert(table.column(name), Column(name, NUMBER), replace(reading, coerce=True))
    )
    if np.isnan(weight).any() or (weight < 0).any():
        row = int(np.argmax(np.isnan(weight) | (weight < 0)))
        raise UserError(
            f"Column {name!r} (--weight) must have a number of at least 0 in every row, but "
            f"labelled row {row + 1:,} has {table.column(name)[row].as_py()!r}."
        )
    return weight
