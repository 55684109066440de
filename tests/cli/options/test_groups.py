"""Options in groups."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from dcsvm.cli.options import OptionGroup, with_options


@dataclass(frozen=True)
class Group(OptionGroup):
    size: Annotated[int, typer.Option("--size", "-s")] = 3
    names: Annotated[list[str] | None, typer.Option()] = None


def test_a_command_gets_its_options_by_the_group():
    received = []

    @with_options
    def command(data: str, *, group: Group, last: int = 1) -> None:
        """A command."""
        received.append((data, group, last))

    assert list(inspect.signature(command).parameters) == ["data", "size", "names", "last"]
    assert command.__doc__ == "A command."
    app = typer.Typer()
    app.command()(command)
    runner = CliRunner()
    assert runner.invoke(app, ["x"]).exit_code == 0
    words = ["y", "-s", "5", "--names", "a", "--names", "b", "--last", "2"]
    assert runner.invoke(app, words).exit_code == 0
    assert received == [("x", Group(), 1), ("y", Group(5, ["a", "b"]), 2)]
    assert runner.invoke(app, ["x", "--size", "many"]).exit_code == 2
