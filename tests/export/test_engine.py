"""The engine that is shipped is that of the source."""

import shutil
import subprocess

import pytest

from dcsvm.export.assembly import TERMS
from dcsvm.export.engine import MODEL_ADDRESS, STACK, build, engine, engine_source


def clang_version():
    if shutil.which("clang") is None or shutil.which("wasm-ld") is None:
        return None
    return subprocess.run(["clang", "--version"], capture_output=True, text=True).stdout


@pytest.mark.skipif(clang_version() is None, reason="no clang and lld: apt-get install clang lld")
@pytest.mark.parametrize("real", TERMS)
def test_what_is_shipped_is_what_is_built(real, tmp_path):
    built = build(tmp_path, real).read_bytes()
    if "version 14.0.6" in clang_version():  # others make other code of the same source
        assert built == engine(real), "run make wasm"
    assert 10_000 < len(built) < 40_000


def test_sources_differ_by_the_precision():
    assert "typedef float real" in engine_source("float")
    assert "typedef double real" in engine_source("double")
    assert STACK < MODEL_ADDRESS
