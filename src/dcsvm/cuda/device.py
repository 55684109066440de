"""A GPU as the rest of this room sees it: arrays, and kernels by their names.

The arrays are CuPy's, the kernels those of kernels.cu, compiled for the GPU at hand when one of
them is first called, and kept by CuPy for later processes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Dynamic shared memory that a block may have without asking for more.
ORDINARY_SHARED = 48 * 1024
# Static shared memory of kernels, about, which a block has besides.
STATIC_SHARED = 4096
# The part of the free memory that is taken where the user sets no bound.
SHARE_OF_FREE = 0.8

SOURCE = Path(__file__).with_name("kernels.cu")
OPTIONS = ("--std=c++17",)


class NoDeviceError(RuntimeError):
    """There is no GPU, or no CuPy."""


@dataclass(frozen=True)
class Device:
    """A GPU, or what stands for one in tests."""

    xp: Any  # CuPy
    call: Callable[[str, tuple[int, ...], tuple[int, ...], tuple[Any, ...], int], None]
    to_host: Callable[[Any], NDArray[Any]]
    shared_bytes: int  # dynamic shared memory that a block can have
    free_bytes: Callable[[], int] = field(repr=False)

    def launch(
        self, name: str, grid: Any, block: Any, *arguments: Any, shared_bytes: int = 0
    ) -> None:
        """Call a kernel; numbers among the arguments have a type of NumPy."""
        if min(grid) > 0:
            self.call(name, tuple(grid), tuple(block), arguments, shared_bytes)

    def launch_over(self, name: str, n_threads: int, *arguments: Any, block: int = 256) -> None:
        """Call a kernel with at least so many threads."""
        self.launch(name, (-(-n_threads // block),), (block,), *arguments)

    def array(self, numbers: Any, dtype: Any = None) -> Any:
        """A copy on the GPU."""
        return self.xp.asarray(np.ascontiguousarray(numbers, dtype=dtype))


def suffix(real: Any) -> str:
    """Of the names of kernels for numbers of this type."""
    return "float" if np.dtype(real) == np.float32 else "double"


@lru_cache(maxsize=1)
def gpu() -> Device:
    """The GPU that CuPy uses."""
    if find_spec("cupy") is None:
        raise NoDeviceError(
            "device='cuda' needs CuPy, which is not installed: pip install 'dcsvm[cuda12]' or "
            "'dcsvm[cuda13]', by the version of CUDA that nvidia-smi shows."
        )
    import cupy

    try:
        n_devices = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise NoDeviceError(f"{_NO_GPU} ({error})") from error
    if n_devices == 0:
        raise NoDeviceError(_NO_GPU)
    shared = int(cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"])
    return Device(cupy, _caller(cupy), cupy.asnumpy, shared - STATIC_SHARED, _free_memory(cupy))


_NO_GPU = (
    "device='cuda' needs an NVIDIA GPU and its driver, and CuPy finds none: check nvidia-smi, or "
    "use device='cpu'."
)


def has_gpu() -> bool:
    """Whether there is a GPU, and CuPy."""
    try:
        gpu()
    except (NoDeviceError, ImportError):
        return False
    return True


def _caller(cupy: Any) -> Callable[..., None]:
    module = cupy.RawModule(code=SOURCE.read_text(encoding="utf-8"), options=OPTIONS)

    def call(
        name: str,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        arguments: tuple[Any, ...],
        shared_bytes: int,
    ) -> None:
        kernel = module.get_function(name)
        if shared_bytes > ORDINARY_SHARED:
            kernel.max_dynamic_shared_size_bytes = shared_bytes
        given = tuple(np.intp(0) if argument is None else argument for argument in arguments)
        kernel(grid, block, given, shared_mem=shared_bytes)

    return call


def _free_memory(cupy: Any) -> Callable[[], int]:
    def free_memory() -> int:
        pool = cupy.get_default_memory_pool()
        return int(cupy.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes())

    return free_memory
