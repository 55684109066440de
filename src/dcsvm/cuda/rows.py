"""Training rows on the GPU, in an order that follows from their content.

As `data.rows.canonical_rows`: rows are grouped by class and sorted by their bytes, and equal rows
of a class are merged. Equal rows are found by a hash of their content. The others are sorted
number by number, which is only done for those that are still alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.cuda.device import Device, suffix
from dcsvm.data.rows import TrainingRows

LANES = 32


class OrderedRows:
    """Some rows of a matrix, of which those asked for come to the host."""

    def __init__(self, device: Device, X: Any, origin: Any) -> None:
        self.device, self.X, self.origin = device, X, origin
        self.shape = (len(origin), X.shape[1])
        self.dtype = X.dtype

    def __getitem__(self, numbers: Any) -> NDArray[Any]:
        there = numbers if isinstance(numbers, slice) else self.device.array(numbers)
        origin = self.origin[there]
        if isinstance(self.X, np.ndarray):
            return np.asarray(self.X[self.device.to_host(origin)])
        return self.device.to_host(self.X[origin])


@dataclass(frozen=True, kw_only=True)
class DeviceRows(TrainingRows):
    """Rows of which `X` is a view for the host, and `matrix` what the GPU has."""

    device: Device
    matrix: Any
    weight_there: Any
    origin_there: Any

    def sample(self, n: int, random_state: np.random.RandomState) -> DeviceRows:
        """At most n rows of each class, drawn at random."""
        chosen, start = [], [0]
        for c in range(self.n_classes):
            rows = self.of_class(c)
            size = rows.stop - rows.start
            drawn = random_state.choice(size, min(n, size), replace=False)
            chosen.append(rows.start + np.sort(drawn))
            start.append(start[-1] + len(drawn))
        numbers = self.device.array(np.concatenate(chosen))
        return _on(
            self.device,
            self.X.X,
            self.matrix[numbers],
            self.origin_there[numbers],
            self.weight_there[numbers],
            np.array(start, dtype=np.int64),
        )


def canonical_rows_on(
    device: Device, X: Any, matrix: Any, codes: Any, weight: Any, n_classes: int
) -> DeviceRows:
    """Group, sort and merge rows; rows of weight 0 or less are left out.

    `matrix`, `codes` and `weight` are on the GPU; X has the same rows as `matrix`, maybe on the
    host.
    """
    xp = device.xp
    first, second = _hashes(device, matrix)
    order = xp.lexsort(xp.stack([second, first, codes.astype(np.uint64)]))
    order = order[weight[order] > 0]
    codes = codes[order]
    is_new = xp.ones(len(order), dtype=bool)
    is_new[1:] = codes[1:] != codes[:-1]
    for hashes in (first, second):
        is_new[1:] |= hashes[order[1:]] != hashes[order[:-1]]
    alike = 1 + xp.flatnonzero(~is_new[1:])
    if len(alike):  # equal hashes are no proof
        is_new[alike] = (matrix[order[alike]] != matrix[order[alike - 1]]).any(axis=1)
    origin, weight, codes = order[is_new], weight[order], codes[is_new]
    if len(origin) < len(order):
        weight = xp.bincount(xp.cumsum(is_new) - 1, weights=weight)
    start = xp.searchsorted(codes, xp.arange(n_classes + 1))
    class_start = device.to_host(start).astype(np.int64)
    matrix = matrix[origin]
    in_order = _sorted_by_bytes(device, matrix, start[codes])
    return _on(device, X, matrix[in_order], origin[in_order], weight[in_order], class_start)


def _on(
    device: Device, X: Any, matrix: Any, origin: Any, weight: Any, class_start: NDArray[np.int64]
) -> DeviceRows:
    view: Any = OrderedRows(device, X, origin)
    known = device.to_host(weight)
    return DeviceRows(
        view,
        known,
        class_start,
        device=device,
        matrix=matrix,
        weight_there=weight,
        origin_there=origin,
    )


def _sorted_by_bytes(device: Device, matrix: Any, place: Any) -> Any:
    """The order of different rows by their bytes, within those of the same place.

    `place` is where the rows of a class begin. It becomes that of rows which are alike so far.
    """
    xp = device.xp
    varies = np.flatnonzero(device.to_host(matrix.min(axis=0) != matrix.max(axis=0)))
    alike, place = xp.arange(len(matrix)), place.astype(np.int64)
    for f in varies.tolist():
        words = _words(xp, matrix[alike, f])
        order = xp.lexsort(xp.stack([words, place[alike].astype(np.uint64)]))
        alike, words = alike[order], words[order]
        begins = xp.ones(len(alike) + 1, dtype=bool)
        of_before = place[alike]
        begins[1:-1] = of_before[1:] != of_before[:-1]
        first_before = xp.flatnonzero(begins)
        group_before = xp.cumsum(begins[:-1]) - 1
        begins[1:-1] |= words[1:] != words[:-1]
        first, group = xp.flatnonzero(begins), xp.cumsum(begins[:-1]) - 1
        place[alike] = of_before + first[group] - first_before[group_before]
        alike = alike[xp.diff(first)[group] > 1]
        if len(alike) == 0:
            break
    return xp.argsort(place)


def _words(xp: Any, numbers: Any) -> Any:
    """Whole numbers in the order of the bytes of floats; adding zero turns −0 into 0."""
    size = numbers.dtype.itemsize
    of_bytes = (numbers + numbers.dtype.type(0)).view(np.uint8).reshape(-1, size)[:, ::-1]
    return xp.ascontiguousarray(of_bytes).view(f"u{size}")[:, 0].astype(np.uint64)


def _hashes(device: Device, matrix: Any) -> tuple[Any, Any]:
    n, d = matrix.shape
    first, second = device.xp.empty(n, dtype=np.uint64), device.xp.empty(n, dtype=np.uint64)
    name = f"hash_rows_{suffix(matrix.dtype)}"
    device.launch_over(name, n * LANES, matrix, np.int64(n), np.int64(d), first, second)
    return first, second
