"""A device without a GPU: NumPy in CuPy's place, and the kernels run by tests/cuda/emulator.cpp."""

import ctypes
import subprocess
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from dcsvm.cuda import device as devices
from dcsvm.cuda.device import SOURCE, Device

SHARED_BYTES = 96 * 1024


class Emulator:
    """Calls kernels as CuPy does, on arrays of NumPy."""

    def __init__(self, library):
        self.library = ctypes.CDLL(str(library))
        self.called = []

    def __call__(self, name, grid, block, arguments, shared_bytes):
        self.called.append(name)
        kept, given = [], (ctypes.c_void_p * len(arguments))()
        for t, argument in enumerate(arguments):
            value = self._passed(argument)
            kept.append(value)
            given[t] = value.ctypes.data
        of = [(ctypes.c_uint * 2)(*size, *([1] * (2 - len(size)))) for size in (grid, block)]
        n_bytes = ctypes.c_longlong(shared_bytes)
        failed = self.library.emulate(name.encode(), *of, n_bytes, given, len(arguments))
        assert failed == 0, f"{name}: {'unknown' if failed == -1 else 'wrong number of arguments'}"

    @staticmethod
    def _passed(argument):
        if argument is None:
            return np.array(0, dtype=np.intp)
        if isinstance(argument, np.ndarray):
            assert argument.flags.c_contiguous
            return np.array(argument.ctypes.data, dtype=np.intp)
        return np.array(argument)


@pytest.fixture(scope="session")
def emulator(tmp_path_factory):
    compiler = which("g++") or which("clang++")
    if compiler is None:
        pytest.skip("a C++ compiler is needed to run kernels without a GPU")
    library = tmp_path_factory.mktemp("emulator") / "emulator.so"
    source = Path(__file__).with_name("emulator.cpp")
    flags = ["-O1", "-std=c++17", "-fPIC", "-shared", f'-DKERNELS="{SOURCE}"']
    subprocess.run([compiler, *flags, str(source), "-o", str(library)], check=True)
    return Emulator(library)


@pytest.fixture(scope="session")
def device(emulator):
    return Device(np, emulator, np.asarray, SHARED_BYTES, lambda: 2**30)


@pytest.fixture
def fake_gpu(device, monkeypatch):
    """The device stands for a GPU wherever one is asked for."""
    monkeypatch.setattr(devices, "gpu", lambda: device)
    return device
