"""Tests that need a GPU: `make test-gpu`."""

import pytest

from dcsvm.cuda.device import gpu, has_gpu


@pytest.fixture(scope="session")
def device():
    if not has_gpu():
        pytest.skip("there is no GPU, or no CuPy")
    return gpu()
