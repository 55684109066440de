"""Reading ARFF, Weka's format, with dense or sparse rows."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import arff
import pyarrow as pa

from dcsvm.cli.columns import ValueRules
from dcsvm.cli.delimited import SAMPLE_BYTES, guess_encoding
from dcsvm.cli.errors import UserError
from dcsvm.cli.files import first_bytes, open_bytes
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.tables import Table

ROWS_PER_BATCH = 2**14
# liac-arff does not know dates: they are read as texts, and recognised as those of a CSV are.
DATE_ATTRIBUTE = re.compile(
    r"^(\s*@attribute\s+(?:'[^']*'|\"[^\"]*\"|\S+)\s+)date\b.*$", re.IGNORECASE
)


def open_arff(path: Path, options: ReadingOptions) -> Table:
    """An ARFF file, of which one batch of rows at a time is in memory."""
    encoding = options.encoding or guess_encoding(first_bytes(path, SAMPLE_BYTES))
    with _document(path, encoding) as document:
        fields = [(name, _arrow_type(kind)) for name, kind in document["attributes"]]
    schema, rules = pa.schema(fields), ValueRules.of(options, is_text=False)
    return Table(path, schema, rules, partial(_batches, path, encoding, schema))


@contextmanager
def _document(path: Path, encoding: str) -> Iterator[Any]:
    """Attributes, and an iterator over the rows."""
    try:
        with open_bytes(path) as file, io.TextIOWrapper(file, encoding) as lines:
            yield _decode(lines)
    except (arff.ArffException, UnicodeDecodeError) as error:
        text = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise UserError(f"{path} is not valid ARFF: {text}.") from error
    except (ValueError, TypeError, KeyError, IndexError) as error:  # of liac-arff, for some lines
        raise UserError(f"{path} is not valid ARFF: a line of it cannot be understood.") from error


def _batches(path: Path, encoding: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    with _document(path, encoding) as document:
        rows = iter(document["data"])
        while block := list(islice(rows, ROWS_PER_BATCH)):
            if isinstance(block[0], dict):
                absent = [_absent(kind) for _, kind in document["attributes"]]
                block = [[row.get(*place) for place in enumerate(absent)] for row in block]
            columns = zip(*block, strict=True)
            arrays = [pa.array(c, field.type) for c, field in zip(columns, schema, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _decode(lines: Iterator[str]) -> Any:
    """What liac-arff makes of the lines; whether rows are sparse shows in the first of them."""
    header = []
    for line in lines:
        header.append(DATE_ATTRIBUTE.sub(r"\1STRING", line.rstrip("\r\n")))
        if line.strip().lower().startswith("@data"):
            break
    first = list(islice((row for row in lines if row.strip() and not row.startswith("%")), 1))
    is_sparse = bool(first) and first[0].lstrip().startswith("{")
    return arff.ArffDecoder().decode(
        chain(header, first, lines),
        encode_nominal=False,
        return_type=arff.LOD_GEN if is_sparse else arff.DENSE_GEN,
    )


def _arrow_type(kind: Any) -> pa.DataType:
    """Nominal attributes have the list of their values as their kind."""
    return pa.string() if isinstance(kind, list) or kind == "STRING" else pa.float64()


def _absent(kind: Any) -> Any:
    """The value that a sparse row leaves out: zero, or the first of the nominal values."""
    if isinstance(kind, list):
        return kind[0]
    return "" if kind == "STRING" else 0.0
