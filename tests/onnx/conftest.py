"""Rows, and whether there is anything to convert with and to run."""

from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.datasets import make_blobs

if not all(map(find_spec, ("onnx", "onnxruntime", "skl2onnx"))):
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def rows():
    """Classes that overlap, of very different sizes, in single precision."""
    sizes = [150, 20, 25, 30, 60, 20, 35]
    X, y = make_blobs(sizes, n_features=5, cluster_std=3.5, random_state=0)
    return X.astype(np.float32), y


@pytest.fixture(scope="session")
def elsewhere():
    """Rows around and far outside those."""
    return np.random.default_rng(1).normal(scale=9, size=(600, 5)).astype(np.float32)
