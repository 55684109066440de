"""What a model is exported to, and how large it may be."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from typer import Option

from dcsvm.cli.options.groups import OptionGroup


class Target(StrEnum):
    """What a model is exported to."""

    C = "c"
    WASM = "wasm"


class Precision(StrEnum):
    """The precision of an exported model."""

    AUTO = "auto"
    FLOAT = "float"
    DOUBLE = "double"


class Support(StrEnum):
    """How an exported model stores support vectors."""

    EXACT = "exact"
    FLOAT = "float"
    INT16 = "int16"
    INT8 = "int8"


@dataclass(frozen=True)
class ExportOptions(OptionGroup):
    """What a model is exported to, and how large it may be."""

    target: Annotated[
        Target | None,
        Option(metavar="TARGET", help="c or wasm, where the name of the output does not show it."),
    ] = None
    name: Annotated[
        str | None, Option(help="Beginning of all names in C, by default that of the output.")
    ] = None
    precision: Annotated[
        Precision,
        Option(
            metavar="PRECISION",
            help="float, double, or auto: that in which the model predicts in Python.",
        ),
    ] = Precision.AUTO
    support: Annotated[
        Support,
        Option(
            metavar="SUPPORT",
            help="How support vectors are stored: exact loses nothing, in few bytes where it can; "
            "float; int16 and int8 round.",
        ),
    ] = Support.EXACT
