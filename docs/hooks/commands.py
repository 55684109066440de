"""The reference of the command line, read from the program."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import typer
from typer.main import get_command

# Options that Typer adds to every program.
LEFT_OUT = {"--install-completion", "--show-completion"}


def command_reference() -> str:
    """All commands with all their options, as Markdown."""
    from dcsvm.cli.app import app

    program = get_command(app)
    context = typer.Context(program, info_name="dcsvm")
    parts = [inspect.cleandoc(program.epilog or ""), "", *_options(program, context)]
    for name, command in program.commands.items():
        inner = typer.Context(command, parent=context, info_name=name)
        parts += _command(f"dcsvm {name}", command, inner)
    return "\n".join(parts)


def _command(name: str, command: Any, context: Any) -> Iterator[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    yield f"\n## {name}\n"
    yield " ".join([f"    {name}", *(a.metavar for a in arguments), "[OPTIONS]"]) + "\n"
    text, _, example = inspect.cleandoc(command.help).partition("Example: ")
    yield text.strip() + "\n"
    if example:
        yield f"```console\n$ {example.strip()}\n```\n"
    yield from (f"- `{argument.metavar}`: {argument.help}" for argument in arguments)
    yield ""
    yield from _options(command, context)


def _options(command: Any, context: Any) -> Iterator[str]:
    """A table of options for each panel that the help has."""
    panels: dict[str, list[tuple[str, str]]] = {}
    for option in command.params:
        if option.param_type_name == "argument" or option.hidden or LEFT_OUT & {*option.opts}:
            continue
        panel = getattr(option, "rich_help_panel", None) or "Options"
        panels.setdefault(panel, []).append(option.get_help_record(context))
    for panel, records in panels.items():
        yield f"| {panel} | |\n| --- | --- |"
        yield from (f"| {_code(usage)} | {_text(text)} |" for usage, text in records)
        yield ""


def _code(text: str) -> str:
    """Code in a cell of a table: without bars, which would end the cell; long words can break."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;<wbr>")
    return f"<code>{escaped}</code>"


def _text(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
