"""Real data, found in the folder that DCSVM_DATA names, else in ../shared/data."""

import os
from pathlib import Path
from typing import NamedTuple

# Before SciPy is imported: lets scikit-learn run its checks of array API input as well.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import pytest
from numpy.typing import NDArray

from dcsvm import _core

DATA = Path(os.environ.get("DCSVM_DATA", Path(__file__).parents[2] / "shared" / "data"))


class DataSet(NamedTuple):
    X_train: NDArray[np.float64]
    y_train: NDArray[np.str_]
    X_test: NDArray[np.float64]
    y_test: NDArray[np.str_]


def read(name):
    """Features, labels and, where there is an official split, whether a row is for training."""
    path = DATA / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"no {path.name} in {DATA}: set DCSVM_DATA to the folder with the data sets")
    import pandas as pd

    frame = pd.read_parquet(path)
    features = [c for c in frame.columns if c[0] == "f" and c[1:].isdigit()]
    split = frame["split"].to_numpy() == "train" if "split" in frame else None
    return frame[features].to_numpy(np.float64), frame["label"].to_numpy(), split


def standardised(X_train, X_test):
    mean, sd = X_train.mean(axis=0), X_train.std(axis=0)
    sd[sd == 0] = 1
    return (X_train - mean) / sd, (X_test - mean) / sd


@pytest.fixture(scope="session")
def official_folder():
    """The folder of data sets, without which the test is skipped."""
    if not DATA.is_dir():
        pytest.skip(f"no folder {DATA}: set DCSVM_DATA to the folder with the data sets")
    return DATA


@pytest.fixture(scope="session")
def official_split():
    def load(name):
        X, y, train = read(name)
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
