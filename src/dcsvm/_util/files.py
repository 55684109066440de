"""Files that are there in full or not at all."""

from __future__ import annotations

import errno
import os
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

# Bytes of a file name on the usual file systems.
MOST_BYTES = 255


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write a file under another name, which becomes `path` when all of it is on the disk.

    Where the block raises, whatever it raises, Ctrl-C included, the other name is removed, and
    what stood under `path` still stands there. A process that is killed leaves a hidden file
    beside `path` behind, ``.NAME.RANDOM.tmp`` and the ending of `path`. The next writing to the
    same path removes it; a file that another process is still writing stays.

    Yields an empty file in the same directory, to write to. Its ending is that of `path`, for
    writers that look at it. If `path` is a link, the file it points to is replaced, and passes on
    its permissions. Something that is no ordinary file, such as a pipe or ``/dev/null``, cannot
    be replaced and is written to directly.
    """
    final = Path(path)
    if final.is_dir():
        raise IsADirectoryError(f"{os.fspath(path)!r} is a directory: give the name of a file.")
    if final.exists() and not final.is_file():
        yield final
        return
    final = final.resolve()
    if not final.parent.is_dir():
        raise FileNotFoundError(f"There is no directory {str(final.parent)!r} to write to.")
    start, ending = _parts_of_temporary(final)
    temporary = final.with_name(f"{start}{secrets.token_hex(8)}{ending}")
    file: BinaryIO | None = None
    try:
        with _errors_name(path), _errors_of_folder(final.parent):
            file = temporary.open("xb")
        with suppress(OSError):  # not every file system has locks
            _lock(file.fileno())
        _remove_leftovers(final.parent, start, ending)
        with suppress(FileNotFoundError):
            temporary.chmod(final.stat().st_mode & 0o777)
        yield temporary
        with _errors_name(path):
            _to_disk(temporary)
            if sys.platform == "win32":  # where an open file cannot be renamed
                file.close()
            temporary.replace(final)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    finally:
        if file is not None:
            file.close()
    _to_disk(final.parent)


@contextmanager
def _errors_of_folder(folder: Path) -> Iterator[None]:
    """Let errors say that it is the folder that cannot be written to."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        reason = f"{error.strerror}: no file can be made in the folder {str(folder)!r}"
        raise OSError(error.errno, reason) from None


@contextmanager
def _errors_name(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors name the file that the user gave, not the temporary one."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def _parts_of_temporary(final: Path) -> tuple[str, str]:
    """What the names of temporary files for `final` begin and end with."""
    ending = f".tmp{final.suffix[:32]}"
    room = MOST_BYTES - len(".") - len(".") - 16 - len(os.fsencode(ending))
    return f".{os.fsencode(final.name)[:room].decode(errors='ignore')}.", ending


def _remove_leftovers(folder: Path, start: str, ending: str) -> None:
    """Remove the temporary files whose writers were killed: nothing locks them any more."""
    pattern = re.compile(re.escape(start) + "[0-9a-f]{16}" + re.escape(ending))
    for name in filter(pattern.fullmatch, os.listdir(folder)):  # noqa: PTH208
        with suppress(OSError):  # locked, or another user's
            if sys.platform != "win32":  # where an open file cannot be removed
                with (folder / name).open("r+b") as file:
                    _lock(file.fileno())
                    (folder / name).unlink()
            else:
                (folder / name).unlink()


def _lock(descriptor: int) -> None:
    """Lock a file until it is closed, or raise an OSError if it is locked."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _to_disk(path: Path) -> None:
    """Wait until a file, or the names in a directory, would survive a loss of power."""
    is_file = path.is_file()
    if not is_file and sys.platform == "win32":
        return  # directories cannot be opened there
    descriptor = os.open(path, os.O_RDWR if is_file else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        if is_file:  # some file systems know no fsync of a directory
            raise
    finally:
        os.close(descriptor)
