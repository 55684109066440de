"""Groups of options, each of which a command takes as one parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from typer import Option


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
