"""What is written beside predicted labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from typer import Option

from dcsvm.cli.options.groups import JobsOption, OptionGroup


@dataclass(frozen=True)
class PredictOptions(OptionGroup):
    """What is written beside the labels."""

    label_name: Annotated[
        str | None, Option(help="Name of the new column, predicted_TARGET by default.")
    ] = None
    explain: Annotated[bool, Option("--explain", help="Add a column that explains each label.")] = (
        False
    )
    no_decisions: Annotated[
        bool, Option("--no-decisions", help="Add no column with the number of decisions.")
    ] = False
    labels_only: Annotated[
        bool, Option("--labels-only", help="Leave out the columns of the table.")
    ] = False
    jobs: JobsOption = -1
