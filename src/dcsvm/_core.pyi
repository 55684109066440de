"""Types of the compiled core; what it computes is stated in core/machines.hpp."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

class Rows: ...

def dense_rows(values: NDArray[Any]) -> Rows: ...
def sparse_rows(
    values: NDArray[Any], indices: NDArray[Any], start: NDArray[Any], n_features: int
) -> Rows: ...

class Machines:
    def __init__(
        self,
        *,
        kernel: str,
        gamma: float,
        coef0: float,
        degree: int,
        pool: Rows,
        start: NDArray[np.int64],
        index: NDArray[np.int32],
        coef: NDArray[np.float64],
        intercept: NDArray[np.float64],
        centre: NDArray[np.float64] | None = None,
        inverse_scale: NDArray[np.float64] | None = None,
    ) -> None: ...
    def values(
        self,
        X: Rows,
        row: NDArray[np.int64],
        machine: NDArray[np.int32],
        out: NDArray[np.float64],
    ) -> None: ...
    def all_values(self, X: Rows, begin: int, end: int, out: NDArray[np.float64]) -> None: ...
    def distinct_support(
        self,
        path_start: NDArray[np.int64],
        machine: NDArray[np.int32],
        out: NDArray[np.int64],
    ) -> None: ...
