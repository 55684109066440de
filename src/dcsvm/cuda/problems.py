"""Scaling, kernel and C of training rows that the GPU has, as training/common.py defines them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.cuda.device import Device
from dcsvm.cuda.kernel_matrix import ProductForm
from dcsvm.cuda.rows import DeviceRows
from dcsvm.data.kernels import BUILT_IN, Kernel
from dcsvm.data.scaling import (
    LARGEST_SIZE,
    LEAST_SIZE,
    MOST_APART,
    Standardisation,
    power_of_two,
)
from dcsvm.machines.kernel_forms import KernelForm, usable_centre
from dcsvm.training.common import SharedScaling, costs, kernel_and_factor, needs_variance
from dcsvm.training.compiled import PreparedKernel, form_and_contrast, is_centred
from dcsvm.training.problems import TrainingParameters

# Numbers that are brought to double precision at a time.
NUMBERS_AT_ONCE = 2**27


class DeviceProblems(NamedTuple):
    """What the problems of all pairs share."""

    rows: DeviceRows
    X: Any  # the rows, scaled
    C: NDArray[np.float64]  # of every row
    kernel: Kernel
    scaling: Standardisation | None  # for rows that are to be predicted
    prepared: PreparedKernel
    form: ProductForm


def check_can_train(parameters: TrainingParameters) -> None:
    """Refuse what the GPU does not compute."""
    obstacle = obstacle_to_training(parameters.kernel, parameters.scaling)
    if obstacle is not None:
        raise ValueError(f"device='cuda' cannot be used with {obstacle}: use device='cpu'.")


def obstacle_to_training(kernel: Any, scaling: str | None) -> str | None:
    """What rules the GPU out."""
    if kernel not in BUILT_IN:
        return f"kernel={kernel!r}" if isinstance(kernel, str) else "a kernel that is a function"
    return "scaling='pair'" if scaling == "pair" else None


def problems_on(
    rows: DeviceRows, class_weight: NDArray[np.float64], parameters: TrainingParameters
) -> DeviceProblems:
    """The problems of all pairs of classes."""
    check_can_train(parameters)
    device, n_features = rows.device, rows.matrix.shape[1]
    scaling = SharedScaling(_unit_of(device, rows.matrix))
    X = rows.matrix if scaling.unit == 1.0 else rows.matrix * X_type(rows, 1.0 / scaling.unit)
    if parameters.scaling == "global":
        found = _standardisation(rows, X)
        scaling = scaling._replace(standardisation=found)
        centre, scale = device.array(found.centre[0]), device.array(found.inverse_scale[0])
        X = (X - centre.astype(X.dtype)) * scale.astype(X.dtype)
    entries = _variance(rows, X) if needs_variance(parameters) else 1.0
    kernel, C = kernel_and_factor(parameters, n_features, entries, scaling.unit)
    prepared = _prepare(device, X, kernel)
    return DeviceProblems(
        rows,
        X,
        costs(rows, class_weight, C),
        kernel,
        scaling.of_machines(n_features),
        prepared,
        ProductForm.of(prepared.form, kernel),
    )


def X_type(rows: DeviceRows, number: float) -> Any:  # noqa: N802
    """A number of the type of the rows."""
    return rows.matrix.dtype.type(number)


def blocks_of(n_rows: int, n_features: int) -> list[slice]:
    """Rows that are brought to double precision together."""
    at_once = max(1, NUMBERS_AT_ONCE // max(1, n_features))
    return [slice(begin, min(begin + at_once, n_rows)) for begin in range(0, n_rows, at_once)]


def _unit_of(device: Device, X: Any) -> float:
    """As `data.scaling.unit_of`."""
    xp = device.xp
    of_rows = xp.maximum(X.max(axis=1), -X.min(axis=1)).astype(np.float64)
    largest = max(float(of_rows.max()), 0.0)
    if not 0 < largest < np.inf:
        return 1.0
    if LEAST_SIZE <= largest / np.sqrt(X.size) <= largest <= LARGEST_SIZE:
        return 1.0
    typical = float(xp.median(of_rows[of_rows > 0] / largest)) * largest
    if largest > MOST_APART * typical:
        squares = float(xp.square(X.astype(np.float64) / largest).sum())
        return power_of_two(float(largest * np.sqrt(squares / X.size)), X.dtype)
    return power_of_two(typical, X.dtype)


def _variance(rows: DeviceRows, X: Any) -> float:
    """The variance of all entries, a row of weight w counting w times."""
    weight, n_features = rows.weight_there, X.shape[1]
    total = float(weight.sum()) * n_features
    mean = float(weight @ X.sum(axis=1, dtype=np.float64)) / total
    spread = 0.0
    for block in blocks_of(*X.shape):
        deviation = X[block].astype(np.float64) - mean
        spread += float(weight[block] @ rows.device.xp.einsum("rd,rd->r", deviation, deviation))
    return float(spread / total)


def _standardisation(rows: DeviceRows, X: Any) -> Standardisation:
    """As `data.scaling.global_standardisation`."""
    weight, to_host = rows.weight_there, rows.device.to_host
    total = float(weight.sum())
    blocks = blocks_of(*X.shape)
    centre = sum(to_host(weight[block] @ X[block].astype(np.float64)) for block in blocks) / total
    there = rows.device.array(centre)
    spread = sum(
        to_host(weight[block] @ (X[block].astype(np.float64) - there) ** 2) for block in blocks
    )
    variance = spread / max(total - 1.0, total / 2.0)
    rounding = (np.finfo(X.dtype).eps * np.abs(centre)) ** 2
    inverse = 1.0 / np.sqrt(np.where(variance > 100.0 * rounding, variance, 1.0))
    return Standardisation(np.atleast_2d(centre), np.atleast_2d(inverse))


def _prepare(device: Device, X: Any, kernel: Kernel) -> PreparedKernel:
    """As `training.compiled.prepare`, for rows without a scaling of each machine's own."""
    xp, n_features = device.xp, X.shape[1]
    mean = device.to_host(X.sum(axis=0, dtype=np.float64)) / X.shape[0]
    centre = np.zeros(n_features)
    if is_centred(kernel, False):
        centre = usable_centre(mean, _norms(device, X, centre))
    norms = _norms(device, X, centre)
    form, differences = form_and_contrast(
        kernel, float(norms.max()), float(norms.mean()), mean, False
    )
    errors = errors_of(xp, form, norms)
    least = float(errors.min())
    return PreparedKernel(form, centre, errors, float(errors.mean()), least, differences)


def errors_of(xp: Any, form: KernelForm, squared_norms: Any) -> Any:
    """`KernelForm.errors` of norms that the GPU has."""
    with np.errstate(over="ignore", invalid="ignore"):
        return form.errors(squared_norms) + xp.zeros(len(squared_norms))


def _norms(device: Device, X: Any, centre: NDArray[np.float64]) -> Any:
    """|x − centre|² of all rows."""
    there, norms = device.array(centre), device.xp.empty(X.shape[0])
    for block in blocks_of(*X.shape):
        centred = X[block].astype(np.float64) - there
        norms[block] = device.xp.einsum("rd,rd->r", centred, centred)
    return norms
