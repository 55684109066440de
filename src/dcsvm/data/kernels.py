"""Kernels, with "scale" and "auto" replaced by numbers.

=========== ================================
linear      ⟨x, s⟩
poly        (γ⟨x, s⟩ + coef0) ^ degree
rbf         exp(−γ |x − s|²)
sigmoid     tanh(γ⟨x, s⟩ + coef0)
precomputed X holds the kernel values
callable    function(X, S) → (n, m) array
=========== ================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

BUILT_IN = ("linear", "poly", "rbf", "sigmoid")

# Sparse rows need no centring here: moving all points by the same vector changes no machine, or,
# of the linear kernel, only its intercept.
TRANSLATION_INVARIANT = ("linear", "rbf")


@dataclass(frozen=True)
class Kernel:
    """A kernel and its parameters, as numbers."""

    name: str  # one of BUILT_IN, "precomputed" or "callable"
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0
    function: Callable[[Any, Any], Any] | None = None

    @property
    def is_built_in(self) -> bool:
        """Whether the compiled core computes it."""
        return self.name in BUILT_IN

    def gram(self, X: Any, S: Any) -> NDArray[np.float64]:
        """Kernel values of a callable kernel between the rows of X and of S."""
        assert self.function is not None
        values = self.function(X, S)
        if sparse.issparse(values):
            values = values.toarray()
        values = np.asarray(values, dtype=np.float64)
        expected = X.shape[0], S.shape[0]
        if values.shape != expected:
            raise ValueError(
                f"The kernel function must return an array of shape {expected} for X of shape "
                f"{X.shape} and Y of shape {S.shape}, but returned shape {values.shape}."
            )
        return values


def resolve_kernel(
    kernel: str | Callable[[Any, Any], Any],
    gamma: str | float,
    degree: int,
    coef0: float,
    n_features: int,
    variance: float,
) -> Kernel:
    """The kernel that an estimator's parameters mean for its training rows.

    `variance` is that of all entries, for gamma="scale".
    """
    if callable(kernel):
        return Kernel("callable", function=kernel)
    if kernel == "precomputed":
        return Kernel("precomputed")
    if gamma == "scale":
        gamma = 1.0 / (n_features * variance) if variance != 0 else 1.0
    elif gamma == "auto":
        gamma = 1.0 / n_features
    return Kernel(kernel, float(gamma), int(degree), float(coef0))
