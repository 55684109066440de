"""Real data, found in the folder that DCSVM_DATA names, else in ../shared/data."""

import os
import signal
from typing import Any, NamedTuple

# Before SciPy is imported: lets scikit-learn run its checks of array API input as well.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import pytest
from hypothesis import settings
from numpy.typing import NDArray

from dcsvm import _core
from dcsvm.datasets import stored

# A shell starts background jobs with interrupts ignored; tests send some.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# On a busy machine any example can take long.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


class DataSet(NamedTuple):
    X_train: NDArray[np.float64]
    y_train: NDArray[Any]
    X_test: NDArray[np.float64]
    y_test: NDArray[Any]


def standardised(X_train, X_test):
    mean, sd = X_train.mean(axis=0), X_train.std(axis=0)
    sd[sd == 0] = 1
    return (X_train - mean) / sd, (X_test - mean) / sd


@pytest.fixture(scope="session")
def official_folder():
    """The folder of data sets, without which the test is skipped."""
    for folder in stored.folders():
        if folder.is_dir():
            return folder
    return pytest.skip("set DCSVM_DATA to the folder with the data sets")


@pytest.fixture(scope="session")
def official_split(official_folder):
    def load(name):
        data = stored.read(official_folder / f"{name}.parquet")
        X, y, train = data.data, data.target, data.split == "train"
        X_train, X_test = standardised(X[train], X[~train])
        return DataSet(X_train, y[train], X_test, y[~train])

    return load


ARITHMETICS = {
    f"{precision}, {name}": (precision, name)
    for precision in ("double", "single")
    for name in _core.instruction_sets()
}


@pytest.fixture(params=ARITHMETICS)
def arithmetic(request, monkeypatch):
    """Every way in which decision values are computed: its precision, "double" or "single"."""
    precision, name = ARITHMETICS[request.param]
    monkeypatch.setenv("DCSVM_SIMD", name)
    if precision == "double":
        monkeypatch.setattr("dcsvm.machines.precision.ALLOWED_ERROR", -1.0)
    return precision


@pytest.fixture(params=_core.instruction_sets())
def instruction_set(request, monkeypatch):
    """Every instruction set of this processor, one after the other."""
    monkeypatch.setenv("DCSVM_SIMD", request.param)
    return request.param
