"""Reading CSV and TSV, block by block, every value as the text that stands there.

What the texts mean is decided for whole columns (columns.py): a block alone cannot tell, and a
file must be read in the same way whether it comes in one block or in thousands.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyarrow import csv as arrow_csv

from dcsvm.cli.errors import UserError, counted, listed
from dcsvm.cli.formats import OPENERS, Format, first_bytes, open_bytes

SAMPLE_BYTES = 2**20
BLOCK_BYTES = 2**22
DELIMITERS = ",;\t|"
LINES_TO_COMPARE = 20


@dataclass(frozen=True)
class DelimitedFile:
    """A CSV or TSV file and how it is written."""

    path: Path
    names: list[str]
    delimiter: str
    encoding: str
    notes: tuple[str, ...] = ()
    is_text = True

    @property
    def decimal_comma(self) -> bool:
        """Whether 3,14 is a number: only where the comma does not divide columns."""
        return self.delimiter != ","

    @property
    def schema(self) -> pa.Schema:
        """All columns are text."""
        return pa.schema([(name, pa.string()) for name in self.names])

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows in order; memory is needed for a block at a time."""
        rows_before, last = 0, ""
        try:
            with self._open() as stream, self._reader(stream) as reader:
                for batch in reader:
                    rows_before += batch.num_rows
                    if batch.num_rows:
                        last = batch.column(batch.num_columns - 1)[-1].as_py()
                        yield batch
        except pa.ArrowInvalid as error:
            raise self._explained(error, rows_before) from error
        except (EOFError, UnicodeDecodeError) as error:
            raise UserError(f"{self.path} breaks off or is damaged: {error}.") from error
        if "\n" in last:
            self._check_last_quote()

    def _check_last_quote(self) -> None:
        """A quote that is never closed takes all rows after it for one value."""
        with self._text() as text:
            line = 0
            reader = csv.reader(text, delimiter=self.delimiter, strict=True)
            try:
                for _ in reader:
                    line = reader.line_num
            except csv.Error as error:
                raise UserError(
                    f"{self.path}: the row that begins in line {line + 1:,} has a quote that is "
                    "never closed, so that the rows after it are lost in it: mend that line."
                ) from error

    def _text(self) -> io.TextIOWrapper:
        return io.TextIOWrapper(open_bytes(self.path), self.encoding, "replace", newline="")

    def _open(self) -> pa.NativeFile:
        if self.path.suffix.lower() in OPENERS:
            return pa.PythonFile(open_bytes(self.path), mode="r")
        return pa.OSFile(str(self.path))

    def _reader(self, stream: pa.NativeFile) -> arrow_csv.CSVStreamingReader:
        return arrow_csv.open_csv(
            stream,
            arrow_csv.ReadOptions(
                column_names=self.names,
                skip_rows_after_names=1,
                encoding=self.encoding,
                block_size=BLOCK_BYTES,
            ),
            arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=self.schema,
                strings_can_be_null=False,
                quoted_strings_can_be_null=False,
            ),
        )

    def _explained(self, error: pa.ArrowInvalid, rows_before: int) -> UserError:
        text = str(error)
        if re.search(r"Expected \d+ columns, got \d+", text):
            line, fields = self._first_ragged()
            return UserError(
                f"{self.path}: the row that ends in line {line:,} has {fields} where the header "
                f"has {len(self.names)}: mend it, or name the delimiter with --delimiter."
            )
        if "UTF8" in text or "utf-8" in text.lower():
            return UserError(
                f"{self.path} is not all UTF-8 (after row {rows_before:,}): add "
                "--encoding latin-1, or whatever it was written in."
            )
        if "Empty CSV" in text:
            return UserError(f"{self.path} has a header but no rows.")
        return UserError(f"{self.path} cannot be read as a table: {text.splitlines()[0]}")

    def _first_ragged(self) -> tuple[int, str]:
        """Where the first row is that has too few fields, or too many."""
        with self._text() as text:
            reader = csv.reader(text, delimiter=self.delimiter)
            for row in reader:
                if row and len(row) != len(self.names):
                    return reader.line_num, counted(len(row), "field")
            return reader.line_num, "another number of fields"


def open_delimited(
    path: Path, format: Format, delimiter: str | None, encoding: str | None
) -> DelimitedFile:
    """Find out how a file is written."""
    sample = first_bytes(path, SAMPLE_BYTES)
    notes: tuple[str, ...] = ()
    if encoding is None:
        encoding = guess_encoding(sample)
        if encoding not in ("utf-8", "utf-16"):
            notes = (f"{path} is not UTF-8; it is read as {encoding} (--encoding to change that).",)
    text = _decoded(path, sample, encoding)
    if "\0" in text:
        raise UserError(f"{path} is no text: name its format with --format.")
    if delimiter is None:
        delimiter = "\t" if format is Format.TSV else guess_delimiter(text)
    names, unnamed = _header(path, text, delimiter)
    if unnamed:
        notes += (f"{path} has columns without a name; they are called {listed(unnamed)}.",)
    return DelimitedFile(path, names, delimiter, encoding, notes)


def guess_encoding(sample: bytes) -> str:
    """UTF-8 if it can be, else what Western Windows writes, else Latin-1, which is anything."""
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    for encoding in ("utf-8", "cp1252"):
        try:
            sample.decode(encoding)
        except UnicodeDecodeError as error:
            if encoding == "utf-8" and error.start >= len(sample) - 3 and len(sample) > 3:
                return encoding  # the sample ends within a character
        else:
            return encoding
    return "latin-1"


def _decoded(path: Path, sample: bytes, encoding: str) -> str:
    try:
        text = sample.decode(encoding, errors="ignore" if encoding == "utf-8" else "strict")
    except LookupError as error:
        raise UserError(f"There is no encoding {encoding!r}: try utf-8 or latin-1.") from error
    except UnicodeDecodeError as error:
        if error.start < len(sample) - 4:
            raise UserError(f"{path} is not {encoding}: {error.reason}.") from error
        text = sample[: error.start].decode(encoding)
    return text.removeprefix("\ufeff")


def guess_delimiter(text: str) -> str:
    """What divides the first lines into the most columns, all into as many."""
    lines = text.splitlines()
    whole = lines[:-1] if len(lines) > 2 and len(text) >= SAMPLE_BYTES // 2 else lines
    best, most = ",", 1
    for delimiter in DELIMITERS:
        rows = [
            row for row in csv.reader(whole[: 4 * LINES_TO_COMPARE], delimiter=delimiter) if row
        ]
        widths = Counter(len(row) for row in rows[:LINES_TO_COMPARE])
        if not rows or widths[len(rows[0])] * 2 <= sum(widths.values()):
            continue
        if len(rows[0]) > most:
            best, most = delimiter, len(rows[0])
    return best


def _header(path: Path, text: str, delimiter: str) -> tuple[list[str], list[str]]:
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        first = next((row for row in reader if row), [])
    except csv.Error as error:
        raise UserError(f"{path} cannot be read as a table: {error}.") from error
    names = [name.strip() for name in first]
    unnamed = [f"column_{place}" for place, name in enumerate(names, 1) if not name]
    names = [name or f"column_{place}" for place, name in enumerate(names, 1)]
    check_names(path, names)
    return names, unnamed


def check_names(path: Path, names: list[str]) -> None:
    """Refuse columns that cannot be told apart."""
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise UserError(
            f"{path} has more than one column named {listed(twice)}: rename all but one."
        )
