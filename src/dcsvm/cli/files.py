"""Input and output files: that they can be read or written, their formats, their compression.

The name - stands for the standard input, and as an output for the standard output.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from dcsvm.cli.errors import UserError
from dcsvm.cli.wording import near_names

STANDARD = Path("-")


class Format(StrEnum):
    """Formats that are read; all but the last two are also written."""

    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    FEATHER = "feather"
    EXCEL = "excel"
    ARFF = "arff"
    SVMLIGHT = "svmlight"


ENDINGS = {
    ".csv": Format.CSV,
    ".tsv": Format.TSV,
    ".tab": Format.TSV,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".parquet": Format.PARQUET,
    ".pq": Format.PARQUET,
    ".feather": Format.FEATHER,
    ".arrow": Format.FEATHER,
    ".xlsx": Format.EXCEL,
    ".xlsm": Format.EXCEL,
    ".arff": Format.ARFF,
    ".svmlight": Format.SVMLIGHT,
    ".libsvm": Format.SVMLIGHT,
    ".svm": Format.SVMLIGHT,
}
OUTPUT_ENDINGS = ".csv, .tsv, .jsonl, .parquet, .feather or .xlsx"
# Formats that are compressed by themselves.
PACKED = {Format.PARQUET: "Parquet", Format.FEATHER: "Feather", Format.EXCEL: "Excel"}


def _open_zstd(path: Path, mode: str) -> Any:
    import pyarrow as pa

    if mode == "wb":
        return pa.CompressedOutputStream(str(path), "zstd")
    with path.open("rb"):  # an error of the system has its number
        return pa.CompressedInputStream(str(path), "zstd")


OPENERS: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zst": _open_zstd,
}
# The first bytes of files that are given as text by mistake.
SIGNATURES = {
    b"PAR1": "a Parquet file (add --format parquet)",
    b"ARROW1": "a Feather file (add --format feather)",
    b"PK\x03\x04": "an Excel workbook (add --format excel) or a zip archive (unpack it first)",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook (save it as .xlsx first)",
    b"\x1f\x8b": "a gzip file (its name should end in .gz)",
    b"\x28\xb5\x2f\xfd": "a zstd file (its name should end in .zst)",
    b"SQLite": "an SQLite database (export the table as CSV first)",
}
# The ending of a name by the first bytes of what has no name.
ENDINGS_BY_BYTES = {
    b"PAR1": ".parquet",
    b"ARROW1": ".feather",
    b"PK\x03\x04": ".xlsx",
    b"\x1f\x8b": ".csv.gz",
    b"BZh": ".csv.bz2",
    b"\xfd7zXZ\x00": ".csv.xz",
    b"\x28\xb5\x2f\xfd": ".csv.zst",
    b"{": ".jsonl",
    b"@": ".arff",
    b"%": ".arff",
}


@contextmanager
def input_file(path: Path, rename: Callable[[str, str], None]) -> Iterator[Path]:
    """The file of a name; the standard input as a file, for which messages shall say what it is.

    Its format is that of its first bytes, and CSV if they do not tell.
    """
    if path != STANDARD:
        yield path
        return
    with TemporaryDirectory(prefix="dcsvm-") as folder:
        stream = sys.stdin.buffer
        start = stream.read(2**12)
        ending = next((e for b, e in ENDINGS_BY_BYTES.items() if start.startswith(b)), ".csv")
        kept = Path(folder) / f"stdin{ending}"
        with kept.open("wb") as file:
            file.write(start)
            shutil.copyfileobj(stream, file)
        rename(str(kept), "the standard input")
        if not start:
            raise UserError(f"{kept} is empty.")
        yield kept


def check_readable(path: Path) -> None:
    """Refuse an input that cannot be read, and suggest files with a similar name."""
    if path == STANDARD:
        return
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
    name = _without_compression(path)
    found = ENDINGS.get(name.suffix.lower())
    if found is None:
        *others, last = Format
        raise UserError(
            f"The name of {path} does not show its format: add --format {', '.join(others)} or "
            f"{last}."
        )
    if found in PACKED and name is not path:
        raise UserError(f"{path}: {PACKED[found]} is compressed by itself; unpack the file first.")
    return found


def output_format(path: Path) -> Format:
    """The format to write a file in."""
    name = _without_compression(path)
    found = ENDINGS.get(name.suffix.lower())
    if found is None or found in (Format.ARFF, Format.SVMLIGHT):
        raise UserError(
            f"Predictions are not written as {path.name}: give an output whose name ends in "
            f"{OUTPUT_ENDINGS}; texts are compressed if {', '.join(OPENERS)} follows."
        )
    if found in PACKED and name is not path:
        raise UserError(
            f"{PACKED[found]} is compressed by itself: leave {path.suffix} out of {path.name}."
        )
    return found


def _without_compression(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() in OPENERS else path


def open_output(path: Path, name: Path) -> Any:
    """A file to write, compressed if `name`, which it will have, ends as that of such a one."""
    return OPENERS.get(name.suffix.lower(), open)(path, "wb")


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
