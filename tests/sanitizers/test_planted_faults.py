"""The sanitizers that are built into the core end a process at a fault of each kind."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dcsvm

FOLDER = os.environ.get("DCSVM_SANITIZED")
if FOLDER is None:
    pytest.skip("run by tests/sanitizers/run.sh", allow_module_level=True)

CALL = "import ctypes, sys; getattr(ctypes.CDLL(sys.argv[1]), sys.argv[2])(int(sys.argv[3]))"
PLANTED = {
    "address": [
        ("read_beyond", 9, "heap-buffer-overflow"),
        ("overflow", 1, "signed integer overflow"),
    ],
    "thread": [("race", 100_000, "data race")],
}[Path(FOLDER).name]


# Without names of functions: the program that finds them can outlive the fault, and the pipe it has
# inherited stays open.
NAMELESS = {
    name: os.environ.get(name, "") + ":symbolize=0"
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
}


def run_planted(function, argument):
    command = [sys.executable, "-c", CALL, f"{FOLDER}/libplanted.so", function, str(argument)]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **NAMELESS}, timeout=300
    )


@pytest.mark.parametrize(("function", "argument", "report"), PLANTED)
def test_a_planted_fault_is_found(function, argument, report):
    found = run_planted(function, argument)
    assert found.returncode != 0
    assert report in found.stderr


@pytest.mark.parametrize("function", [function for function, _, _ in PLANTED])
def test_the_same_function_without_the_fault_is_not(function):
    found = run_planted(function, -1 if function == "overflow" else 0)
    assert found.returncode == 0, found.stderr


def test_the_core_under_test_is_the_sanitized_one():
    assert Path(dcsvm._core.__file__).is_relative_to(FOLDER)
    library = ctypes.CDLL(dcsvm._core.__file__)
    checks = {"address": "__asan_report_load8", "thread": "__tsan_read8"}[Path(FOLDER).name]
    used = subprocess.run(["nm", "-D", library._name], capture_output=True, text=True, check=True)
    assert checks in used.stdout
