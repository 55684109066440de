"""What a model is fitted to, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from typer import Option

from dcsvm.cli.options.groups import JobsOption, OptionGroup


@dataclass(frozen=True)
class TrainingTableOptions(OptionGroup):
    """Which columns of a table are learnt from, and in what roles."""

    target: Annotated[str | None, Option("--target", "-t", help="Column of labels.")] = None
    drop: Annotated[list[str] | None, Option(help="Column to leave out; may be repeated.")] = None
    weight: Annotated[str | None, Option(help="Column with the weight of each row.")] = None
    max_classes: Annotated[
        int | None,
        Option(min=2, metavar="INTEGER", help="Allow so many classes, however few rows each has."),
    ] = None


@dataclass(frozen=True)
class FitOptions(OptionGroup):
    """How a model is fitted, and its accuracy estimated."""

    test_size: Annotated[
        float,
        Option(
            min=0.0, max=0.9, metavar="SHARE", help="Share of rows held out to measure accuracy."
        ),
    ] = 0.2
    cv: Annotated[
        int | None, Option(min=2, metavar="FOLDS", help="Measure it by cross-validation instead.")
    ] = None
    tune: Annotated[bool, Option("--tune", help="Search C, gamma and theta, unless given.")] = False
    probability: Annotated[
        bool, Option("--probability", help="Prepare probabilities and sets of classes.")
    ] = False
    paper: Annotated[
        bool, Option("--paper", help="Decide as the paper does, not as DCSVC by default.")
    ] = False
    no_scaling: Annotated[
        bool, Option("--no-scaling", help="Leave numbers on their own scales.")
    ] = False
    seed: Annotated[int, Option(min=0, metavar="INTEGER", help="Seed of all random numbers.")] = 0
    jobs: JobsOption = -1
