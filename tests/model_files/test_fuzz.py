"""Thousands of model files with something wrong in them: no crash, no hang, no flood of memory.

They are tried in processes of their own, with limits on time and memory.
"""

import subprocess
import sys
from pathlib import Path

import joblib
import pytest
from tests.model_files.saved_models import MODELS, fitted

import dcsvm

PROGRAM = Path(__file__).with_name("mutations.py")
# The others are more of the same, or take long to load.
LEFT_OUT = ("table", "nested", "logistic", "svc", "pairwise_svc", "bins", "sign", "linear", "piped")
TRIED = [name for name in MODELS if name not in LEFT_OUT]
MUTATIONS = 2000


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    for name in TRIED:
        model, rows = fitted(name)
        dcsvm.save(model, folder / f"{name}.dcsvm")
        joblib.dump(rows, folder / f"{name}.rows")
    return folder


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits memory as Linux does")
def test_mutated_files(corpus):
    command = [sys.executable, PROGRAM, corpus, "0", str(MUTATIONS)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=600)
    last_tried = found.stderr.rpartition("\r")[2]
    assert found.returncode == 0, f"died at mutation {last_tried}"
    bad, _, summary = found.stdout.rstrip().rpartition("\n")
    assert bad == ""
    n_loaded = int(summary.split()[1])
    assert summary.startswith("done, ")
    assert MUTATIONS / 20 < n_loaded < MUTATIONS / 2  # neither all nor none came to the core
