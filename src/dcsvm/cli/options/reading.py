"""How a table is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from typer import Option

from dcsvm.cli.files import Format
from dcsvm.cli.options.groups import OptionGroup


@dataclass(frozen=True)
class ReadingOptions(OptionGroup):
    """How to read a table."""

    format: Annotated[
        Format | None,
        Option(
            metavar="FORMAT",
            help="csv, tsv, parquet, arff or svmlight, where the name does not show it.",
        ),
    ] = None
    delimiter: Annotated[
        str | None, Option(help="Character between the columns of a CSV, guessed by default.")
    ] = None
    encoding: Annotated[
        str | None, Option(help="Encoding of a text file, such as latin-1, guessed by default.")
    ] = None
    coerce: Annotated[
        bool, Option("--coerce", help="Take values that do not fit their column as missing.")
    ] = False
