"""The parameters of DCSVC as options, made from its signature, constraints and docstring.

A parameter added to DCSVC becomes an option without a change here.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from contextlib import suppress
from numbers import Integral, Real
from typing import Annotated, Any, NamedTuple

import typer

from dcsvm import DCSVC
from dcsvm.cli.options import OptionGroup
from dcsvm.estimators.access import parameter_constraints, with_parameters

# Parameters that the command line sets by options of its own, and those without an effect on what
# it writes.
EXCLUDED = {"n_jobs", "random_state", "verbose"}
EXCLUDED |= {"shrinking", "break_ties", "decision_function_shape", "probability"}
# Values without a use here: a table has no kernel matrix.
EXCLUDED_VALUES = {"kernel": {"precomputed"}}
PANEL = "Parameters of the classifier"
PREFIX = "dcsvc_"  # keeps the names apart from those of other options


class Given(NamedTuple):
    """The value of an option that was given, which may be None."""

    value: Any


class ClassifierOptions(OptionGroup):
    """The parameters of DCSVC that were given."""

    def __init__(self, **options: Given | None) -> None:
        self.parameters = {
            name.removeprefix(PREFIX): given.value
            for name, given in options.items()
            if given is not None
        }


PARAMETERS = {
    name: parameter.default
    for name, parameter in inspect.signature(DCSVC).parameters.items()
    if name not in EXCLUDED
}


class Values(NamedTuple):
    """The values that a parameter may have."""

    words: list[str]
    integer: bool = False
    number: bool = False
    mapping: bool = False


def _values(name: str) -> Values:
    constraints = parameter_constraints(DCSVC)[name]
    types = [getattr(constraint, "type", None) for constraint in constraints]
    words = ["none"] * (None in constraints)
    for constraint, kind in zip(constraints, types, strict=True):
        if kind is str:
            words += sorted(set(constraint.options) - EXCLUDED_VALUES.get(name, set()))
    return Values(words, Integral in types, Real in types, dict in constraints)


def _option(name: str) -> Any:
    default = PARAMETERS[name]
    values = _values(name)
    kinds = {"INTEGER": values.integer, "NUMBER": values.number, "CLASS=WEIGHT,...": values.mapping}
    return typer.Option(
        f"--{name.replace('_', '-')}",
        help=f"{_help(name)} (default {'none' if default is None else default})",
        parser=_parser(name, values),
        metavar="|".join([*values.words, *(kind for kind, allowed in kinds.items() if allowed)]),
        rich_help_panel=PANEL,
        show_default=False,
    )


def _parser(name: str, values: Values) -> Callable[[Any], Given]:
    def parse(text: Any) -> Given:
        if isinstance(text, Given):
            return text
        value = _parse(text, values)
        try:
            with_parameters(DCSVC, {name: value})
            if isinstance(value, str) and value not in values.words:
                raise ValueError
        except ValueError as error:
            found = re.search(r"must be (.*?)\. Got", str(error), re.DOTALL)
            words = f"one of {', '.join(values.words)}"
            allowed = found[1] if found and name not in EXCLUDED_VALUES else words
            raise typer.BadParameter(f"{text!r} is not allowed: it must be {allowed}.") from error
        return Given(value)

    parse.__name__ = name
    return parse


def _parse(text: str, values: Values) -> Any:
    """The value of a text, or the text itself where it has none."""
    if text.lower() in values.words:
        return None if text.lower() == "none" else text.lower()
    if values.mapping:
        return _parse_mapping(text)
    for allowed, number in ((values.integer, int), (values.number, float)):
        if allowed:
            with suppress(ValueError):
                return number(text)
    return text


def _parse_mapping(text: str) -> Any:
    """{"A": 2} or A=2,B=0.5, with classes as texts: their labels are not known yet."""
    with suppress(ValueError, TypeError):
        found = json.loads(text)
        if isinstance(found, dict):
            return {str(key): float(value) for key, value in found.items()}
    pairs = [part.rpartition("=") for part in text.split(",")]
    with suppress(ValueError):
        return {key.strip(): float(value) for key, is_pair, value in pairs if is_pair} or text
    return text


def _help(name: str) -> str:
    """The description of a parameter in the docstring."""
    doc = inspect.getdoc(DCSVC) or ""
    section = doc.split("Parameters\n----------\n")[1].split("\n\n")[0]
    found = re.search(rf"^{name} : [^\n]*\n((?:    [^\n]*\n?)+)", section, re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


ClassifierOptions.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        inspect.Parameter(
            PREFIX + name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[Given | None, _option(name)],
        )
        for name in PARAMETERS
    ]
)
