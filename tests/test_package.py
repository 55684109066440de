"""The package as it is imported and run."""

import subprocess
import sys

import dcsvm


def test_dir_has_the_public_names_and_nothing_else():
    assert dir(dcsvm) == sorted(dcsvm.__all__)
    assert all(hasattr(dcsvm, name) for name in dir(dcsvm))


def test_the_package_runs_as_a_command():
    words = [sys.executable, "-m", "dcsvm", "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == f"dcsvm {dcsvm.__version__}\n"
