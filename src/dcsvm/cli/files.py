"""Input and output files: that they can be read or written, their formats, their compression."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

from dcsvm.cli.errors import UserError
from dcsvm.cli.wording import near_names


class Format(StrEnum):
    """Formats that are read; the first three are also written."""

    CSV = "csv"
    TSV = "tsv"
    PARQUET = "parquet"
    ARFF = "arff"
    SVMLIGHT = "svmlight"


ENDINGS = {
    ".csv": Format.CSV,
    ".tsv": Format.TSV,
    ".tab": Format.TSV,
    ".parquet": Format.PARQUET,
    ".pq": Format.PARQUET,
    ".arff": Format.ARFF,
    ".svmlight": Format.SVMLIGHT,
    ".libsvm": Format.SVMLIGHT,
    ".svm": Format.SVMLIGHT,
}
OUTPUT_FORMATS = (Format.CSV, Format.TSV, Format.PARQUET)
OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
# The first bytes of files that are given as text by mistake.
SIGNATURES = {
    b"PAR1": "a Parquet file (add --format parquet)",
    b"PK\x03\x04": "a zip archive or an Excel workbook (save it as CSV first)",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook (save it as CSV first)",
    b"\x1f\x8b": "a gzip file (its name should end in .gz)",
    b"SQLite": "an SQLite database (export the table as CSV first)",
}


def check_readable(path: Path) -> None:
    """Refuse an input that cannot be read, and suggest files with a similar name."""
    if path.is_dir():
        raise UserError(f"{path} is a folder: give the name of a file in it.")
    if path.exists():
        if not os.access(path, os.R_OK):
            raise UserError(f"{path} cannot be read: its permissions forbid it.")
        if path.is_file() and path.stat().st_size == 0:
            raise UserError(f"{path} is empty.")
        return
    folder = path.parent
    if not folder.is_dir():
        raise UserError(f"There is no file {path}, nor a folder {folder}.")
    files = sorted(p.name for p in folder.iterdir() if not p.name.startswith("."))
    near = [str(folder / name) for name in near_names(path.name, files, cutoff=0.75)]
    hint = f"did you mean {' or '.join(near)}?" if near else "check its name."
    raise UserError(f"There is no file {path}: {hint}")


def check_writable(path: Path, *inputs: Path) -> None:
    """Refuse an output that cannot be written, before time is spent on computing it."""
    if path.is_dir():
        raise UserError(f"{path} is a folder: give the name of a file to write.")
    folder = path.parent
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder} to write {path.name} to: make it first.")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise UserError(f"{path} cannot be written: the permissions there forbid it.")
    for other in inputs:
        if path.exists() and other.exists() and path.samefile(other):
            raise UserError(
                f"{path} is both read and written: give the output another name with -o."
            )


def input_format(path: Path, given: Format | None) -> Format:
    """The format to read a file in."""
    if given is not None:
        return given
    name = path.with_suffix("") if path.suffix.lower() in OPENERS else path
    found = ENDINGS.get(name.suffix.lower())
    if found is None:
        *others, last = Format
        raise UserError(
            f"The name of {path} does not show its format: add --format {', '.join(others)} or "
            f"{last}."
        )
    if found is Format.PARQUET and name is not path:
        raise UserError(f"{path}: Parquet is compressed by itself; unpack the file first.")
    return found


def output_format(path: Path) -> Format:
    """The format to write a file in."""
    found = ENDINGS.get(path.suffix.lower())
    if found not in OUTPUT_FORMATS:
        raise UserError(
            f"Predictions are written as CSV, TSV or Parquet, not as {path.name}: give an output "
            "whose name ends in .csv, .tsv or .parquet."
        )
    return found


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """A file to read, decompressed if its name ends as that of a compressed one."""
    try:
        with OPENERS.get(path.suffix.lower(), open)(path, "rb") as file:
            yield file
    except (EOFError, lzma.LZMAError, zlib.error, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise UserError(f"{path} cannot be unpacked: {error}.") from error


def first_bytes(path: Path, n: int) -> bytes:
    """The beginning of a text file; known binary formats are refused."""
    with open_bytes(path) as file:
        sample = file.read(n)
    for signature, what in SIGNATURES.items():
        if sample.startswith(signature):
            raise UserError(f"{path} is no text but {what}.")
    if not sample.strip():
        raise UserError(f"{path} is empty.")
    return sample
