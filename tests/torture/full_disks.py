"""A disk that is full after some bytes: an error that says so, and the file of before unchanged.

The disk is a small one in memory where one may be mounted; else it is a limit on the size of files.
"""

import errno
import resource
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from tests.torture.interrupts import write_table
from tests.torture.subjects import OTHER_X, OTHER_Y, X, require, y

import dcsvm
from dcsvm import DCSVC

BLOCK = 4096


def saves(rounds):
    """A limit at every size up to that of the file, in equal steps."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        old, new, path = DCSVC().fit(X, y), DCSVC().fit(OTHER_X, OTHER_Y), folder / "model.dcsvm"
        dcsvm.save(new, path)
        size = path.stat().st_size
        dcsvm.save(old, path)
        before = path.read_bytes()
        for number in range(rounds):
            with file_size_limit(size * number // rounds):
                error = error_of(lambda: dcsvm.save(new, path))
            require(isinstance(error, OSError), f"no error, or another: {error!r}")
            require(error.errno in (errno.EFBIG, errno.ENOSPC), repr(error))
            require(path.read_bytes() == before, "the file of before has changed")
            require(list(folder.iterdir()) == [path], "a file is left over")
            yield


def disks(rounds):
    """Small disks, filled before by so much that the save fails at another place each time."""
    with tempfile.TemporaryDirectory() as name, mounted(Path(name)) as folder:
        if folder is None:
            return
        old, new, path = DCSVC().fit(X, y), DCSVC().fit(OTHER_X, OTHER_Y), folder / "model.dcsvm"
        dcsvm.save(old, path)
        before = path.read_bytes()
        n_full = 0
        for number in range(rounds):
            filler = folder / "filler"
            fill(filler, leave=number % 60 * BLOCK)
            error = error_of(lambda: dcsvm.save(new, path))
            filler.unlink()
            require(error is None or isinstance(error, OSError), repr(error))
            if error is not None:
                require(error.errno == errno.ENOSPC, repr(error))
                require(path.read_bytes() == before, "the file of before has changed")
                n_full += 1
            require(list(folder.iterdir()) == [path], "a file is left over")
            dcsvm.save(old, path)
            yield
        require(n_full or not rounds, "the disk was never full")


def commands(rounds):
    """The commands, on a disk that is full when they write."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table, model, out = folder / "iris.csv", folder / "iris.dcsvm", folder / "out.csv"
        page = folder / "page.html"
        write_table(table)
        made = [
            (["fit", table, "--target", "label", "-o", model], model),
            (["predict", model, table, "-o", out], out),
            (["report", model, table, "-o", page], page),
        ]
        for command, _ in made:
            require(run_limited(command, resource.RLIM_INFINITY)[0] == 0, f"{command} fails")
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        for number in range(rounds):
            command, written = made[number % 3]
            size = len(before[written.name]) * (number // 3) // max(1, rounds // 3)
            code, told = run_limited(command, min(size, len(before[written.name]) - 1))
            require(code == 1, f"exit code {code}: {told}")
            require("disk is full" in told and "Traceback" not in told, told)
            after = {path.name: path.read_bytes() for path in folder.iterdir()}
            require(after == before, "files have changed, or are left over")
            yield


def error_of(action):
    try:
        action()
    except BaseException as error:
        return error
    return None


@contextmanager
def file_size_limit(n):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that it is an error, as on a full disk
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (n, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


@contextmanager
def mounted(folder):
    """The folder as a disk of a megabyte, or None where that is not allowed."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "torture", str(folder)]
    try:
        allowed = subprocess.run(mount, capture_output=True).returncode == 0
    except OSError:
        allowed = False
    try:
        yield folder if allowed else None
    finally:
        if allowed:
            subprocess.run(["umount", str(folder)], check=True)


def fill(path, leave):
    """Fill the disk with a file, but for so many bytes."""
    with path.open("wb") as file:
        try:
            while True:
                file.write(bytes(BLOCK))
                file.flush()
        except OSError as error:
            require(error.errno == errno.ENOSPC, repr(error))
    with path.open("r+b") as file:
        file.truncate(max(0, path.stat().st_size - leave))


def run_limited(arguments, limit):
    command = [sys.executable, "-m", "dcsvm.cli", *map(str, arguments), "-q"]
    ended = subprocess.run(
        command,
        capture_output=True,
        text=True,
        preexec_fn=lambda: limit_file_size(limit),
    )
    return ended.returncode, ended.stdout + ended.stderr


def limit_file_size(limit):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
