"""`python -m dcsvm.cli`, and what is missing to run it."""

import subprocess
import sys

import pytest

import dcsvm
import dcsvm.cli


def test_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(dcsvm.cli, "NEEDED", ("json", "no_such_module"))
    with pytest.raises(SystemExit) as stopped:
        dcsvm.cli.main()
    assert stopped.value.code == 1
    assert capsys.readouterr().err == (
        "dcsvm: the command line needs no_such_module; install it with: pip install 'dcsvm[cli]'\n"
    )


def test_the_module_runs():
    words = [sys.executable, "-m", "dcsvm.cli", "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == f"dcsvm {dcsvm.__version__}\n"
