"""Arrays of users: where they are, how they come to the GPU, and answers of the same kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.cuda.device import Device

FLOATS = (np.float32, np.float64)


def is_on_gpu(X: Any) -> bool:
    """Whether an array is in the memory of a GPU: one of CuPy, a tensor of PyTorch, or alike."""
    return hasattr(X, "__cuda_array_interface__")


def is_tensor(X: Any) -> bool:
    """Whether it is a tensor of PyTorch."""
    return type(X).__module__.partition(".")[0] == "torch"


def there(device: Device, X: Any) -> Any:
    """X as an array on the GPU, without a copy where it is there."""
    if is_on_gpu(X):
        return device.xp.asarray(X.detach() if is_tensor(X) else X)
    return device.array(X)


def matrix_there(device: Device, X: Any) -> Any:
    """Rows of floats on the GPU."""
    matrix = there(device, X)
    return device.xp.ascontiguousarray(
        matrix if matrix.dtype.type in FLOATS else matrix.astype(np.float64)
    )


def check_rows_there(matrix: Any, n_features: int | None, owner: str) -> None:
    """Refuse rows on the GPU that no estimator takes, as scikit-learn does on the host."""
    if matrix.ndim != 2:
        raise ValueError(f"Expected 2D array, got {matrix.ndim}D array instead.")
    if matrix.shape[0] == 0:
        raise ValueError(
            f"Found array with 0 sample(s) while a minimum of 1 is required by {owner}."
        )
    if n_features is not None and matrix.shape[1] != n_features:
        raise ValueError(
            f"X has {matrix.shape[1]} features, but {owner} is expecting {n_features} features as "
            "input."
        )
    if not bool(abs(matrix).max() < np.inf):
        raise ValueError(
            f"Input X contains NaN or infinity. {owner} does not accept missing values."
        )


def like(X: Any, answer: Any, device: Device) -> Any:
    """An answer on the GPU as an array of the kind of X, where X is."""
    if is_on_gpu(X):
        return _tensor(answer) if is_tensor(X) else answer
    on_host = device.to_host(answer)
    return _tensor(on_host) if is_tensor(X) else on_host


def _tensor(numbers: Any) -> Any:
    import torch

    return torch.from_dlpack(numbers)


def labels_like(X: Any, classes: NDArray[Any], leaf: Any, device: Device) -> Any:
    """The labels of classes with these numbers, of the kind of X if they are numbers."""
    if is_on_gpu(X) and classes.dtype.kind in "biuf":
        return like(X, device.array(classes)[leaf], device)
    labels = classes[device.to_host(leaf)]
    return _tensor(labels) if is_tensor(X) and classes.dtype.kind in "biuf" else labels
