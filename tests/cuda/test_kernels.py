"""kernels.cu: it compiles for GPUs old and new, and its solver does what a Python twin does."""

import ctypes
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from dcsvm.cuda.device import OPTIONS, SOURCE
from dcsvm.cuda.solving import KernelBlocks, Solver


@pytest.fixture(scope="module")
def nvrtc():
    spec = find_spec("nvidia")
    folders = [
        Path(p) / "cuda_nvrtc" / "lib" for p in (spec.submodule_search_locations if spec else ())
    ]
    found = [path for folder in folders for path in folder.glob("libnvrtc.so.*")]
    if not found:
        pytest.skip("the wheel nvidia-cuda-nvrtc-cu12 is not installed")
    return ctypes.CDLL(str(found[0]))


@pytest.mark.parametrize("architecture", ["compute_75", "compute_80", "compute_90"])
def test_it_compiles(nvrtc, architecture):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    source = SOURCE.read_bytes()
    assert (
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernels.cu", 0, None, None) == 0
    )
    options = [option.encode() for option in (f"--gpu-architecture={architecture}", *OPTIONS)]
    given = (ctypes.c_char_p * len(options))(*options)
    failed = nvrtc.nvrtcCompileProgram(program, len(options), given)
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    assert (failed, log.value.decode()) == (0, "")


def solve_step_by_step(K, n_first, C, tol):
    """The solver as its comment in kernels.cu has it, and the steps that it takes."""
    y = np.where(np.arange(len(K)) < n_first, 1.0, -1.0)
    low, high = np.where(y > 0, 0, -C), np.where(y > 0, C, 0)
    b, f, steps = np.zeros(len(K)), -y, 0
    while True:
        i = np.where(b < high, f, np.inf).argmin()
        if np.where(b > low, f, -np.inf).max() - f[i] < tol:
            return b, f, steps
        curvature = np.maximum(K[i, i] + np.diag(K) - 2 * K[i], 1e-12)
        promising = (b > low) & (f > f[i])
        j = np.where(promising, (f - f[i]) ** 2 / curvature, -np.inf).argmax()
        by = min((f[j] - f[i]) / curvature[j], high[i] - b[i], b[j] - low[j])
        b[i], b[j] = b[i] + by, b[j] - by
        f = f + by * (K[i] - K[j])
        steps += 1


@pytest.mark.parametrize("unit_diagonal", [False, True])
@pytest.mark.parametrize("n_rows", [20, 150])
def test_the_solver_goes_as_its_twin(device, unit_diagonal, n_rows):
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows, 3))
    n_first = n_rows // 3
    X[:n_first] += 1
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    if not unit_diagonal:
        K = K * 2 + 1e-3 * np.eye(n_rows)
    C = rng.uniform(0.5, 2, n_rows)
    start = np.array([0, n_first, n_rows])
    solver = Solver(device, start, C, np.ones(n_rows), 1e-3, 10**6, unit_diagonal)
    pairs = np.array([[0, 1]], dtype=np.int32)
    found = solver.solve(KernelBlocks(K, start[:2]), np.array([0]), pairs)
    b, f, steps = solve_step_by_step(K, n_first, C, 1e-3)
    assert abs(int(found.n_iter[0]) - steps) <= 0.1 * steps + 2
    of_twin = 0.5 * b @ K @ b - np.abs(b).sum()
    there = np.zeros(n_rows)
    there[found.support] = found.coef
    objective = 0.5 * there @ K @ there - np.abs(there).sum()
    assert objective == pytest.approx(of_twin, rel=1e-4)
    y = np.where(np.arange(n_rows) < n_first, 1, -1)
    free = (np.abs(b) > 0) & (np.abs(b) < C)
    assert found.intercept[0] == pytest.approx(-f[free].mean(), abs=2e-3)
    values = K @ there
    assert found.value_range[0] == pytest.approx(np.ptp(values), rel=1e-3)
    assert ((values + found.intercept[0] > 0) == (y > 0)).mean() > 0.7
