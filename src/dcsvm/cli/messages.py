"""What the command line says, and where.

Results go to the standard output, for people or as one JSON document; notes, errors and progress
bars go to the standard error, so that the output can be piped on. Colours and bars appear on a
terminal only.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np
import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from dcsvm.cli.errors import UserError, describe_os_error
from dcsvm.estimators.progress import listening
from dcsvm.model_files import ModelFileError

FINE, MISTAKE, USAGE, FAULT, INTERRUPTED = 0, 1, 2, 70, 130

Advance = Callable[[int], None]


class Messages:
    """What one command says."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False, debug: bool = False) -> None:
        self.as_json = as_json
        self.quiet = quiet
        self.debug = debug
        self.notes: list[str] = []
        self.out = Console(highlight=False, markup=False, soft_wrap=True)
        self.err = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)

    def note(self, text: str) -> None:
        """Something the user should know; it is in the JSON document too."""
        if text in self.notes:
            return
        self.notes.append(text)
        if not self.quiet:
            self.err.print("note: ", style="yellow", end="")
            self.err.print(text)

    def status(self, text: str) -> None:
        """What is being done; of no interest afterwards."""
        if not self.quiet:
            self.err.print(text, style="dim")

    def heading(self, text: str) -> None:
        """The title of some results."""
        if not self.as_json:
            self.out.print(text, style="bold")

    def say(self, text: str = "") -> None:
        """A line of the results."""
        if not self.as_json:
            self.out.print(text)

    def facts(self, facts: Sequence[tuple[str, str]]) -> None:
        """Names and values, one pair to a line."""
        width = max((len(name) for name, _ in facts), default=0)
        for name, value in facts:
            self.say(f"  {name:<{width}}  {value}")

    def document(self, document: dict[str, Any]) -> None:
        """The JSON document, if it was asked for."""
        if self.as_json:
            everything = {**document, "notes": self.notes}
            sys.stdout.write(json.dumps(everything, indent=2, default=plain) + "\n")

    def result(self, text: str) -> None:
        """A result that goes to the standard error, since the output has the other for itself."""
        if not self.as_json:
            self.err.print(text, style="bold")

    @contextmanager
    def bar(self, what: str, total: int | None, unit: str = "") -> Iterator[Advance]:
        """A bar with the time left; the value is called with how much is done in all."""
        with self._bars(unit) as bars:
            if bars is None:
                yield lambda done: None
                return
            task = bars.add_task(what, total=total)
            yield lambda done: bars.update(task, completed=done)

    @contextmanager
    def training(self, what: str) -> Iterator[None]:
        """A bar over the machines of every fit inside the block."""
        with self._bars("machines") as bars:
            if bars is None:
                yield
                return
            task = bars.add_task(f"{what}: columns", total=None)

            def listener(n_trained: int, n_machines: int) -> None:
                now = what if n_trained < n_machines else f"{what}: decision structure"
                bars.update(task, description=now, completed=n_trained, total=n_machines)

            with listening(listener):
                yield

    @contextmanager
    def _bars(self, unit: str) -> Iterator[Progress | None]:
        if self.quiet or not self.err.is_terminal:
            yield None
            return
        with Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(unit, markup=False),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self.err,
            transient=True,
        ) as bars:
            yield bars

    def fail(self, text: str, code: int) -> NoReturn:
        """Say what is wrong, and end."""
        self.err.print("error: ", style="bold red", end="")
        self.err.print(text)
        if self.debug:
            self.err.print(traceback.format_exc().rstrip())
        if self.as_json:
            document = {"error": text, "exit_code": code, "notes": self.notes}
            sys.stdout.write(json.dumps(document, indent=2) + "\n")
        raise typer.Exit(code)

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Have every way in which a command can fail end in one sentence."""
        try:
            with _kill_heard():
                yield
        except (UserError, ModelFileError) as error:
            self.fail(str(error), MISTAKE)
        except KeyboardInterrupt:
            self.fail("Interrupted: no output file was written or changed.", INTERRUPTED)
        except BrokenPipeError:
            # Whoever read the output has enough of it. Python would complain at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(FINE) from None
        except MemoryError:
            self.fail("There is not enough memory: use fewer rows or columns.", MISTAKE)
        except OSError as error:
            self.fail(describe_os_error(error), MISTAKE)
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except Exception as error:
            summary = str(error).strip().splitlines()[0] if str(error).strip() else ""
            again = "" if self.debug else "; run again with --debug for where it happened"
            self.fail(f"Unexpected {type(error).__name__}: {summary}{again}", FAULT)


@contextmanager
def _kill_heard() -> Iterator[None]:
    """Have a polite kill tidy up as Ctrl-C does."""

    def stop(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as JSON has them."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return str(value)
