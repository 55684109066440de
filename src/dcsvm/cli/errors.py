"""What a user is told when something is wrong: one sentence, and what to do about it."""

from __future__ import annotations

import difflib
import errno
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

# Names that are listed in a sentence before it says how many more there are.
LISTED = 6


class UserError(Exception):
    """A mistake that the user can mend; its text says how."""


def listed(names: Iterable[object], most: int = LISTED) -> str:
    """Names in a sentence: 'a', 'b' and 3 more."""
    texts = [repr(str(name)) for name in names]
    if len(texts) > most + 1:
        return f"{', '.join(texts[:most])} and {len(texts) - most} more"
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def near_names(name: str, names: Sequence[str], cutoff: float = 0.6) -> list[str]:
    """The names that someone who wrote `name` may have meant, the likeliest first."""
    folded: dict[str, str] = {}
    for known in names:
        folded.setdefault(_folded(known), known)
    found = difflib.get_close_matches(_folded(name), folded, n=3, cutoff=cutoff)
    return [folded[key] for key in found]


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """The near names as the end of a message, else all there are."""
    near = near_names(name, names)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    return f"there are {listed(names)}." if names else "there are none."


def _folded(name: str) -> str:
    return re.sub(r"[\s_.-]+", "", name).casefold()


def counted(n: int, one: str, many: str | None = None) -> str:
    """1 row, 2 rows."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def check_readable(path: Path) -> None:
    """Say which files there are where the one asked for is not."""
    if path.is_dir():
        raise UserError(f"{path} is a folder: give the name of a file in it.")
    if path.exists():
        if not os.access(path, os.R_OK):
            raise UserError(f"{path} cannot be read: its permissions forbid it.")
        if path.is_file() and path.stat().st_size == 0:
            raise UserError(f"{path} is empty: there is nothing to read in it.")
        return
    folder = path.parent
    if not folder.is_dir():
        raise UserError(f"There is no file {path}, nor a folder {folder}.")
    files = sorted(p.name for p in folder.iterdir() if not p.name.startswith("."))
    near = near_names(path.name, files, cutoff=0.75)
    hint = (
        f"did you mean {' or '.join(str(folder / n) for n in near)}?" if near else "check its name."
    )
    raise UserError(f"There is no file {path}: {hint}")


def check_writable(path: Path, *inputs: Path) -> None:
    """Refuse an output that cannot be written, before hours are spent on what is to go there."""
    if path.is_dir():
        raise UserError(f"{path} is a folder: give the name of a file to write.")
    folder = path.parent
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder} to write {path.name} to: make it first.")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise UserError(f"{path} cannot be written: the permissions there forbid it.")
    for other in inputs:
        if path.exists() and other.exists() and path.samefile(other):
            raise UserError(
                f"{path} is both read and written: give the output another name with -o."
            )


def describe_os_error(error: OSError) -> str:
    """An error of the operating system in a sentence."""
    where = f" {error.filename}" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return (
            "The disk is full: nothing was written, and what stood there before still stands. "
            "Make room, or write elsewhere with -o."
        )
    return f"{(error.strerror or str(error)).rstrip('.')}:{where or ' check the file names'}."
