"""What a command prints: results, notes, progress, for people or as JSON.

Results go to the standard output, as text or as one JSON document. Notes, errors and progress bars
go to the standard error, so that the output can be piped on. Colours and bars appear on a terminal
only.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import rich.progress
from rich.console import Console as RichConsole

from dcsvm.estimators.progress import listening
from dcsvm.estimators.search.progress import SearchState, listening_to_search

Advance = Callable[[int], None]


class Console:
    """The standard output and the standard error of one command."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False, debug: bool = False) -> None:
        self.as_json = as_json
        self.quiet = quiet
        self.debug = debug
        self.notes: list[str] = []
        self._shown_as: dict[str, str] = {}
        self._out = RichConsole(highlight=False, markup=False, soft_wrap=True)
        self._err = RichConsole(stderr=True, highlight=False, markup=False, soft_wrap=True)

    def rename(self, text: str, shown: str) -> None:
        """Show another text in the place of one, in notes and errors."""
        self._shown_as[text] = shown

    def _shown(self, text: str) -> str:
        for hidden, shown in self._shown_as.items():
            text = text.replace(hidden, shown)
        return text

    def print(self, text: str = "", style: str | None = None) -> None:
        """A line of the results."""
        if not self.as_json:
            self._out.print(text, style=style)

    def heading(self, text: str) -> None:
        """The title of some results."""
        self.print(text, "bold")

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Names and values, one pair to a line."""
        width = max((len(name) for name, _ in pairs), default=0)
        for name, value in pairs:
            self.print(f"  {name:<{width}}  {value}")

    def document(self, document: dict[str, Any]) -> None:
        """The results as JSON, where JSON is asked for."""
        if self.as_json:
            everything = {**document, "notes": self.notes}
            sys.stdout.write(json.dumps(everything, indent=2, default=_to_json) + "\n")

    def note(self, text: str) -> None:
        """Something the user should know; it is in the JSON document too."""
        text = self._shown(text)
        if text in self.notes:
            return
        self.notes.append(text)
        if not self.quiet:
            self._err.print("note: ", style="yellow", end="")
            self._err.print(text)

    def status(self, text: str) -> None:
        """What is being done."""
        if not self.quiet:
            self._err.print(text, style="dim")

    def summary(self, text: str) -> None:
        """A result for people, where the standard output may be a table."""
        if not self.as_json:
            self._err.print(text, style="bold")

    def error(self, text: str, details: str = "") -> None:
        """Why a command fails, and where in the program."""
        self._err.print("error: ", style="bold red", end="")
        self._err.print(self._shown(text))
        if details:
            self._err.print(details)

    @contextmanager
    def progress(self, what: str, total: int | None, unit: str = "") -> Iterator[Advance]:
        """A progress bar; the block calls the value with the amount done so far."""
        with self._bars(unit) as bars:
            task = bars.add_task(what, total=total)
            yield lambda done: bars.update(task, completed=done)

    @contextmanager
    def training_progress(self, what: str) -> Iterator[None]:
        """A progress bar over the machines of every fit inside the block."""
        with self._bars("machines") as bars:
            task = bars.add_task(f"{what}: columns", total=None)

            def listener(n_trained: int, n_machines: int) -> None:
                now = what if n_trained < n_machines else f"{what}: decision structure"
                bars.update(task, description=now, completed=n_trained, total=n_machines)

            with listening(listener):
                yield

    @contextmanager
    def search_progress(self, what: str) -> Iterator[None]:
        """A progress bar over the scores of every search inside the block, with the best so far."""
        with self._bars("scores") as bars:
            task = bars.add_task(what, total=None)

            def listener(state: SearchState) -> None:
                now = f"{what}, {state.best}" if state.best else what
                bars.update(task, description=now, completed=state.n_done, total=state.n_all)

            with listening_to_search(listener):
                yield

    def _bars(self, unit: str) -> rich.progress.Progress:
        return rich.progress.Progress(
            rich.progress.SpinnerColumn(),
            rich.progress.TextColumn("{task.description}", markup=False),
            rich.progress.BarColumn(),
            rich.progress.MofNCompleteColumn(),
            rich.progress.TextColumn(unit, markup=False),
            rich.progress.TimeElapsedColumn(),
            rich.progress.TimeRemainingColumn(),
            console=self._err,
            transient=True,
            disable=self.quiet or not self._err.is_terminal,
        )


def _to_json(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return str(value)
