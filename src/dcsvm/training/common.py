"""What the problems of all pairs of classes share: scaling, kernel and C, as numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.kernels import BUILT_IN, TRANSLATION_INVARIANT, Kernel, resolve_kernel
from dcsvm.data.rows import TrainingRows
from dcsvm.data.scaling import Standardisation, division_by
from dcsvm.training.problems import TrainingParameters

# Bounds of C and γ for rows that have been divided by a number.
LEAST, MOST = 1e-200, 1e200
# Squares of larger features overflow: SVC refuses them too.
MOST_UNSCALED = 1e154


class SharedScaling(NamedTuple):
    """How all rows are scaled before machines are trained on them."""

    unit: float  # that they are divided by
    standardisation: Standardisation | None = None  # of the rows that have been divided

    def rows(self, rows: TrainingRows) -> TrainingRows:
        """Rows, scaled."""
        X = rows.X
        if self.unit != 1.0:
            X = division_by(self.unit, X.shape[1]).apply(X)
        if self.standardisation is not None:
            X = self.standardisation.apply(X)
        return rows if X is rows.X else replace(rows, X=X)

    def of_machines(self, n_features: int) -> Standardisation | None:
        """The same in one step, for rows that are to be predicted."""
        if self.standardisation is not None:
            return self.standardisation.after_division_by(self.unit)
        return division_by(self.unit, n_features) if self.unit != 1.0 else None


def check_scaling(parameters: TrainingParameters, is_sparse: bool) -> None:
    """Refuse scaling where it is not possible."""
    if parameters.scaling is None:
        return
    if parameters.kernel == "precomputed":
        raise ValueError(
            f"scaling={parameters.scaling!r} cannot be applied to a precomputed kernel: "
            "standardise the features before computing it, and set scaling=None."
        )
    if is_sparse and parameters.kernel not in TRANSLATION_INVARIANT:
        raise ValueError(
            f"scaling={parameters.scaling!r} with this kernel needs centred features, and "
            "centring would fill a sparse matrix. Pass X.toarray(), use kernel='rbf' or "
            "'linear' (which need no centring), or set scaling=None."
        )


def needs_variance(parameters: TrainingParameters) -> bool:
    """Whether γ follows from the variance of the features."""
    follows = parameters.kernel in BUILT_IN and parameters.gamma == "scale"
    return follows and parameters.scaling is None


def kernel_and_factor(
    parameters: TrainingParameters, n_features: int, variance: float, unit: float
) -> tuple[Kernel, float]:
    """The kernel for rows divided by `unit`, which have this variance; and C for them."""
    kernel = resolve_kernel(
        parameters.kernel,
        parameters.gamma,
        parameters.degree,
        parameters.coef0,
        n_features,
        variance,
    )
    if unit == 1.0 or parameters.scaling is not None:
        return kernel, parameters.C
    if unit > MOST_UNSCALED:
        raise ValueError(
            "The dual coefficients or intercepts are not finite: the features are so large that "
            "their squares are not. Look for values that stand for missing ones, or standardise "
            "the features (scaling='global')."
        )
    # ⟨x, s⟩ = unit² ⟨x / unit, s / unit⟩; a factor of a linear kernel is a factor of C. γ needs
    # none where it was computed from the divided rows.
    if kernel.name == "linear":
        return kernel, _times_squared(parameters.C, unit)
    if parameters.gamma == "scale":
        return kernel, parameters.C
    return replace(kernel, gamma=_times_squared(kernel.gamma, unit)), parameters.C


def costs(rows: TrainingRows, class_weight: NDArray[np.float64], C: float) -> NDArray[np.float64]:
    """C of every row."""
    return C * rows.weight * np.repeat(class_weight, np.diff(rows.class_start))


def _times_squared(number: float, unit: float) -> float:
    """number · unit², not zero unless `number` is."""
    product = number * unit * unit
    if product > MOST:
        raise ValueError(
            "The dual coefficients or intercepts are not finite: the features are too large for C "
            "or gamma. Standardise the features (scaling='global'), or use gamma='scale'."
        )
    return max(product, min(number, LEAST))
