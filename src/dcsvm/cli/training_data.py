"""The table to learn from: labels, weights, and the columns of use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dcsvm.cli.columns import NUMBER, Column, ValueRules, convert, to_frame
from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.files import Format, input_format
from dcsvm.cli.inferring import infer_columns
from dcsvm.cli.misfits import Misfits
from dcsvm.cli.options import ReadingOptions, TrainingTableOptions
from dcsvm.cli.reading import open_table
from dcsvm.cli.sparse_tables import read_svmlight, svmlight_target
from dcsvm.cli.targets import Target, check_classes, read_target
from dcsvm.cli.wording import counted, did_you_mean, listed


@dataclass(frozen=True)
class TrainingTable:
    """What a model is fitted to."""

    X: Any  # a frame, or a sparse matrix
    labels: NDArray[Any]
    weight: NDArray[np.float64] | None
    target: Target
    columns: list[Column]
    source: dict[str, Any]  # what the model must know about its input to predict

    @property
    def n_rows(self) -> int:
        """The number of rows."""
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

    def fit(self, pipeline: Any) -> None:
        """Fit a pipeline whose last step is named "classifier" to all rows."""
        weight = {} if self.weight is None else {"classifier__sample_weight": self.weight}
        pipeline.fit(self.X, self.labels, **weight)

    def classes(self) -> list[dict[str, Any]]:
        """The classes and their numbers of rows."""
        counts = np.unique_counts(self.labels)
        pairs = zip(counts.values.tolist(), counts.counts.tolist(), strict=True)
        return [{"label": label, "rows": n} for label, n in pairs]


def read_training_table(
    path: Path, reading: ReadingOptions, options: TrainingTableOptions, console: Console
) -> TrainingTable:
    """Read and check everything that a fit needs."""
    if input_format(path, reading.format) is Format.SVMLIGHT:
        return _read_sparse(path, options)
    file = open_table(path, reading, console)
    target_name = check_names(file.names, path, options)
    table = file.read_all()
    target, found = read_target(target_name, table.column(target_name), file.rules)
    labelled = _labelled(found, table.column(target_name), target, console)
    if not labelled.all():
        table, found = table.filter(pa.array(labelled)), found[labelled]
    labels = target.narrowed(found)
    check_classes(target, labels, options.max_classes)
    weight = None if options.weight is None else _weights(table, options.weight, file.rules)
    not_features = {target_name, options.weight, *(options.drop or ())}
    features = [name for name in file.names if name not in not_features]
    if not features:
        raise UserError(f"{path} has no column to learn from beside {target_name!r}.")
    columns = infer_columns(table, features, file.rules, console)
    frame = to_frame(table, columns, replace(file.rules, coerce=True))
    for note in file.rules.misfits.notes():
        console.note(note)
    source = {
        "input": "table",
        "na_values": reading.na_values,
        "coerced": file.rules.misfits.to_json()["unreadable_values"],
    }
    return TrainingTable(frame, labels, weight, target, columns, source)


def _read_sparse(path: Path, options: TrainingTableOptions) -> TrainingTable:
    for option, value in (("--drop", options.drop), ("--weight", options.weight)):
        if value:
            raise UserError(f"An svmlight file has no columns with names: leave out {option}.")
    X, numbers, zero_based = read_svmlight(path)
    target, labels = svmlight_target(numbers)
    if options.target is not None:
        target = replace(target, name=options.target)
    labels = target.narrowed(labels)
    check_classes(target, labels, options.max_classes)
    source = {"input": "svmlight", "zero_based": zero_based, "features": X.shape[1]}
    return TrainingTable(X, labels, None, target, [], source)


def check_names(names: list[str], path: Path, options: TrainingTableOptions) -> str:
    """The name of the target, after a check of all names that options give."""
    target = options.target
    if target is None:
        raise UserError(
            f"Which column of {path} has the labels? Name it with --target; there are "
            f"{listed(names, 12)}."
        )
    given = [("--weight", options.weight), *(("--drop", name) for name in options.drop or ())]
    for option, name in [("--target", target), *given]:
        if name is None or name in names:
            continue
        hint = ""
        if len(names) == 1 and option == "--target":
            hint = " If that is more than one column, give the delimiter with --delimiter."
        raise UserError(
            f"{path} has no column {name!r} ({option}): {did_you_mean(name, names)}{hint}"
        )
    for option, name in given:
        if name == target:
            raise UserError(f"Column {target!r} is the target: leave it out of {option}.")
    return target


def _labelled(
    labels: NDArray[Any], values: Any, target: Target, console: Console
) -> NDArray[np.bool_]:
    labelled = np.array([label is not None for label in labels.tolist()], dtype=bool)
    n_missing = int((~labelled).sum())
    if n_missing == len(labels):
        raise UserError(f"Column {target.name!r} has no label at all: all its values are missing.")
    if n_missing:
        texts = pc.cast(values.filter(pa.array(~labelled)), pa.string())
        texts = sorted({text.strip() for text in texts.to_pylist() if text and text.strip()})
        how = f": {listed(texts)} counts as missing (--na-values '' to keep it as a label)"
        console.note(
            f"{counted(n_missing, 'row')} without a label in {target.name!r} "
            f"{'is' if n_missing == 1 else 'are'} left out{how if texts else ''}."
        )
    return labelled


def _weights(table: pa.Table, name: str, rules: ValueRules) -> NDArray[np.float64]:
    values = table.column(name)
    rules = replace(rules, coerce=True, misfits=Misfits())
    weight: NDArray[np.float64] = convert(values, Column(name, NUMBER), rules)
    is_wrong = np.isnan(weight) | (weight < 0)
    if is_wrong.any():
        row = int(np.argmax(is_wrong))
        raise UserError(
            f"Column {name!r} (--weight) must have a number of at least 0 in every row, but "
            f"labelled row {row + 1:,} has {values[row].as_py()!r}."
        )
    return weight
