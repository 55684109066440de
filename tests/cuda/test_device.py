"""What is said where there is no GPU, or no CuPy."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from tests.cuda.problems import classes_in_plane

from dcsvm import DCSVC
from dcsvm.cuda import device as devices


@pytest.fixture(autouse=True)
def forgotten():
    devices.gpu.cache_clear()
    yield
    devices.gpu.cache_clear()


def test_without_cupy_one_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(devices, "find_spec", lambda name: None)
    X, y = classes_in_plane()
    with pytest.raises(RuntimeError, match=r"needs CuPy.*pip install 'dcsvm\[cuda12\]'"):
        DCSVC(device="cuda").fit(X, y)
    assert not devices.has_gpu()
    assert DCSVC(device="auto").fit(X, y).predict(X).shape == y.shape


@pytest.mark.parametrize("n_devices", [0, None])
def test_without_a_gpu_one_sentence_says_so(monkeypatch, n_devices):
    class CUDARuntimeError(Exception):
        pass

    def count():
        if n_devices is None:
            raise CUDARuntimeError("no driver")
        return n_devices

    runtime = SimpleNamespace(getDeviceCount=count, CUDARuntimeError=CUDARuntimeError)
    cupy = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(devices, "find_spec", lambda name: True)
    with pytest.raises(RuntimeError, match=r"needs an NVIDIA GPU and its driver.*nvidia-smi"):
        devices.gpu()


def test_nothing_is_imported_until_it_is_asked_for():
    code = """
import sys
from dcsvm import DCSVC
clf = DCSVC().fit([[0.0], [1.0], [2.0]], [0, 1, 2])
clf.predict([[1.0]])
assert not [name for name in sys.modules if name.startswith(("cupy", "dcsvm.cuda"))]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_kernels_are_named_by_their_precision():
    assert devices.suffix(np.float32) == "float"
    assert devices.suffix(np.dtype(np.float64)) == "double"
