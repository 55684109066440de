"""Machines on the GPU: the values of all of them at many rows, and of some of them at each row.

For the values of all machines, the support vectors of class c are multiplied with their
coefficients in the k − 1 machines of c: products[c][r][l], see kernels.cu. For those of some
machines at each row, every machine has its support vectors in panels of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dcsvm.cuda.device import Device
from dcsvm.cuda.kernel_matrix import FORMS, ProductForm, ReadyRows, kernel_matrix
from dcsvm.cuda.problems import obstacle_to_training
from dcsvm.cuda.rows import LANES
from dcsvm.data.kernels import Kernel
from dcsvm.machines.libsvm_layout import classes_of_support
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.machines.precision import plan

# The part of the free memory that values of rows may take, and of that of panels.
SHARE_OF_VALUES, SHARE_OF_PANELS = 0.25, 0.6
MOST_ROWS_AT_ONCE = 2**20


class Panels(NamedTuple):
    """What kernels.cu takes of machines."""

    start: Any
    vectors: Any
    bias: Any
    coef: Any


class DeviceMachines:
    """Machines as the GPU evaluates them, in the precision that the CPU takes.

    Parameters
    ----------
    device : Device
    machines : PairwiseMachines
        With a built-in kernel, all in the same scaling.
    """

    def __init__(self, device: Device, machines: PairwiseMachines) -> None:
        check_can_evaluate(machines)
        self.device, self.machines = device, machines
        planned = plan(machines, ordered=False)
        parts = planned.parts
        self.real = planned.real
        self.form: str = parts["form"]
        self.kernel: Kernel = machines.kernel
        self.centre = device.array(parts["centre"])
        self.scale = device.array(parts["scale"])
        self.query_bias = float(parts.get("query_bias", 0.0))
        self.vectors = device.array(parts["vectors"], self.real)
        self.vector_bias = device.array(parts["vector_bias"], self.real)
        self.intercept = device.array(parts.get("intercept", machines.intercept), np.float64)
        self._panels: Panels | None = None
        self._coefficients: Any = None

    @property
    def is_linear(self) -> bool:
        """Whether a machine is one vector of weights."""
        return self.form == "identity"

    def queries(self, X: Any) -> ReadyRows:
        """Rows that the GPU has, made ready."""
        xp = self.device.xp
        vectors = ((X.astype(np.float64) - self.centre) * self.scale).astype(self.real)
        if not self.query_bias:
            return ReadyRows(vectors, xp.zeros(len(vectors), dtype=self.real))
        return ReadyRows(
            vectors, self.real(self.query_bias) * xp.einsum("rd,rd->r", vectors, vectors)
        )

    def rows_at_once(self) -> int:
        """Rows for which all products fit into the memory."""
        k, size = self.machines.n_classes, np.dtype(self.real).itemsize
        of_row = size * (k * k + len(self.vectors) * (0 if self.is_linear else 1) + 1)
        most = SHARE_OF_VALUES * self.device.free_bytes() / of_row
        return max(1, min(MOST_ROWS_AT_ONCE, int(most)))

    def products(self, queries: ReadyRows) -> Any:
        """products[c][r][l] at these rows."""
        xp, k = self.device.xp, self.machines.n_classes
        out = xp.zeros((k, len(queries.bias), k), dtype=self.real)
        coefficients, start = self._by_class()
        if self.is_linear:
            for c in range(k):
                xp.matmul(queries.vectors, coefficients[c], out=out[c])
            return out
        values = self.kernel_values(queries, ReadyRows(self.vectors, self.vector_bias))
        for c in range(k):
            own = slice(start[c], start[c + 1])
            if own.stop > own.start:
                xp.matmul(values[:, own], coefficients[own], out=out[c])
        return out

    def kernel_values(self, queries: ReadyRows, vectors: ReadyRows) -> Any:
        """Kernel values of queries with some support vectors."""
        values = self.device.xp.empty((len(queries.bias), len(vectors.bias)), dtype=self.real)
        if self.form != "exp_distance":
            form = ProductForm(self.form, 1.0, 0.0, self.kernel.coef0, self.kernel.degree, False)
            kernel_matrix(self.device, queries, vectors, form, values)
            return values
        form = ProductForm("exp_dot", 2.0, -1.0, 0.0, 1, True)
        kernel_matrix(
            self.device,
            _in_double(self.device, queries),
            _in_double(self.device, vectors),
            form,
            values,
        )
        return values

    def blocks_of_products(self, X: Any) -> Iterator[tuple[slice, Any]]:
        """The products at rows that the GPU has, some rows at a time."""
        at_once = self.rows_at_once()
        for begin in range(0, len(X), at_once):
            rows = slice(begin, min(begin + at_once, len(X)))
            yield rows, self.products(self.queries(X[rows]))

    def _by_class(self) -> tuple[Any, list[int]]:
        """The coefficients of support vectors, class after class, in the machines of their class.

        Of linear machines, the weights instead.
        """
        if self._coefficients is None:
            self._coefficients = self._weights() if self.is_linear else self._scattered()
        return self._coefficients  # type: ignore[no-any-return]

    def _weights(self) -> tuple[Any, list[int]]:
        xp, k = self.device.xp, self.machines.n_classes
        weights = xp.zeros((k, self.vectors.shape[1], k), dtype=self.real)
        i, j = (self.device.array(c) for c in self.machines.pairs.T)
        weights[i, :, j] = self.vectors
        return weights, []

    def _scattered(self) -> tuple[Any, list[int]]:
        xp, machines = self.device.xp, self.machines
        k, n = machines.n_classes, machines.n_distinct_support
        of_vector = classes_of_support(machines)
        if (np.diff(of_vector) < 0).any():
            raise ValueError("The support vectors are not in the order of their classes.")
        there = self.device.array
        index, owner = (
            there(machines.index),
            there(np.repeat(np.arange(machines.n_machines), machines.n_support)),
        )
        pair = there(machines.pairs)[owner]
        own = there(of_vector)[index]
        other = xp.where(pair[:, 0] == own, pair[:, 1], pair[:, 0])
        coefficients = xp.zeros((n, k), dtype=self.real)
        coefficients[index, other] = there(machines.coef, self.real)
        return coefficients, np.searchsorted(of_vector, np.arange(k + 1)).tolist()

    @property
    def panels(self) -> Panels:
        """The support vectors of each machine, made when they are first needed."""
        if self._panels is None:
            self._panels = self._make_panels()
        return self._panels

    def _make_panels(self) -> Panels:
        xp, machines, there = self.device.xp, self.machines, self.device.array
        if self.is_linear:
            nothing = xp.zeros(1, dtype=self.real)
            return Panels(xp.zeros(1, dtype=np.int64), self.vectors, nothing, nothing)
        n_support, d = machines.n_support, self.vectors.shape[1]
        start = np.concatenate([[0], np.cumsum(-(-n_support // LANES))])
        needed = int(start[-1]) * LANES * (d + 2) * np.dtype(self.real).itemsize
        allowed = SHARE_OF_PANELS * self.device.free_bytes()
        if needed > allowed:
            raise MemoryError(
                f"The support vectors of all machines take {needed / 1e9:,.1f} GB of GPU memory, "
                f"and {allowed / 1e9:,.1f} GB can be used: predict with to('cpu')."
            )
        n_entries = len(machines.index)
        shift = LANES * start[:-1] - machines.start[:-1]
        place = xp.arange(n_entries) + there(np.repeat(shift, n_support))
        panel, lane, index = place // LANES, place % LANES, there(machines.index)
        vectors = xp.zeros((int(start[-1]), d, LANES), dtype=self.real)
        vectors[panel, :, lane] = self.vectors[index]
        bias, coef = (xp.zeros((int(start[-1]), LANES), dtype=self.real) for _ in range(2))
        bias[panel, lane] = self.vector_bias[index]
        coef[panel, lane] = there(machines.coef, self.real)
        return Panels(there(start), vectors, bias, coef)

    def kernel_arguments(self) -> tuple[Any, ...]:
        """The first arguments of the kernels that evaluate machines row by row."""
        panels = self.panels
        return (
            np.int64(self.vectors.shape[1]),
            np.int32(FORMS[self.form]),
            np.float64(self.kernel.coef0),
            np.int32(self.kernel.degree),
            *panels,
            self.intercept,
        )


def _in_double(device: Device, rows: ReadyRows) -> ReadyRows:
    vectors = rows.vectors.astype(np.float64)
    return ReadyRows(vectors, -device.xp.einsum("rd,rd->r", vectors, vectors))


def check_can_evaluate(machines: PairwiseMachines) -> None:
    """Refuse machines that the GPU does not evaluate."""
    scaling = None if machines.pair_scaling is None else "pair"
    obstacle = obstacle_to_training(machines.kernel.name, scaling)
    if obstacle is not None:
        raise ValueError(f"A classifier with {obstacle} cannot predict on a GPU: use to('cpu').")
