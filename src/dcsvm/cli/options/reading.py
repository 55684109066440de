"""How a table is read."""

from __future__ import annotations

import csv
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
            help="csv, tsv, jsonl, parquet, feather, excel, arff or svmlight, where the name does "
            "not show it.",
        ),
    ] = None
    delimiter: Annotated[
        str | None, Option(help="Character between the columns of a CSV, guessed by default.")
    ] = None
    encoding: Annotated[
        str | None, Option(help="Encoding of a text file, such as latin-1, guessed by default.")
    ] = None
    no_header: Annotated[
        bool,
        Option(
            "--no-header",
            help="The first line is a row: columns are called column_1, column_2 and so on.",
        ),
    ] = False
    sheet: Annotated[
        str | None, Option(help="Sheet of an Excel workbook, the first by default.")
    ] = None
    na_values: Annotated[
        str | None,
        Option(
            metavar="TEXT,...",
            help="Texts that mean a missing value, in place of NA, N/A, NaN, NULL, None, ? and the "
            "like; '' for empty fields alone.",
        ),
    ] = None
    coerce: Annotated[
        bool, Option("--coerce", help="Take values that do not fit their column as missing.")
    ] = False

    def missing_texts(self) -> tuple[str, ...] | None:
        """The texts of --na-values, if it is given; one with a comma stands in quotes."""
        if self.na_values is None:
            return None
        return tuple(text.strip() for row in csv.reader([self.na_values]) for text in row if text)
