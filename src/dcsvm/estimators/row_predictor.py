"""`RowPredictor`: the shortest way from a row to its label, for services that get one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import RowTooLongError
from dcsvm.machines.interface import PairValues
from dcsvm.routing.route import Route

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


class RowPredictor:
    """Predicts without checking its input; immutable, picklable, safe to share by threads.

    Get one from a fitted classifier: ``label = clf.predictor_.predict(x)``. It is fastest for
    contiguous float32 or float64 vectors. Numbers that are not finite give some label.
    """

    __slots__ = ("_classes", "_machines", "_of_vector", "_route")

    def __init__(self, classes: NDArray[Any], machines: PairValues, route: Route) -> None:
        set_once = object.__setattr__
        set_once(self, "_classes", classes)
        set_once(self, "_machines", machines)
        set_once(self, "_route", route)
        set_once(self, "_of_vector", route.of_vector(machines))

    _classes: NDArray[Any]
    _machines: PairValues
    _route: Route
    _of_vector: Callable[[NDArray[Any]], int] | None

    def predict(self, x: Any) -> Any:
        """The label of a vector x, or the labels of the rows of a matrix."""
        x = x if hasattr(x, "ndim") else np.asarray(x)
        if x.ndim != 1:
            return self.predict_rows(x)
        if self._of_vector is None or not isinstance(x, np.ndarray):
            return self.predict_rows(x[np.newaxis])[0]
        if x.dtype not in FLOATS or not x.flags.c_contiguous:
            x = np.ascontiguousarray(x, dtype=np.float64)
        try:
            return self._classes[self._of_vector(x)]
        except RowTooLongError:
            return self.predict_rows(x[np.newaxis])[0]

    def predict_rows(self, X: Any) -> NDArray[Any]:
        """The labels of the rows of a dense or CSR matrix."""
        if X.dtype not in FLOATS:
            X = X.astype(np.float64)
        return self._classes[self._route.predict(self._machines, X, n_jobs=1)]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("RowPredictor cannot be changed; fit a classifier for another one.")

    def __reduce__(self) -> tuple[Any, ...]:
        return RowPredictor, (self._classes, self._machines, self._route)

    def __repr__(self) -> str:
        return f"RowPredictor({len(self._classes)} classes)"
