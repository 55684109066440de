"""Every command that fails ends with one sentence and an exit code, and leaves no half file."""

import resource
import signal
import subprocess
import sys
import time

import pytest
from tests import patience
from tests.cli.cli_tools import fine, flowers, run


def test_a_fault_is_told_from_a_mistake(flower_file, tmp_path, monkeypatch):
    def broken(*_):
        raise RuntimeError("wheels came off\nin detail")

    monkeypatch.setattr("dcsvm.cli.training_data.infer_columns", broken)
    words = ("fit", flower_file, "-t", "kind", "-o", tmp_path / "m")
    outcome = run(*words)
    assert outcome.code == 70
    assert outcome.err == (
        "error: Unexpected RuntimeError: wheels came off; run again with --debug for where it "
        "happened\n"
    )
    assert "in broken" in run(*words, "--debug").err
    document = run(*words, "--json").document
    assert document["exit_code"] == 70


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """A model, and a table that takes a while."""
    folder = tmp_path_factory.mktemp("endless")
    flowers().to_csv(folder / "a.csv", index=False)
    fine("fit", folder / "a.csv", "-t", "kind", "-o", folder / "m")
    flowers(60_000).to_csv(folder / "big.csv", index=False)
    return folder


def start(*words, **settings):
    command = [sys.executable, "-m", "dcsvm.cli", *map(str, words)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings
    )


def left_in(folder):
    return sorted(p.name for p in folder.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_everything_as_it_was(endless, number):
    (endless / "out.csv").write_text("what was there before")
    before = left_in(endless)
    process = start("predict", endless / "m", endless / "big.csv", "-o", endless / "out.csv")
    wait_for(lambda: len(left_in(endless)) > len(before), process)
    process.send_signal(number)
    _, err = process.communicate(timeout=patience.SECONDS)
    assert process.returncode == 130
    assert "Interrupted" in err
    assert "Traceback" not in err
    assert (endless / "out.csv").read_text() == "what was there before"
    assert left_in(endless) == before


def wait_for(condition, process):
    until = time.monotonic() + patience.SECONDS
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.002)


def test_a_full_disk_leaves_everything_as_it_was(endless):
    (endless / "full.csv").write_text("what was there before")
    before = left_in(endless)

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    process = start(
        *("predict", endless / "m", endless / "big.csv", "-o", endless / "full.csv"),
        preexec_fn=small_files,
    )
    _, err = process.communicate(timeout=patience.SECONDS)
    assert process.returncode == 1
    assert err.splitlines()[-1].startswith("error: The disk is full")
    assert (endless / "full.csv").read_text() == "what was there before"
    assert left_in(endless) == before


def test_a_reader_that_has_enough(endless):
    process = start("predict", endless / "m", endless / "big.csv", "-q")
    assert process.stdout.readline().startswith("sepal,")
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=patience.SECONDS) == 0
    assert err == ""
