"""The parameter `device` of a classifier: where it is fitted, and where it predicts.

What is fitted on a GPU is an ordinary classifier. `dcsvm.cuda` is imported when a GPU is first
asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from dcsvm.data.kernels import BUILT_IN
from dcsvm.data.labels import encode_labels
from dcsvm.estimators.checks import check_every_class_has_weight
from dcsvm.estimators.parameter_types import DeviceName
from dcsvm.machines.pairwise import PairwiseMachines

if TYPE_CHECKING:
    from dcsvm.cuda.device import Device

# With fewer training rows, device="auto" is the CPU.
FEWEST_ROWS = 4000


class DeviceMixin:
    """The parameter `device` of a classifier over support vector machines."""

    device: DeviceName = "cpu"
    kernel: Any
    scaling: Any
    probability: bool
    machines_: PairwiseMachines
    set_params: Callable[..., Any]

    def to(self, device: DeviceName) -> Self:
        """The same fitted classifier, predicting on the GPU ("cuda") or on the CPU ("cpu").

        What it has in the memory of the GPU is freed when it leaves it.
        """
        check_is_fitted(self)
        other: Any = copy(self).set_params(device=device)
        other._validate_params()
        if device == "cuda":
            from dcsvm.cuda.device import gpu
            from dcsvm.cuda.prediction import machines_on

            machines_on(gpu(), other.machines_)
        elif device == "cpu" and self.device != "cpu":
            from dcsvm.cuda.prediction import forget

            forget(other.machines_, getattr(other, "_route", None))
        return other  # type: ignore[no-any-return]

    def __getstate__(self) -> dict[str, Any]:
        """What is fitted knows no device: it predicts on any computer."""
        state: Any = super().__getstate__()
        return {**state, "device": "cpu"} if "machines_" in state else state

    def _device_of_fit(self, X: Any) -> Device | None:
        """The GPU on which to fit, or None."""
        if self.device == "cpu":
            return None
        if self.device == "auto":
            suits = self.kernel in BUILT_IN and self.scaling != "pair" and not self.probability
            is_large = hasattr(X, "shape") and X.shape[0] >= FEWEST_ROWS
            if not (suits and is_large) or not has_gpu():
                return None
        from dcsvm.cuda.device import gpu

        return gpu()


def has_gpu() -> bool:
    """Whether there is a GPU, and CuPy."""
    from dcsvm.cuda import device

    return device.has_gpu()


def training_data_on(
    device: Device, estimator: Any, X: Any, y: Any, sample_weight: Any, owner: Any
) -> tuple[Any, ...]:
    """Check the input of `fit`, and bring it to the GPU in its order there: as `TrainingData`."""
    from dcsvm.cuda.problems import obstacle_to_training
    from dcsvm.cuda.stages import StagesOnGPU, rows_on

    obstacle = obstacle_to_training(estimator.kernel, estimator.scaling)
    if estimator.probability:
        obstacle = "probability=True"
    if obstacle is not None:
        raise ValueError(f"device='cuda' cannot be used with {obstacle}: use device='cpu'.")
    X = rows_for(device, estimator, X, reset=True)
    classes, codes = codes_for(device, y, type(estimator).__name__)
    check_consistent_length(X, codes)
    if estimator._trains_all_pairs(len(classes)):
        estimator._check_memory(len(classes))
    weight = None
    if sample_weight is not None:
        weight = _check_sample_weight(_on_host(device, sample_weight), np.empty((X.shape[0], 1)))
        check_every_class_has_weight(classes, _on_host(device, codes), weight.astype(np.float64))
    progress = estimator._progress(owner, X, y, classes)
    rows = rows_on(device, X, codes, weight, len(classes))
    estimator.shape_fit_ = tuple(X.shape)
    return rows, classes, progress, StagesOnGPU()


def rows_for(device: Device, estimator: Any, X: Any, *, reset: bool) -> Any:
    """Validated rows: on the GPU if they are there, else as the CPU takes them."""
    from dcsvm.cuda.arrays import check_rows_there, is_on_gpu, matrix_there

    if not is_on_gpu(X):
        return estimator._validate(X, reset=reset)
    matrix = matrix_there(device, X)
    known = None if reset else estimator.n_features_in_
    check_rows_there(matrix, known, type(estimator).__name__)
    if reset:
        estimator.n_features_in_ = int(matrix.shape[1])
    return matrix


def codes_for(device: Device, y: Any, owner: str) -> tuple[Any, Any]:
    """The classes, and the index of every label among them, where the labels are."""
    from dcsvm.cuda.arrays import is_on_gpu, there

    if not is_on_gpu(y):
        return encode_labels(y, owner)
    labels = there(device, y)
    if labels.dtype.kind == "f" and not bool(abs(labels).max() < np.inf):
        raise ValueError("Input y contains NaN or infinity.")
    found, codes = device.xp.unique(labels.reshape(-1), return_inverse=True)
    classes, _ = encode_labels(device.to_host(found), owner)
    return classes, codes


def _on_host(device: Device, numbers: Any) -> Any:
    from dcsvm.cuda.arrays import is_on_gpu, there

    return device.to_host(there(device, numbers)) if is_on_gpu(numbers) else numbers
