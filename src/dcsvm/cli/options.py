"""The parameters of DCSVC as options, made from its signature, constraints and docstring.

A parameter that DCSVC gets one day is an option by itself.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from functools import wraps
from numbers import Integral, Real
from typing import Annotated, Any

import typer
from sklearn.utils._param_validation import (
    InvalidParameterError,
    validate_parameter_constraints,
)

from dcsvm import DCSVC

# What the command line has its own options for, or does itself.
OWN = {"n_jobs": "--jobs", "random_state": "--seed", "verbose": "--quiet"}
# A table has no kernel matrix.
NOT_FOR_TABLES = {"kernel": {"precomputed"}}
PANEL = "Parameters of the classifier"


class Given:
    """A value that was given, None included, which else would mean that none was."""

    def __init__(self, value: Any) -> None:
        self.value = value


def with_classifier_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command, in the place of its `parameters`, an option for each of DCSVC's."""
    signature = inspect.signature(command, eval_str=True)
    own = [p for p in signature.parameters.values() if p.name != "parameters"]
    names = parameter_names()
    generated = [
        inspect.Parameter(
            f"dcsvc_{name}",
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[Given | None, _option(name)],
        )
        for name in names
    ]

    @wraps(command)
    def wrapper(**options: Any) -> Any:
        given = {name: options.pop(f"dcsvc_{name}") for name in names}
        parameters = {name: value.value for name, value in given.items() if value is not None}
        return command(**options, parameters=parameters)

    del wrapper.__wrapped__
    everything = [*own, *generated]
    wrapper.__signature__ = signature.replace(parameters=everything)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in everything}
    return wrapper


def parameter_names() -> list[str]:
    """The parameters that are options."""
    return [
        name
        for name in inspect.signature(DCSVC.__init__).parameters
        if name != "self" and name not in OWN
    ]


def _option(name: str) -> Any:
    default = inspect.signature(DCSVC.__init__).parameters[name].default
    return typer.Option(
        f"--{name.replace('_', '-')}",
        help=f"{_help(name)} (default {'none' if default is None else default})",
        parser=_parser(name),
        metavar=_metavar(name),
        rich_help_panel=PANEL,
        show_default=False,
    )


def _choices(name: str) -> tuple[list[str], bool, bool, bool]:
    """Words that a parameter takes, and whether whole numbers, numbers, dicts."""
    words: list[str] = []
    whole = number = mapping = False
    for constraint in DCSVC._parameter_constraints[name]:
        if constraint is None:
            words.append("none")
        elif constraint is dict:
            mapping = True
        elif getattr(constraint, "type", None) is Integral:
            whole = True
        elif getattr(constraint, "type", None) is Real:
            number = True
        elif getattr(constraint, "type", None) is str:
            words += sorted(set(constraint.options) - NOT_FOR_TABLES.get(name, set()))
    return words, whole, number, mapping


def _metavar(name: str) -> str:
    words, whole, number, mapping = _choices(name)
    kinds = ["INTEGER"] * whole + ["NUMBER"] * number + ["CLASS=WEIGHT,..."] * mapping
    return "|".join([*words, *kinds]).upper() if not words else "|".join([*words, *kinds])


def _parser(name: str) -> Callable[[Any], Given]:
    words, whole, number, mapping = _choices(name)

    def parse(text: Any) -> Given:
        if isinstance(text, Given):
            return text
        value: Any = text
        if text.lower() in words:
            value = None if text.lower() == "none" else text.lower()
        elif mapping:
            value = _mapping(text)
        else:
            value = _number(text, whole, number)
        try:
            validate_parameter_constraints(
                {name: DCSVC._parameter_constraints[name]}, {name: value}, "DCSVC"
            )
            if isinstance(value, str) and value not in words:
                raise InvalidParameterError
        except InvalidParameterError as error:
            told = re.search(r"must be (.*?)\. Got", str(error), re.DOTALL)
            wanted = (
                told[1] if told and name not in NOT_FOR_TABLES else f"one of {', '.join(words)}"
            )
            raise typer.BadParameter(f"{text!r} is not allowed: it must be {wanted}.") from error
        return Given(value)

    parse.__name__ = name
    return parse


def _number(text: str, whole: bool, number: bool) -> Any:
    for wanted, make in ((whole, int), (number, float)):
        if wanted:
            try:
                return make(text)
            except ValueError:
                continue
    return text


def _mapping(text: str) -> Any:
    """{"A": 2} or A=2,B=0.5; the names become labels when these are known."""
    try:
        found = json.loads(text)
        if isinstance(found, dict):
            return {str(key): float(value) for key, value in found.items()}
    except (ValueError, TypeError):
        pass
    pairs = [part.rpartition("=") for part in text.split(",")]
    try:
        return {key.strip(): float(value) for key, is_pair, value in pairs if is_pair} or text
    except ValueError:
        return text


def _help(name: str) -> str:
    """What the docstring says about a parameter, in one sentence or two."""
    doc = inspect.getdoc(DCSVC) or ""
    section = doc.split("Parameters\n----------\n")[1].split("\n\n")[0]
    found = re.search(rf"^{name} : [^\n]*\n((?:    [^\n]*\n?)+)", section, re.MULTILINE)
    return " ".join(found[1].split()) if found else ""
