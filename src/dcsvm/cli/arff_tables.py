"""Reading ARFF, Weka's format, dense and sparse rows alike."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import arff
import pyarrow as pa

from dcsvm.cli.delimited import check_names, guess_encoding
from dcsvm.cli.errors import UserError
from dcsvm.cli.formats import first_bytes, open_bytes

ROWS_PER_BATCH = 2**14
SAMPLE_BYTES = 2**20
# Dates are read as texts, and become dates as those in a CSV do.
DATE_ATTRIBUTE = re.compile(
    r"^(\s*@attribute\s+(?:'[^']*'|\"[^\"]*\"|\S+)\s+)date\b.*$", re.IGNORECASE
)


@dataclass(frozen=True)
class ArffFile:
    """An ARFF file."""

    path: Path
    names: list[str]
    schema: pa.Schema
    encoding: str
    notes: tuple[str, ...] = ()
    is_text = False
    decimal_comma = False

    @classmethod
    def open(cls, path: Path, encoding: str | None) -> ArffFile:
        """Read the header."""
        encoding = encoding or guess_encoding(first_bytes(path, SAMPLE_BYTES))
        file = cls(path, [], pa.schema([]), encoding)
        with io.TextIOWrapper(open_bytes(path), encoding=encoding) as lines:
            attributes = file._decode(lines)["attributes"]
        names = [name for name, _ in attributes]
        check_names(path, names)
        fields = [(name, _type(kind)) for name, kind in attributes]
        return cls(path, names, pa.schema(fields), encoding)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows in order, some at a time."""
        with io.TextIOWrapper(open_bytes(self.path), encoding=self.encoding) as lines:
            document = self._decode(lines)
            rows = iter(document["data"])
            absent = [_absent(kind) for _, kind in document["attributes"]]
            while block := self._next(rows):
                yield self._batch(block, absent)

    def _decode(self, lines: Any) -> Any:
        """Header and rows; which of the two kinds of rows there are shows in the first."""
        text = _without_dates(lines)
        header = []
        for line in text:
            header.append(line)
            if line.strip().lower().startswith("@data"):
                break
        first = next((line for line in text if line.strip() and not line.startswith("%")), None)
        is_sparse = first is not None and first.lstrip().startswith("{")
        kind = arff.LOD_GEN if is_sparse else arff.DENSE_GEN
        body = [] if first is None else [first]
        try:
            return arff.ArffDecoder().decode(
                _chain(header, body, text), encode_nominal=False, return_type=kind
            )
        except (arff.ArffException, UnicodeDecodeError) as error:
            raise self._explained(error) from error

    def _next(self, rows: Iterator[Any]) -> list[Any]:
        try:
            return list(islice(rows, ROWS_PER_BATCH))
        except (arff.ArffException, UnicodeDecodeError) as error:
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> UserError:
        text = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        return UserError(f"{self.path} is not sound ARFF: {text}.")

    def _batch(self, block: list[Any], absent: list[Any]) -> pa.RecordBatch:
        if isinstance(block[0], dict):
            columns: Any = [
                [row.get(place, nothing) for row in block] for place, nothing in enumerate(absent)
            ]
        else:
            columns = zip(*block, strict=True)
        arrays = [
            pa.array(values, type=field.type)
            for values, field in zip(columns, self.schema, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _chain(*parts: Any) -> Iterator[str]:
    for part in parts:
        yield from part


def _without_dates(lines: Any) -> Iterator[str]:
    in_header = True
    for line in lines:
        if in_header:
            line = DATE_ATTRIBUTE.sub(r"\1STRING", line.rstrip("\r\n"))
            in_header = not line.strip().lower().startswith("@data")
        yield line


def _type(kind: Any) -> pa.DataType:
    """Nominal attributes come as the list of their values."""
    return pa.string() if isinstance(kind, list) or kind == "STRING" else pa.float64()


def _absent(kind: Any) -> Any:
    """What a sparse row leaves out: zero, or the first of the nominal values."""
    if isinstance(kind, list):
        return kind[0]
    return "" if kind == "STRING" else 0.0
