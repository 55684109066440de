"""`dcsvm predict`: labels for the rows of a file of any length, in bounded memory."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any
from warnings import catch_warnings

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dcsvm.cli.columns import BOOLEAN, DATE, NUMBER, TEXT
from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.evaluation import always_largest
from dcsvm.cli.files import Format, output_format
from dcsvm.cli.misfits import Misfits
from dcsvm.cli.models import Model
from dcsvm.cli.options import PredictOptions, ReadingOptions
from dcsvm.cli.probabilities import ProbabilityColumns
from dcsvm.cli.rows import Rows, SparseRows, TableRows, open_rows
from dcsvm.cli.seen_rows import SeenRows
from dcsvm.cli.wording import counted, listed
from dcsvm.cli.writers import open_writer
from dcsvm.cuda.device import NoDeviceError
from dcsvm.estimators.parameter_types import DeviceName, names_in

# Types, in files that have types, of columns that the table has as texts.
TYPES = {NUMBER: pa.float64(), BOOLEAN: pa.bool_(), DATE: pa.timestamp("us"), TEXT: pa.string()}


def predict(
    model: Model,
    data: Path,
    output: Path | None,
    reading: ReadingOptions,
    options: PredictOptions,
    console: Console,
) -> None:
    """Predict every row, write it with its label, and print a summary."""
    start = time.perf_counter()
    model.classifier.set_params(n_jobs=options.jobs)
    _set_device(model.classifier, options.device)
    tally, misfits = predict_table(model, data, output, reading, options, console)
    seconds = time.perf_counter() - start
    if tally.rows == 0:
        console.note(f"{data} has no rows.")
    print_summary(tally, model, seconds, output, console)
    document = {"output": None if output is None else str(output), **tally.summary()}
    for note in misfits.notes():
        console.note(note)
    console.document({**document, **misfits.to_json(), "seconds": seconds})


def predict_table(
    model: Model,
    data: Path,
    output: Path | None,
    reading: ReadingOptions,
    options: PredictOptions,
    console: Console,
) -> tuple[Tally, Misfits]:
    """Predict every row, and write it with its label."""
    source = open_rows(model, data, reading, console)
    kept = _kept_columns(source, model, output, options)
    predictor = _Predictor(model, options)
    predictor.check_names(kept.names)
    schema = pa.schema([*kept, *predictor.fields])
    tally = Tally(model.classifier.classes_.tolist(), model.metadata.get("trained_on"))
    with open_writer(output, schema) as write, console.progress("Rows", source.n_rows) as advance:
        for rows in source.batches():
            tally.seen.count(rows.X)
            predicted = predictor.predict(rows, tally)
            columns = [_column(rows, field) for field in kept]
            write(pa.RecordBatch.from_arrays([*columns, *predicted], schema=schema))
            advance(tally.rows)
    return tally, source.misfits


def _set_device(classifier: Any, device: str) -> None:
    """Let a classifier predict on this device."""
    if device not in names_in(DeviceName):
        raise UserError(f"--device is one of cpu, cuda and auto, not {device!r}.")
    if device == "cpu":
        return
    if "device" not in classifier.get_params():
        raise UserError(f"A {type(classifier).__name__} predicts on the CPU alone (--device).")
    try:
        if device == "cuda":
            classifier.to(device)  # before anything has changed
        classifier.set_params(device=device)
    except (ValueError, NoDeviceError) as error:
        raise UserError(str(error)) from error


def _kept_columns(
    source: TableRows | SparseRows, model: Model, output: Path | None, options: PredictOptions
) -> pa.Schema:
    """The columns of the table in the output."""
    if options.labels_only:
        return pa.schema([])
    is_typed = output is not None and output_format(output) not in (Format.CSV, Format.TSV)
    if is_typed and isinstance(source, TableRows) and source.table.rules.is_text:
        types = {column.name: TYPES[column.kind] for column in model.columns}
        return pa.schema([(name, types.get(name, pa.string())) for name in source.schema.names])
    return source.schema


def _column(rows: Rows, field: pa.Field) -> Any:
    """A column of the table in its type in the output."""
    values = rows.columns.column(field.name)  # type: ignore[union-attr]
    if values.type == field.type:
        return values
    return pa.array(rows.X[field.name], from_pandas=True).cast(field.type)


class _Predictor:
    """The columns that are added to a table."""

    def __init__(self, model: Model, options: PredictOptions) -> None:
        self.model = model
        self.options = options
        self.labels = pa.array(model.classifier.classes_.tolist())
        self.label_name = options.label_name or f"predicted_{model.target.name}"
        self.fields = [pa.field(self.label_name, self.labels.type)]
        if not options.no_decisions:
            self.fields.append(pa.field("decisions", pa.int32()))
        self.probabilities = ProbabilityColumns(model.classifier, options)
        self.fields += self.probabilities.fields
        if options.explain:
            self.fields.append(pa.field("explanation", pa.string()))

    def check_names(self, taken: list[str]) -> None:
        ways_out = {
            "decisions": "rename it, or leave the new one out with --no-decisions",
            "explanation": "rename it, or leave the new one out: omit --explain",
            self.label_name: "choose another name with --label-name",
        }
        for field in self.probabilities.fields:
            ways_out.setdefault(field.name, "rename it")
        for name in (field.name for field in self.fields):
            if name in taken:
                raise UserError(f"The table has a column {name!r} already: {ways_out[name]}.")

    def predict(self, rows: Rows, tally: Tally) -> list[Any]:
        classifier = self.model.classifier
        X = self.transform(rows.X)
        if self.options.no_decisions:
            labels, decisions = classifier.predict(X), None
        else:
            labels, decisions = classifier.predict_with_decisions(X)
        tally.count(labels, decisions, rows.labels)
        columns = [self.labels.take(pa.array(np.searchsorted(classifier.classes_, labels)))]
        if decisions is not None:
            columns.append(pa.array(decisions.astype(np.int32)))
        columns += self.probabilities.of_rows(X)
        if self.options.explain:
            from dcsvm.inspection import explanations

            texts = [" ".join(str(found).split()) for found in explanations(classifier, X)]
            columns.append(pa.array(texts, pa.string()))
        return columns

    def transform(self, X: Any) -> Any:
        with catch_warnings(action="ignore"):  # of categories that training has not seen
            return self.model.pipeline[:-1].transform(X) if len(self.model.pipeline) > 1 else X


class Tally:
    """Counts over all rows that were predicted."""

    def __init__(self, classes: list[Any], trained_on: dict[str, Any] | None = None) -> None:
        self.seen = SeenRows(trained_on)
        self.rows = self.decisions = self.labelled = self.correct = 0
        self.classes = set(classes)
        self.predicted: Counter[Any] = Counter()
        self.true: Counter[Any] = Counter()

    def count(
        self, labels: NDArray[Any], decisions: NDArray[Any] | None, truth: NDArray[Any] | None
    ) -> None:
        """Add some rows; `truth` has None where the table has no label."""
        self.rows += len(labels)
        self.decisions += 0 if decisions is None else int(decisions.sum())
        found = np.unique_counts(labels)
        self.predicted.update(dict(zip(found.values.tolist(), found.counts.tolist(), strict=True)))
        if truth is None:
            return
        known = [label for label in truth.tolist() if label is not None]
        self.labelled += len(known)
        self.correct += int((labels.astype(object) == truth).sum())
        self.true.update(known)

    def add(self, other: Tally) -> None:
        """Add the counts of other rows."""
        for name in ("rows", "decisions", "labelled", "correct"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.predicted.update(other.predicted)
        self.true.update(other.true)
        self.seen.add(other.seen)

    @property
    def unseen(self) -> Counter[Any]:
        """Labels in the table that are no classes of the model."""
        return Counter({label: n for label, n in self.true.items() if label not in self.classes})

    @property
    def largest_share(self) -> float:
        """The accuracy of the answer that is the most frequent label for every row."""
        return max(self.true.values()) / self.labelled

    def summary(self) -> dict[str, Any]:
        """The counts as JSON has them."""
        return {
            "rows": self.rows,
            "decisions_per_row": self.decisions / self.rows if self.decisions else None,
            "accuracy": self.correct / self.labelled if self.labelled else None,
            "largest_class_accuracy": self.largest_share if self.labelled else None,
            "rows_with_label": self.labelled,
            "predicted": _counts(sorted(self.predicted.items())),
            "unseen_classes": _counts(self.unseen.most_common()),
            "share_of_training_rows": self.seen.share,
        }


def _counts(pairs: list[tuple[Any, int]]) -> list[dict[str, Any]]:
    return [{"label": label, "rows": n} for label, n in pairs]


def print_summary(
    tally: Tally, model: Model, seconds: float, output: Path | None, console: Console
) -> None:
    """Say how many rows were predicted, how fast and how well."""
    where = "" if output is None else f" to {output}"
    each = f", {tally.decisions / tally.rows:.1f} decisions each" if tally.decisions else ""
    console.status(
        f"{counted(tally.rows, 'row')} predicted{where} in {seconds:.1f} s, "
        f"{tally.rows / seconds:,.0f} rows/s{each}"
    )
    if tally.labelled:
        console.summary(
            f"Accuracy: {100 * tally.correct / tally.labelled:.2f} % of "
            f"{counted(tally.labelled, 'row')} with a label in {model.target.name!r} "
            f"{always_largest(tally.largest_share)}"
        )
    if note := tally.seen.note(model.metadata["figures"]):
        console.note(note)
    if tally.unseen:
        console.note(
            f"{listed(label for label, _ in tally.unseen.most_common())} in {model.target.name!r} "
            f"({counted(tally.unseen.total(), 'row')}) {'is' if len(tally.unseen) == 1 else 'are'} "
            "unknown to the model, which cannot predict it."
        )
