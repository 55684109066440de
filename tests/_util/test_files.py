"""Files that are there in full or not at all."""

import os
import signal
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests import patience

import dcsvm._util.files
from dcsvm._util.files import atomic_write


def names(directory):
    return sorted(file.name for file in Path(directory).iterdir())


def test_writes_a_new_file(tmp_path):
    with atomic_write(tmp_path / "out.csv") as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".csv"
        temporary.write_text("all of it")
        assert not (tmp_path / "out.csv").exists()
    assert (tmp_path / "out.csv").read_text() == "all of it"
    assert names(tmp_path) == ["out.csv"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("there_before", [False, True])
def test_failure_leaves_things_as_they_were(tmp_path, error, there_before):
    final = tmp_path / "out"
    if there_before:
        final.write_text("old")

    def write_half():
        with atomic_write(final) as temporary:
            temporary.write_text("half of")
            raise error

    with pytest.raises(error):
        write_half()
    assert names(tmp_path) == (["out"] if there_before else [])
    assert not there_before or final.read_text() == "old"


def test_file_removed_by_the_writer_is_an_error(tmp_path):
    (tmp_path / "out").write_text("old")
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "out") as temporary:
        temporary.unlink()
    assert (tmp_path / "out").read_text() == "old"


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_permissions_are_those_of_an_ordinary_file(tmp_path):
    with atomic_write(tmp_path / "out") as temporary:
        temporary.write_text("new")
    (tmp_path / "ordinary").write_text("new")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("out", "ordinary")]
    assert modes[0] == modes[1]
    (tmp_path / "out").chmod(0o600)
    with atomic_write(tmp_path / "out") as temporary:
        temporary.write_text("secret")
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o600


def test_link_is_followed(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    with atomic_write(tmp_path / "link") as temporary:
        temporary.write_text("through a link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "file").read_text() == "through a link"


@pytest.mark.skipif(os.name == "nt", reason="devices of POSIX")
def test_device_is_written_to_and_stays():
    with atomic_write("/dev/null") as temporary:
        temporary.write_text("gone")
    assert not Path("/dev/null").is_file()


def test_says_what_is_wrong_with_a_name(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a directory"), atomic_write(tmp_path):
        pass
    missing = tmp_path / "nowhere" / "out"
    with pytest.raises(FileNotFoundError, match="no directory"), atomic_write(missing):
        pass


def test_relative_and_longest_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    longest = "x" * 251 + ".csv"
    with atomic_write(longest) as temporary:
        temporary.write_text("long")
    assert names(tmp_path) == [longest]


def test_works_in_another_thread(tmp_path):
    thread = threading.Thread(target=write, args=(tmp_path / "out", "from a thread"))
    thread.start()
    thread.join()
    assert (tmp_path / "out").read_text() == "from a thread"


# Without the package, whose import takes longer than all the rest.
WAIT_INSIDE = """
import runpy, sys, time
atomic_write = runpy.run_path(sys.argv[2])["atomic_write"]
with atomic_write(sys.argv[1]) as temporary:
    temporary.write_text("half of")
    print("ready", flush=True)
    for _ in range(600):  # a signal just before a long sleep would be heard after it
        time.sleep(0.1)
"""


@contextmanager
def another_process_writes(path):
    """A process that has begun to write a file."""
    command = [sys.executable, "-c", WAIT_INSIDE, path, dcsvm._util.files.__file__]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def write(path, text):
    with atomic_write(path) as temporary:
        temporary.write_text(text)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("name", ["out.csv", "x" * 251 + ".csv", "ä" * 125 + ".csv", "[a]*.tmp"])
def test_process_that_is_killed_leaves_the_old_file_and_no_litter(tmp_path, number, name):
    """At once where Python can tidy up, which is at Ctrl-C, else with the next writing."""
    (tmp_path / name).write_text("old")
    (tmp_path / f".{name[:100]}.tmp").write_text("of someone else")
    before = names(tmp_path)
    with another_process_writes(tmp_path / name) as process:
        (temporary,) = set(names(tmp_path)) - set(before)
        assert temporary.startswith(f".{name[:100]}")
        process.send_signal(number)
        assert process.wait(timeout=patience.SECONDS) == -number
    left = [] if number == signal.SIGINT else [temporary]
    assert names(tmp_path) == sorted(before + left)
    assert (tmp_path / name).read_text() == "old"
    write(tmp_path / "other", "something else")
    assert names(tmp_path) == sorted([*before, *left, "other"])
    (tmp_path / "other").unlink()
    write(tmp_path / name, "new")
    assert names(tmp_path) == before
    assert (tmp_path / name).read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_file_that_another_process_is_writing_stays(tmp_path):
    with another_process_writes(tmp_path / "out"):
        (temporary,) = names(tmp_path)
        with atomic_write(tmp_path / "out") as own:
            own.write_text("new")
            write(tmp_path / "out", "in between")
        assert names(tmp_path) == [temporary, "out"]
        assert (tmp_path / temporary).read_text() == "half of"
    assert (tmp_path / "out").read_text() == "new"


def test_no_signal_is_handled_in_another_way(tmp_path):
    before = [signal.getsignal(number) for number in signal.valid_signals()]
    with atomic_write(tmp_path / "out"):
        assert [signal.getsignal(number) for number in signal.valid_signals()] == before


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_handlers_of_others_are_left_alone(tmp_path):
    seen = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
    try:
        with atomic_write(tmp_path / "out") as temporary:
            os.kill(os.getpid(), signal.SIGTERM)
            temporary.write_text("went on")
        assert seen == [signal.SIGTERM]
        assert (tmp_path / "out").read_text() == "went on"
    finally:
        signal.signal(signal.SIGTERM, before)
    with atomic_write(tmp_path / "out"):
        pass
    assert signal.getsignal(signal.SIGTERM) is before


def test_full_disk(tmp_path, monkeypatch):
    def is_full(descriptor):
        raise OSError(28, "No space left on device")

    (tmp_path / "out").write_text("old")
    monkeypatch.setattr(os, "fsync", is_full)
    with pytest.raises(OSError, match="No space"), atomic_write(tmp_path / "out") as temporary:
        temporary.write_text("new")
    assert names(tmp_path) == ["out"]
    assert (tmp_path / "out").read_text() == "old"


@pytest.mark.parametrize("at", ["open", "replace"])
def test_errors_name_the_file_that_the_user_gave(tmp_path, monkeypatch, at):
    def is_forbidden(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, at, is_forbidden)
    expected = pytest.raises(PermissionError, match=r"denied.*: 'out\.csv'$")
    with expected as raised, atomic_write("out.csv"):
        pass
    assert ".tmp" not in str(raised.value)
    assert names(tmp_path) == []
    # Where no file can be made, it is the folder that is to be looked at.
    assert (repr(str(tmp_path)) in str(raised.value)) == (at == "open")
