"""Reading CSV and TSV in blocks, every value as the text that stands in the file.

What the texts mean is decided for whole columns (columns.py), since a block alone cannot tell, and
since a file must be read in the same way whether it has one block or thousands.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyarrow import csv as arrow_csv

from dcsvm.cli.columns import ValueRules
from dcsvm.cli.errors import UserError
from dcsvm.cli.files import Format, first_bytes, open_bytes
from dcsvm.cli.number_formats import NumberFormat
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.tables import Table, named_columns
from dcsvm.cli.wording import counted

SAMPLE_BYTES = 2**22  # must hold the header
BLOCK_BYTES = 2**22  # must hold any row
DELIMITERS = ",;\t|"
LINES_TO_COMPARE = 20
QUOTED = re.compile(r'"[^"]*"')


def open_delimited(path: Path, format: Format, options: ReadingOptions) -> Table:
    """A CSV or TSV file, of which one block at a time is in memory."""
    sample = first_bytes(path, SAMPLE_BYTES)
    notes: tuple[str, ...] = ()
    has_header = not options.no_header
    encoding = options.encoding or guess_encoding(sample)
    if options.encoding is None and encoding not in ("utf-8", "utf-16"):
        notes = (f"{path} is not UTF-8; it is read as {encoding} (--encoding to change that).",)
    text = _first_text(path, sample, encoding)
    delimiter = options.delimiter or ("\t" if format is Format.TSV else guess_delimiter(text))
    names, about_names = named_columns(path, _first_row(path, text, delimiter), has_header)
    schema = pa.schema([(name, pa.string()) for name in names])
    file = _DelimitedFile(path, schema, delimiter, encoding, has_header)
    # 3,14 is a number only where the comma does not separate columns.
    rules = ValueRules.of(
        options, True, NumberFormat.POINT if delimiter == "," else NumberFormat.COMMA
    )
    return Table(path, file.schema, rules, file.batches, (*notes, *about_names))


def guess_encoding(sample: bytes) -> str:
    """UTF-8 if it can be, else that of Western Windows, else Latin-1, which any bytes are."""
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    for encoding in ("utf-8", "cp1252"):
        with suppress(UnicodeDecodeError):
            _decode(sample, encoding)
            return encoding
    return "latin-1"


def _decode(sample: bytes, encoding: str, errors: str = "strict") -> str:
    """The text of a sample, which may end within a character."""
    return codecs.getincrementaldecoder(encoding)(errors).decode(sample)


def _first_text(path: Path, sample: bytes, encoding: str) -> str:
    errors = "ignore" if encoding == "utf-8" else "strict"  # errors in UTF-8 are Arrow's to find
    try:
        text = _decode(sample, encoding, errors)
    except LookupError as error:
        raise UserError(f"There is no encoding {encoding!r}: try utf-8 or latin-1.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not {encoding}: {error.reason}.") from error
    if "\0" in text:
        raise UserError(f"{path} is no text: give its format with --format.")
    return text.removeprefix("\ufeff")


def guess_delimiter(text: str) -> str:
    """The delimiter that splits most of the first lines into as many columns as the header."""
    whole_lines = text[: text.rfind("\n") + 1] if len(text) >= SAMPLE_BYTES // 2 else text
    lines = [line for line in QUOTED.sub("", whole_lines).splitlines() if line.strip()]
    best, most = ",", 0
    for delimiter in DELIMITERS:
        counts = [line.count(delimiter) for line in lines[:LINES_TO_COMPARE]]
        if counts and counts[0] > most and Counter(counts)[counts[0]] * 2 > len(counts):
            best, most = delimiter, counts[0]
    return best


def _first_row(path: Path, text: str, delimiter: str) -> list[str]:
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        return next((row for row in reader if row), [])
    except csv.Error as error:
        raise UserError(f"{path} cannot be read as a table: {error}.") from error


@dataclass(frozen=True)
class _DelimitedFile:
    path: Path
    schema: pa.Schema
    delimiter: str
    encoding: str
    has_header: bool

    def batches(self) -> Iterator[pa.RecordBatch]:
        n_rows, last = 0, ""
        try:
            with open_bytes(self.path) as stream, self._reader(stream) as reader:
                for batch in reader:
                    n_rows += batch.num_rows
                    if batch.num_rows:
                        last = batch.column(batch.num_columns - 1)[-1].as_py()
                        yield batch
        except pa.ArrowInvalid as error:
            raise self._explained(error, n_rows) from error
        except UnicodeDecodeError as error:
            raise UserError(f"{self.path} is damaged: {error}.") from error
        if "\n" in last:  # as it ends where a quote is never closed, and Arrow does not complain
            self._check_rows(strict=True)

    def _reader(self, stream: object) -> arrow_csv.CSVStreamingReader:
        return arrow_csv.open_csv(
            stream,
            arrow_csv.ReadOptions(
                column_names=self.schema.names,
                skip_rows_after_names=int(self.has_header),
                encoding=self.encoding,
                block_size=BLOCK_BYTES,
                use_threads=False,  # which would read ahead: more memory, and no less time
            ),
            arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(column_types=self.schema, strings_can_be_null=False),
        )

    def _explained(self, error: pa.ArrowInvalid, n_rows: int) -> UserError:
        text = str(error)
        if re.search(r"Expected \d+ columns, got \d+", text):
            self._check_rows(strict=False)
        if "UTF8" in text or "utf-8" in text.lower():
            return UserError(
                f"{self.path} is not all UTF-8 (after row {n_rows:,}): add --encoding latin-1, or "
                "the encoding it was written in."
            )
        if "Empty CSV" in text:
            return UserError(f"{self.path} has a header but no rows.")
        return UserError(f"{self.path} cannot be read as a table: {text.splitlines()[0]}")

    def _check_rows(self, strict: bool) -> None:
        """Name the first faulty line, which Arrow does not; `strict` is about quotes."""
        line, width = 0, len(self.schema)
        with open_bytes(self.path) as stream:
            text = io.TextIOWrapper(stream, self.encoding, "replace", newline="")
            reader = csv.reader(text, delimiter=self.delimiter, strict=strict)
            try:
                for row in reader:
                    line = reader.line_num
                    if row and len(row) != width:
                        raise UserError(
                            f"{self.path}: the row that ends in line {line:,} has "
                            f"{counted(len(row), 'field')} where the header has {width}: correct "
                            "it, or give the delimiter with --delimiter."
                        )
            except csv.Error as error:
                raise UserError(
                    f"{self.path}: the row that begins in line {line + 1:,} has a quote that is "
                    "never closed, so that the following rows became part of it: correct that "
                    "line."
                ) from error
