"""How a command ends: with an exit code and, where it fails, one sentence on what to do."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer

from dcsvm.cli.console import Console
from dcsvm.model_files import ModelFileError

FINE, USER_ERROR, INTERNAL_ERROR, INTERRUPTED = 0, 1, 70, 130


class UserError(Exception):
    """A mistake that the user can correct; its text says how."""


@contextmanager
def exit_on_error(console: Console) -> Iterator[None]:
    """Turn every exception of a command into an error message and an exit code."""
    try:
        with _sigterm_as_interrupt():
            yield
    except (UserError, ModelFileError) as error:
        _fail(console, str(error), USER_ERROR)
    except KeyboardInterrupt:
        _fail(console, "Interrupted: no output file was written or changed.", INTERRUPTED)
    except BrokenPipeError:
        # What read the output, such as `head`, has closed it; Python's last flush must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(FINE) from None
    except MemoryError:
        _fail(console, "There is not enough memory: use fewer rows or columns.", USER_ERROR)
    except OSError as error:
        _fail(console, _describe_os_error(error), USER_ERROR)
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except Exception as error:
        summary = (str(error).strip().splitlines() or [""])[0]
        hint = "" if console.debug else "; run again with --debug for where it happened"
        _fail(console, f"Unexpected {type(error).__name__}: {summary}{hint}", INTERNAL_ERROR)


def _fail(console: Console, text: str, code: int) -> NoReturn:
    console.error(text, traceback.format_exc().rstrip() if console.debug else "")
    console.document({"error": text, "exit_code": code})
    raise typer.Exit(code)


@contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    """Let SIGTERM clean up as Ctrl-C does."""

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # signals can be set in the main thread alone
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _describe_os_error(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return (
            "The disk is full: nothing was written, and a file that was there before is "
            "unchanged. Make room, or write elsewhere with -o."
        )
    where = f" {error.filename}" if error.filename else " check the file names"
    return f"{(error.strerror or str(error)).rstrip('.')}:{where}."
