import sys
from types import SimpleNamespace

import numpy as np
import pytest

from dcsvm.cuda.arrays import check_rows_there, is_on_gpu, is_tensor, labels_like, like, there


class OnGPU(np.ndarray):
    """An array of NumPy that says it is on a GPU."""

    __cuda_array_interface__ = "there"


class Tensor:
    """As PyTorch has them."""

    __module__ = "torch"
    __cuda_array_interface__ = "there"

    def __init__(self, numbers):
        self.numbers = numbers

    def detach(self):
        return self.numbers


def test_arrays_are_known_by_where_they_are(device):
    X = np.ones((2, 2))
    assert not is_on_gpu(X)
    assert is_on_gpu(X.view(OnGPU))
    assert is_tensor(Tensor(X))
    assert not is_tensor(X)
    assert there(device, Tensor(X)) is X


def test_answers_are_of_the_kind_of_the_rows(device, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(from_dlpack=Tensor))
    X, leaf = np.ones((2, 2)), np.array([1, 0])
    numbers, texts = np.array([5, 7]), np.array(["a", "b"])
    assert labels_like(X, numbers, leaf, device).tolist() == [7, 5]
    assert labels_like(X.view(OnGPU), numbers, leaf, device).tolist() == [7, 5]
    assert isinstance(labels_like(Tensor(X), numbers, leaf, device), Tensor)
    assert labels_like(Tensor(X), texts, leaf, device).tolist() == ["b", "a"]
    assert like(X.view(OnGPU), leaf, device) is leaf
    assert isinstance(like(Tensor(X), leaf, device), Tensor)


@pytest.mark.parametrize(
    ("X", "says"),
    [
        (np.ones(3), "2D array"),
        (np.ones((0, 2)), "0 sample"),
        (np.ones((3, 1)), "expecting 2 features"),
        (np.array([[0.0, np.nan]]), "NaN"),
        (np.array([[0.0, -np.inf]]), "infinity"),
    ],
)
def test_rows_that_no_classifier_takes_are_refused(X, says):
    with pytest.raises(ValueError, match=says):
        check_rows_there(X, 2, "DCSVC")
    check_rows_there(np.ones((3, 2)), 2, "DCSVC")
