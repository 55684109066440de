"""Which format a file is in, by its name or as the user says."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

from dcsvm.cli.errors import UserError


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
WRITTEN = (Format.CSV, Format.TSV, Format.PARQUET)
OPENERS: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
# How files of other formats begin.
SIGNATURES = {
    b"PAR1": "a Parquet file (add --format parquet)",
    b"PK\x03\x04": "a zip archive or an Excel workbook (save it as CSV first)",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook (save it as CSV first)",
    b"\x1f\x8b": "a gzip file (its name should end in .gz)",
    b"SQLite": "an SQLite database (export the table as CSV first)",
}


def input_format(path: Path, given: Format | None) -> Format:
    """The format to read a file in."""
    if given is not None:
        return given
    name = path.with_suffix("") if path.suffix.lower() in OPENERS else path
    found = ENDINGS.get(name.suffix.lower())
    if found is None:
        raise UserError(
            f"The format of {path} does not show in its name: add --format "
            f"{', '.join(Format)[: -len(Format.SVMLIGHT)]}or svmlight."
        )
    if found is Format.PARQUET and name is not path:
        raise UserError(f"{path}: Parquet is compressed by itself; unpack the file first.")
    return found


def output_format(path: Path) -> Format:
    """The format to write a file in."""
    found = ENDINGS.get(path.suffix.lower())
    if found not in WRITTEN:
        raise UserError(
            f"Predictions are written as CSV, TSV or Parquet, not as {path.name}: give an output "
            "whose name ends in .csv, .tsv or .parquet."
        )
    return found


def open_bytes(path: Path) -> IO[bytes]:
    """A file to read, unpacked if its name says that it is packed."""
    opener = OPENERS.get(path.suffix.lower())
    try:
        return path.open("rb") if opener is None else opener(path, "rb")
    except (gzip.BadGzipFile, lzma.LZMAError) as error:
        raise UserError(f"{path} cannot be unpacked: {error}.") from error


def first_bytes(path: Path, n: int) -> bytes:
    """How a text file begins; what cannot be text is refused."""
    try:
        with open_bytes(path) as file:
            sample = file.read(n)
    except (gzip.BadGzipFile, lzma.LZMAError, EOFError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise UserError(f"{path} cannot be unpacked: {error}.") from error
    for signature, what in SIGNATURES.items():
        if sample.startswith(signature):
            raise UserError(f"{path} is no text but {what}.")
    if not sample.strip():
        raise UserError(f"{path} is empty: there is nothing to read in it.")
    return sample
