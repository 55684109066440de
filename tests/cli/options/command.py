"""A command with one group of options."""

import typer
from typer.testing import CliRunner

from dcsvm.cli.options import with_options


def given(group_type, *words):
    """The group that a command gets for these words; None where they are refused."""
    received = []

    @with_options
    def command(*, group: group_type) -> None:
        received.append(group)

    app = typer.Typer()
    app.command()(command)
    outcome = CliRunner().invoke(app, list(words))
    assert outcome.exit_code == (0 if received else 2), outcome.output
    return received[0] if received else None
