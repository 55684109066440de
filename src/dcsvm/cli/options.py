"""The options of the commands, in groups that become parameters of the functions behind them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any

from typer import Option

from dcsvm.cli.files import Format


class Target(StrEnum):
    """What a model is exported to."""

    C = "c"
    WASM = "wasm"


class Precision(StrEnum):
    """Of an exported model."""

    AUTO = "auto"
    FLOAT = "float"
    DOUBLE = "double"


class Support(StrEnum):
    """How an exported model stores support vectors."""

    EXACT = "exact"
    FLOAT = "float"
    INT16 = "int16"
    INT8 = "int8"


class OptionGroup:
    """Options that a command takes as one parameter."""


def with_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Replace every parameter that is an `OptionGroup` by the parameters of that group.

    Typer, which makes an option of each parameter, then sees all options one by one, and the
    command gets them by the group.
    """
    own = inspect.signature(command, eval_str=True)
    groups, parameters = {}, []
    for parameter in own.parameters.values():
        members = [parameter]
        if inspect.isclass(parameter.annotation) and issubclass(parameter.annotation, OptionGroup):
            group = inspect.signature(parameter.annotation, eval_str=True)
            members = list(group.parameters.values())
            groups[parameter.name] = (parameter.annotation, [p.name for p in members])
        parameters += [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in members]

    @wraps(command)
    def wrapper(**given: Any) -> Any:
        for name, (group, members) in groups.items():
            given[name] = group(**{member: given.pop(member) for member in members})
        return command(**given)

    del wrapper.__wrapped__
    wrapper.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapper


JobsOption = Annotated[
    int, Option("--jobs", "-j", help="Number of threads; -1 for one per processor.")
]


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
    paper: Annotated[
        bool, Option("--paper", help="Decide as the paper does, not as DCSVC by default.")
    ] = False
    no_scaling: Annotated[
        bool, Option("--no-scaling", help="Leave numbers on their own scales.")
    ] = False
    seed: Annotated[int, Option(min=0, metavar="INTEGER", help="Seed of all random numbers.")] = 0
    jobs: JobsOption = -1


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
