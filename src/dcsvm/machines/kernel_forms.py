"""Kernels in the forms of core/simd/forms.hpp.

With s and x moved to the mean of the support vectors, which an rbf kernel does not notice, and
g = γ log₂ e,

    exp(−γ |x − s|²) = 2 ^ (2g ⟨x, s⟩ − g |x|² − g |s|²).

The expanded form costs one operation per feature, but its terms cancel where g |s|² is large;
there the distance is computed as it stands, which costs two.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.kernels import Kernel
from dcsvm.data.scaling import Standardisation

# Kernels other than rbf grow with the row, which may be larger than any trained on.
LARGER_ROWS = 4.0
# Above this, the terms of the expanded rbf kernel cancel too much of each other.
EXPANDABLE = 64.0
# Rows that are stored longer than this lose accuracy when their distances are computed.
FAR = 256.0
# Below this, exponents of the rbf kernel are no different from zero.
LEAST_EXPONENT = 1e-30
# A mean whose square is this much larger than that of most rows is no centre of them.
FAR_MEAN = 1e8


class KernelForm(NamedTuple):
    """A kernel as core/simd/forms.hpp takes it."""

    name: str
    vector_factor: float  # a row is stored as s = vector_factor · (x − centre)
    query_factor: float  # a query is q = query_factor · s
    bias_factor: float  # exp_dot adds bias_factor · |s|² for both
    error: float  # a kernel value is off by the rounding unit times this, and
    error_of_norm: float  # this times |s|²
    is_distance: bool = False  # and, where stored rows are far from the centre, by their length

    def errors(self, squared_norms: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far off the kernel values of rows are, in rounding units."""
        errors = self.error + self.error_of_norm * squared_norms
        if self.is_distance:
            # A value that is not next to nothing is off by this times the rounding of s.
            errors += np.maximum(self.vector_factor * np.sqrt(squared_norms) - FAR, 0.0)
        return errors


def usable_centre(
    mean: NDArray[np.float64], squared_norms: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean of rows of these norms, or zero where a few enormous rows determine it."""
    return mean if mean @ mean <= FAR_MEAN * np.median(squared_norms) else np.zeros_like(mean)


def kernel_form(kernel: Kernel, size: float, expandable: bool = True) -> KernelForm:
    """The form for rows of squared norm up to `size`."""
    if kernel.name == "linear":
        return KernelForm("identity", 1.0, 1.0, 0.0, LARGER_ROWS * size, 0.0)
    if kernel.name == "rbf":
        g = kernel.gamma / np.log(2)
        if expandable and LEAST_EXPONENT < g * size <= EXPANDABLE:
            return KernelForm("exp_dot", 1.0, 2 * g, -g, 2.0, g)
        return KernelForm("exp_distance", float(np.sqrt(g)), 1.0, 0.0, 2.0, 0.0, True)
    argument = kernel.gamma * size + abs(kernel.coef0)
    if kernel.name == "sigmoid":
        return KernelForm("tanh", 1.0, kernel.gamma, 0.0, LARGER_ROWS * (2 + argument), 0.0)
    try:
        error = LARGER_ROWS * (1 + kernel.degree) * max(argument, 1.0) ** kernel.degree
    except OverflowError:
        raise ValueError(
            f"The values of a polynomial kernel of degree {kernel.degree} overflow at these rows: "
            "choose a lower degree or a smaller gamma, or standardise the features "
            "(scaling='global')."
        ) from None
    return KernelForm("power", 1.0, kernel.gamma, 0.0, error, 0.0)


def contrast(kernel: Kernel, squared_norm: float, squared_norm_of_mean: float) -> float:
    """K(s, s) − K(s, t) for rows of a typical norm, whose product is that of the mean row."""
    if kernel.name == "rbf":
        return float(-np.expm1(-2 * kernel.gamma * (squared_norm - squared_norm_of_mean)))
    if kernel.name == "linear":
        return squared_norm - squared_norm_of_mean
    own, other = kernel.gamma * np.array([squared_norm, squared_norm_of_mean]) + kernel.coef0
    if kernel.name == "sigmoid":
        return float(np.tanh(own) - np.tanh(other))
    return float(own**kernel.degree - other**kernel.degree)


def own_map(
    own: Standardisation | None,
    centre: NDArray[np.float64],
    form: KernelForm,
    real: type[np.floating[Any]] = np.float32,
) -> dict[str, NDArray[Any] | None]:
    """The standardisation of every machine, for rows that have been centred."""
    if own is None:
        return {"own_centre": None, "own_scale": None}
    return {
        "own_centre": (own.centre - centre).astype(real),
        "own_scale": (own.inverse_scale * form.vector_factor).astype(real),
    }
