"""What a command prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from typer import Option

from dcsvm.cli.options.groups import OptionGroup


@dataclass(frozen=True)
class ConsoleOptions(OptionGroup):
    """What a command prints."""

    as_json: Annotated[bool, Option("--json", help="Print one JSON document and nothing else.")] = (
        False
    )
    quiet: Annotated[bool, Option("--quiet", "-q", help="No notes, no progress bars.")] = False
    debug: Annotated[
        bool, Option("--debug", help="Show where in the program an error occurred.")
    ] = False
