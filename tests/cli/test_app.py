"""The commands and how they are used."""

import subprocess
import sys

from tests.cli.cli_tools import fine, mistake, run

import dcsvm
import dcsvm.cli


def test_usage():
    for words in (("fit",), ("frobnicate",), ("predict", "a")):
        assert run(*words).code == 2
    assert run("--version").out.strip() == f"dcsvm {dcsvm.__version__}"
    for command in ("fit", "predict", "inspect", "report"):
        text = fine(command, "--help").out
        assert "130" in text
        assert "--json" in text


def test_json_needs_a_file(folder):
    outcome = run("predict", folder / "m", folder / "train.csv", "--json")
    assert outcome.code == 2
    assert outcome.out == ""


def test_help_loads_nothing_that_it_does_not_need():
    code = (
        "import sys, dcsvm.cli.app; "
        "print([m for m in ('skrub', 'arff', 'pyarrow.csv', 'dcsvm.report') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_page_must_be_named_as_one(folder):
    text = mistake("report", folder / "m", folder / "train.csv", "-o", folder / "r.txt")
    assert "ends in .html" in text
