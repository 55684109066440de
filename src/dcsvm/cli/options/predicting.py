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
    proba: Annotated[
        bool, Option("--proba", help="Add a column with the probability of each class.")
    ] = False
    top: Annotated[
        int | None,
        Option(min=1, metavar="N", help="Add the N likeliest classes and their probabilities."),
    ] = None
    set_: Annotated[
        float | None,
        Option(
            "--set",
            metavar="CONFIDENCE",
            help="Add a set of classes that holds the right one with this chance, such as 0.95.",
        ),
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
    device: Annotated[
        str, Option(metavar="cpu|cuda|auto", help="Where to predict: on a GPU with cuda.")
    ] = "cpu"
    jobs: JobsOption = -1
