"""Files that are there in full or not at all."""

from __future__ import annotations

import os
import secrets
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

# As `open` asks for. What the user's umask forbids is taken off by the system.
MODE = 0o666
# Signals that ask a process to end, as `kill` and a closed terminal send them.
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write a file under another name, which becomes `path` when all of it is on the disk.

    Where the block raises, whatever it raises, Ctrl-C included, the other name is removed, and
    what stood under `path` still stands there. The same holds where the process is told to end
    (SIGTERM, SIGHUP), as far as nobody has other plans for these signals. Only a process that is
    killed outright leaves something behind, a hidden file beside `path` whose name ends in
    ``.tmp`` and the ending of `path`.

    Parameters
    ----------
    path : str or path-like
        The final name. A link is followed: the file it points to is replaced, and passes on its
        permissions. Something that is no ordinary file, such as a pipe or ``/dev/null``, cannot
        be replaced and is written to directly.

    Yields
    ------
    Path
        An empty file in the same directory, to write to. Its ending is that of `path`, for
        writers that look at it.

    Examples
    --------
    >>> from dcsvm._util.files import atomic_write
    >>> with atomic_write("numbers.csv") as temporary_path:  # doctest: +SKIP
    ...     temporary_path.write_text("1,2,3")
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
    # Short, since a final name may be as long as the file system allows.
    temporary = final.parent / f".{secrets.token_hex(8)}.tmp{final.suffix[:32]}"
    with _tidy_end():
        try:
            _create(temporary, final)
            yield temporary
            _to_disk(temporary)
            temporary.replace(final)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        _to_disk(final.parent)


def _create(temporary: Path, final: Path) -> None:
    """A new file with the permissions of any new file, or of the one it replaces."""
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, MODE))
    except PermissionError as error:  # says more with the name that the user knows
        raise PermissionError(error.errno, error.strerror, str(final)) from None
    with suppress(FileNotFoundError):
        temporary.chmod(final.stat().st_mode & 0o777)


def _to_disk(path: Path) -> None:
    """Wait until a file, or the names in a directory, would survive a loss of power."""
    is_file = path.is_file()
    if not is_file and os.name == "nt":
        return  # directories cannot be opened there
    descriptor = os.open(path, os.O_RDWR if is_file else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        if is_file:  # some file systems know no fsync of a directory
            raise
    finally:
        os.close(descriptor)


class _Ending(BaseException):
    """The process was told to end."""


@contextmanager
def _tidy_end() -> Iterator[None]:
    """Have signals that would end the process raise first, and end it after that.

    Only the main thread may say what a signal does, and only where the default stands, to die on
    the spot, is there anything to say. So nothing changes but that the block can tidy up.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    told: list[int] = []

    def end(number: int, frame: Any) -> None:
        told.append(number)
        raise _Ending

    ours = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in ours:
            signal.signal(number, end)
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
        if told:
            os.kill(os.getpid(), told[0])
