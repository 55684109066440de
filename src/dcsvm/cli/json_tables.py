"""Reading JSON lines: one object a line, whose names are the columns.

A name that a line does not have is missing there. The type of a column is that which holds the
values of all lines, for which the file is read twice.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa
from pyarrow import json as arrow_json

from dcsvm.cli.columns import ValueRules, is_number, is_string
from dcsvm.cli.errors import UserError
from dcsvm.cli.files import first_bytes, open_bytes
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.tables import Table

BLOCK_BYTES = 2**22
EXAMPLE = '{"x": 1, "kind": "a"}'


def open_json_lines(path: Path, options: ReadingOptions) -> Table:
    """A file of JSON lines, of which one block at a time is in memory."""
    if first_bytes(path, BLOCK_BYTES).lstrip().startswith(b"["):
        raise UserError(
            f"{path} is one JSON array: write its objects one to a line, as jq -c '.[]' does."
        )
    types: dict[str, pa.DataType] = {}
    for first_line, block in _blocks(path):
        for field in _parsed(path, first_line, block, None).schema:
            known = types.get(field.name, pa.null())
            types[field.name] = _common_type(path, field.name, known, field.type)
    schema = pa.schema(list(types.items()))
    return Table(
        path, schema, ValueRules.of(options, is_text=False), partial(_batches, path, schema)
    )


def _batches(path: Path, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for first_line, block in _blocks(path):
        yield from _parsed(path, first_line, block, schema).to_batches()


def _blocks(path: Path) -> Iterator[tuple[int, list[bytes]]]:
    """Lines that are about `BLOCK_BYTES` long together, and the number of the first."""
    with open_bytes(path) as file, io.BufferedReader(file) as stream:  # type: ignore[type-var]
        first = 1
        while block := stream.readlines(BLOCK_BYTES):
            if any(line.strip() for line in block):
                yield first, block
            first += len(block)


def _parsed(path: Path, first_line: int, block: list[bytes], schema: pa.Schema | None) -> pa.Table:
    text = b"".join(block).removeprefix(b"\xef\xbb\xbf")
    try:
        return arrow_json.read_json(
            pa.BufferReader(text),
            arrow_json.ReadOptions(use_threads=False, block_size=len(text) + 1),
            arrow_json.ParseOptions(explicit_schema=schema),
        )
    except pa.ArrowInvalid as error:
        for number, line in enumerate(block, first_line):
            _check_line(path, number, line)
        raise UserError(
            f"{path} cannot be read as JSON lines: {str(error).splitlines()[0]}."
        ) from error


def _check_line(path: Path, number: int, line: bytes) -> None:
    if not line.strip():
        return
    try:
        found = json.loads(line)
    except ValueError as error:
        raise UserError(f"{path}: line {number:,} is not valid JSON: {error}.") from error
    if not isinstance(found, dict):
        raise UserError(f"{path}: line {number:,} is no object like {EXAMPLE}.")


def _common_type(path: Path, name: str, a: pa.DataType, b: pa.DataType) -> pa.DataType:
    if a == b or pa.types.is_null(b):
        return a
    if pa.types.is_null(a):
        return b
    if all(is_number(t) and not pa.types.is_boolean(t) for t in (a, b)):
        return pa.float64()
    if all(is_string(t) or pa.types.is_timestamp(t) for t in (a, b)):
        return pa.string()  # not all of the texts are dates
    raise UserError(f"{path}: column {name!r} has values of type {a} and of type {b}.")
