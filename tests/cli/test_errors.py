"""What a user is told, and that nothing half-written is left."""

import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from tests.cli.cli_tools import fine, flowers, mistake, run

import dcsvm.cli
from dcsvm.cli.wording import counted, listed, near_names


@pytest.fixture
def flower_file(tmp_path):
    flowers().to_csv(tmp_path / "flowers.csv", index=False)
    return tmp_path / "flowers.csv"


def test_words():
    assert listed(["a"]) == "'a'"
    assert listed(["a", "b", "c"]) == "'a', 'b' and 'c'"
    assert listed(range(9), 3) == "'0', '1', '2' and 6 more"
    assert counted(1, "row") == "1 row"
    assert counted(1200, "row") == "1,200 rows"
    assert near_names("Sepal Length", ["sepal_length", "petal_length", "x"])[0] == "sepal_length"
    assert near_names("zzz", ["abc"]) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Name it with --target; there are 'sepal', 'petal' and 'kind'"),
        (("-t", "Kinds"), "no column 'Kinds' (--target): did you mean 'kind'?"),
        (("-t", "kind", "--drop", "petel"), "no column 'petel' (--drop): did you mean 'petal'"),
        (("-t", "kind", "--weight", "w"), "no column 'w' (--weight): there are 'sepal'"),
        (("-t", "kind", "--drop", "kind"), "is the target"),
        (("-t", "sepal"), "looks like a quantity"),
        (("-t", "kind", "--class-weight", "setose=2"), "did you mean 'setosa'?"),
        (("-t", "kind", "--max-classes", "2"), "3 classes"),
        (("-t", "kind", "--cv", "99"), "needs at least 99 rows"),
        (("-t", "kind", "--delimiter", ";"), "give the delimiter with --delimiter"),
        (
            ("-t", "kind", *(w for c in ("sepal", "petal") for w in ("--drop", c))),
            "no col",
        ),
    ],
)
def test_mistakes_about_columns(flower_file, tmp_path, words, said):
    assert said in mistake("fit", flower_file, "-o", tmp_path / "m", *words)
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([""] * 30, "has no label at all"),
        (["x"] * 30, "one class only, 'x', in all 30 rows"),
        ([f"u{i}" for i in range(30)], "looks like an identifier"),
        ([f"{i}.25" for i in range(30)], "looks like a quantity"),
    ],
)
def test_columns_that_are_no_target(tmp_path, labels, said):
    pd.DataFrame({"x": np.arange(30), "y": labels}).to_csv(tmp_path / "a.csv", index=False)
    assert said in mistake("fit", tmp_path / "a.csv", "-t", "y", "-o", tmp_path / "m")


def test_many_classes_can_be_allowed(tmp_path):
    labels = [f"u{i // 2}" for i in range(60)]
    labels[0] = "alone"
    pd.DataFrame({"x": np.arange(60), "y": labels}).to_csv(tmp_path / "a.csv", index=False)
    words = ("fit", tmp_path / "a.csv", "-t", "y", "-o", tmp_path / "m")
    assert "--max-classes 31" in mistake(*words)
    assert "No class has enough rows to hold any out" in fine(*words, "--max-classes", 31).err


def test_mistakes_about_files(flower_file, tmp_path):
    words = ("-t", "kind", "-o", tmp_path / "m")
    assert "did you mean" in mistake("fit", tmp_path / "flower.csv", *words)
    assert "nor a folder" in mistake("fit", tmp_path / "no" / "flower.csv", *words)
    assert "is a folder" in mistake("fit", tmp_path, *words)
    fit = ("fit", flower_file, "-t", "kind", "-o")
    assert "no folder" in mistake(*fit, tmp_path / "no" / "m")
    assert "is a folder" in mistake(*fit, tmp_path)
    assert "both read and written" in mistake(*fit, flower_file)
    fine(*fit, tmp_path / "m")
    predict = ("predict", tmp_path / "m", flower_file, "-o")
    assert "both read and written" in mistake(*predict, flower_file)
    assert ".parquet" in mistake(*predict, tmp_path / "out.xlsx")
    (tmp_path / "link.csv").symlink_to(flower_file)
    assert "both read and written" in mistake(*predict, tmp_path / "link.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_permissions(flower_file, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    fit = ("fit", flower_file, "-t", "kind", "-o")
    assert "permissions" in mistake(*fit, tmp_path / "closed" / "m")
    flower_file.chmod(0)
    assert "permissions" in mistake(*fit, tmp_path / "m")


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


def test_usage():
    for words in (("fit",), ("frobnicate",), ("predict", "a")):
        assert run(*words).code == 2
    assert run("--version").out.strip() == f"dcsvm {dcsvm.__version__}"
    for command in ("fit", "predict", "inspect", "report"):
        text = fine(command, "--help").out
        assert "130" in text
        assert "--json" in text


def test_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(dcsvm.cli, "NEEDED", ("json", "no_such_module"))
    with pytest.raises(SystemExit) as stopped:
        dcsvm.cli.main()
    assert stopped.value.code == 1
    assert capsys.readouterr().err == (
        "dcsvm: the command line needs no_such_module; install it with: pip install 'dcsvm[cli]'\n"
    )


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
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Interrupted" in err
    assert "Traceback" not in err
    assert (endless / "out.csv").read_text() == "what was there before"
    assert left_in(endless) == before


def wait_for(condition, process):
    until = time.monotonic() + 30
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
    _, err = process.communicate(timeout=30)
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
    assert process.wait(timeout=20) == 0
    assert err == ""
