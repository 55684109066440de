"""`dcsvm predict`: labels for the rows of a table of any length, in bounded memory."""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dcsvm._util.files import atomic_write
from dcsvm.cli.columns import BOOLEAN, DATE, NUMBER, TEXT, Reading, convert, frame_of
from dcsvm.cli.errors import UserError, counted, listed, near_names
from dcsvm.cli.formats import Format, input_format, output_format
from dcsvm.cli.messages import Messages
from dcsvm.cli.models import Model
from dcsvm.cli.sparse_tables import svmlight_blocks
from dcsvm.cli.tables import ReadingOptions, TableFile, open_table
from dcsvm.cli.writers import DelimitedWriter, Writer, check_flat, open_writer

# What Parquet gets for the columns of a file that has nothing but texts.
TYPES = {
    NUMBER: pa.float64(),
    BOOLEAN: pa.bool_(),
    DATE: pa.timestamp("us"),
    TEXT: pa.string(),
}


@dataclass(frozen=True)
class PredictOptions:
    """What to write."""

    label_name: str | None = None
    decisions: bool = True
    explain: bool = False
    labels_only: bool = False
    coerce: bool = False


class Tally:
    """What is found on the way: how many rows, how often right."""

    def __init__(self, classes: list[Any]) -> None:
        self.rows = self.decisions = self.judged = self.right = 0
        self.classes = set(classes)
        self.predicted: Counter[Any] = Counter()
        self.unseen: Counter[Any] = Counter()

    def count(self, labels: NDArray[Any], decisions: NDArray[Any] | None) -> None:
        """Take note of predictions."""
        self.rows += len(labels)
        self.decisions += 0 if decisions is None else int(decisions.sum())
        found = np.unique_counts(labels)
        self.predicted.update(dict(zip(found.values.tolist(), found.counts.tolist(), strict=True)))

    def judge(self, labels: NDArray[Any], truth: NDArray[Any]) -> None:
        """Compare predictions with what is known."""
        known = np.array([label is not None for label in truth.tolist()], dtype=bool)
        self.judged += int(known.sum())
        self.right += int((labels.astype(object) == truth).sum())
        found = Counter(truth[known].tolist())
        self.unseen.update({label: n for label, n in found.items() if label not in self.classes})

    def summary(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "rows": self.rows,
            "decisions_per_row": self.decisions / self.rows if self.decisions else None,
            "accuracy": self.right / self.judged if self.judged else None,
            "rows_with_label": self.judged,
            "predicted": _counts(sorted(self.predicted.items())),
            "unseen_classes": _counts(self.unseen.most_common()),
        }


def _counts(pairs: list[tuple[Any, int]]) -> list[dict[str, Any]]:
    return [{"label": label, "rows": n} for label, n in pairs]


def predict(
    model: Model,
    data: Path,
    output: Path | None,
    reading: ReadingOptions,
    options: PredictOptions,
    messages: Messages,
) -> None:
    """Predict, write, and say how it went."""
    start = time.perf_counter()
    keeps_types = output is not None and output_format(output) is Format.PARQUET
    source: Any = (_SparseSource if model.is_sparse else _TableSource)(
        model, data, reading, options, messages
    )
    if keeps_types and not model.is_sparse:
        source.give_types()
    tally = Tally(model.classifier.classes_.tolist())
    with _writer(output, source.schema) as writer, messages.bar("Rows", source.n_rows) as advance:
        for batch in source.predictions(tally):
            writer.write(batch)
            advance(tally.rows)
    if tally.rows == 0:
        messages.note(f"{data} has no rows.")
    seconds = time.perf_counter() - start
    _report(tally, model, seconds, output, messages)
    messages.document(
        {"output": None if output is None else str(output), **tally.summary(), "seconds": seconds}
    )


@contextmanager
def _writer(output: Path | None, schema: pa.Schema) -> Iterator[Writer]:
    if output is None:
        check_flat(schema)
        yield DelimitedWriter(sys.stdout.buffer, ",", schema.names)
        sys.stdout.buffer.flush()
        return
    with (
        atomic_write(output) as temporary,
        open_writer(temporary, output_format(output), schema) as writer,
    ):
        yield writer


class _Source:
    """Rows and what is predicted for them; a table or sparse rows."""

    n_rows: int | None = None

    def __init__(self, model: Model, options: PredictOptions, taken: list[str]) -> None:
        self.model = model
        self.options = options
        name = options.label_name or f"predicted_{model.target.name}"
        classes = model.classifier.classes_
        self.class_values = pa.array(classes.tolist())
        fields = [pa.field(name, self.class_values.type)]
        if options.decisions:
            fields.append(pa.field("decisions", pa.int32()))
        if options.explain:
            fields.append(pa.field("explanation", pa.string()))
        for field in fields:
            if field.name in taken:
                way_out = "choose another name with --label-name"
                if field.name != name:
                    way_out = f"rename it, or leave ours out with --no-{field.name}"
                raise UserError(f"The table has a column {field.name!r} already: {way_out}.")
        self.added = fields

    def _predict(self, X: Any, tally: Tally, truth: NDArray[Any] | None) -> list[Any]:
        """The columns that are added."""
        classifier = self.model.classifier
        rows = self._transform(X)
        if self.options.decisions:
            labels, decisions = classifier.predict_with_decisions(rows)
        else:
            labels, decisions = classifier.predict(rows), None
        tally.count(labels, decisions)
        if truth is not None:
            tally.judge(labels, truth)
        places = np.searchsorted(classifier.classes_, labels)
        columns = [self.class_values.take(pa.array(places))]
        if decisions is not None:
            columns.append(pa.array(decisions.astype(np.int32)))
        if self.options.explain:
            from dcsvm.inspection import explanations

            words = [" ".join(str(found).split()) for found in explanations(classifier, rows)]
            columns.append(pa.array(words, pa.string()))
        return columns

    def _transform(self, X: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of categories that training has not seen
            return self.model.pipeline[:-1].transform(X) if len(self.model.pipeline) > 1 else X


class _TableSource(_Source):
    def __init__(
        self,
        model: Model,
        data: Path,
        reading: ReadingOptions,
        options: PredictOptions,
        messages: Messages,
    ) -> None:
        if input_format(data, reading.format) is Format.SVMLIGHT:
            raise UserError(
                f"{data} is in the svmlight format, but {model.path} was fitted to a table with "
                "named columns: give it a table."
            )
        self.file = open_table(data, reading)
        for note in self.file.notes:
            messages.note(note)
        check_columns(model, self.file, messages)
        super().__init__(model, options, [] if options.labels_only else self.file.names)
        self.reading = Reading(self.file.is_text, self.file.decimal_comma, options.coerce)
        self.has_target = model.target.name in self.file.names
        self.n_rows = getattr(self.file, "n_rows", None)
        self.kept = pa.schema([]) if options.labels_only else self.file.schema

    def give_types(self) -> None:
        """Write what the model knows to be numbers or dates as such, where the file has texts."""
        if not self.file.is_text or self.options.labels_only:
            return
        types = {c.name: TYPES[c.kind] for c in self.model.columns}
        self.kept = pa.schema([(name, types.get(name, pa.string())) for name in self.file.names])

    @property
    def schema(self) -> pa.Schema:
        """Of what is written."""
        return pa.schema([*self.kept, *self.added])

    def predictions(self, tally: Tally) -> Iterator[pa.RecordBatch]:
        """What is written, batch by batch."""
        target = self.model.target
        for batch in self.file.batches():
            frame = frame_of(
                (
                    convert(batch.column(c.name), c, self.reading, tally.rows)
                    for c in self.model.columns
                ),
                batch.num_rows,
            )
            truth = target.labels(batch.column(target.name)) if self.has_target else None
            added = self._predict(frame, tally, truth)
            kept = [
                batch.column(field.name)
                if field.type == batch.schema.field(field.name).type
                else pa.array(frame[field.name], from_pandas=True).cast(field.type)
                for field in self.kept
            ]
            yield pa.RecordBatch.from_arrays([*kept, *added], schema=self.schema)


class _SparseSource(_Source):
    def __init__(
        self,
        model: Model,
        data: Path,
        reading: ReadingOptions,
        options: PredictOptions,
        messages: Messages,
    ) -> None:
        if input_format(data, reading.format) is not Format.SVMLIGHT:
            raise UserError(
                f"{model.path} was fitted to an svmlight file and takes no other: {data} is none."
            )
        super().__init__(model, options, [])
        self.data = data
        self.schema = pa.schema(self.added)

    def predictions(self, tally: Tally) -> Iterator[pa.RecordBatch]:
        """What is written, block by block."""
        metadata, target = self.model.metadata, self.model.target
        for X, numbers in svmlight_blocks(self.data, metadata["features"], metadata["zero_based"]):
            truth = target.labels(pa.array(numbers))
            added = self._predict(X, tally, truth)
            yield pa.RecordBatch.from_arrays(added, schema=self.schema)


def check_columns(model: Model, file: TableFile, messages: Messages) -> None:
    """Name columns that are missing; say which are of no use to the model."""
    wanted = [column.name for column in model.columns]
    missing = [name for name in wanted if name not in file.names]
    if missing:
        spare = [name for name in file.names if name not in wanted]
        near = {name: near_names(name, spare) for name in missing}
        hints = [f"{name!r} may be {found[0]!r}" for name, found in near.items() if found]
        hint = f"{'; '.join(hints[:3])}." if hints else f"it has {listed(file.names, 8)}."
        raise UserError(
            f"{file.path} lacks {'the column' if len(missing) == 1 else 'the columns'} "
            f"{listed(missing)}, which the model needs: {hint}"
        )
    extra = [name for name in file.names if name not in {*wanted, model.target.name}]
    if extra:
        messages.note(
            f"The model does not use {'the column' if len(extra) == 1 else 'the columns'} "
            f"{listed(extra)} of {file.path}."
        )


def _report(
    tally: Tally, model: Model, seconds: float, output: Path | None, messages: Messages
) -> None:
    """To the standard error: the output itself may be what goes to the standard output."""
    where = "" if output is None else f" to {output}"
    speed = f"{tally.rows / seconds:,.0f} rows/s" if seconds > 0 else ""
    each = f", {tally.decisions / tally.rows:.1f} decisions each" if tally.decisions else ""
    messages.status(
        f"{counted(tally.rows, 'row')} predicted{where} in {seconds:.1f} s, {speed}{each}"
    )
    if tally.judged:
        messages.result(
            f"Accuracy: {100 * tally.right / tally.judged:.2f} % of "
            f"{counted(tally.judged, 'row')} with a label in {model.target.name!r}"
        )
    if tally.unseen:
        n = sum(tally.unseen.values())
        messages.note(
            f"{listed(label for label, _ in tally.unseen.most_common())} in {model.target.name!r} "
            f"({counted(n, 'row')}) {'is' if len(tally.unseen) == 1 else 'are'} unknown to the "
            "model, which can only be wrong there."
        )
