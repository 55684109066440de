"""Kernel values between rows that the GPU has: products of matrices, and one pass over these."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dcsvm.cuda.device import Device, suffix
from dcsvm.data.kernels import Kernel
from dcsvm.machines.kernel_forms import KernelForm

# The numbers of kernels.cu: Form.
FORMS = {"identity": 0, "exp_dot": 1, "exp_distance": 2, "power": 3, "tanh": 4}
# Products of a type other than that of the values are held so many at a time.
PRODUCTS_AT_ONCE = 2**27
# Threads of a pass over all values.
MOST_BLOCKS = 2**16


class ProductForm(NamedTuple):
    """How kernel values follow from products of rows that are made ready for it.

    Distances are computed from products as well, in double precision.
    """

    name: str
    factor: float  # of products
    bias: float  # of the squared norm of each of the two rows
    coef0: float
    degree: int
    in_double: bool

    @classmethod
    def of(cls, form: KernelForm, kernel: Kernel) -> ProductForm:
        """That of a form of the compiled core."""
        if form.name == "exp_distance":
            return cls("exp_dot", 2.0, -1.0, 0.0, 1, True)
        return cls(
            form.name, form.query_factor, form.bias_factor, kernel.coef0, kernel.degree, False
        )


class ReadyRows(NamedTuple):
    """Rows between which products are taken."""

    vectors: Any
    bias: Any

    def part(self, rows: Any) -> ReadyRows:
        """Some of them."""
        return ReadyRows(self.vectors[rows], self.bias[rows])


def ready(device: Device, vectors: Any, form: ProductForm) -> ReadyRows:
    """Rows with their biases."""
    xp = device.xp
    vectors = xp.ascontiguousarray(vectors)
    if not form.bias:
        return ReadyRows(vectors, xp.zeros(len(vectors), dtype=vectors.dtype))
    bias = float(form.bias) * xp.einsum("rd,rd->r", vectors, vectors)
    return ReadyRows(vectors, bias.astype(vectors.dtype))


def kernel_matrix(
    device: Device, rows: ReadyRows, columns: ReadyRows, form: ProductForm, out: Any
) -> None:
    """Write the kernel values of rows with columns to `out`."""
    xp, own = device.xp, rows.vectors.dtype
    if own == out.dtype:
        xp.matmul(rows.vectors, columns.vectors.T, out=out)
        _finish(device, f"finish_products_{suffix(own)}", rows, columns, form, out, out)
        return
    at_once = max(1, PRODUCTS_AT_ONCE // max(1, len(columns.bias)))
    for begin in range(0, len(rows.bias), at_once):
        part = slice(begin, begin + at_once)
        products = xp.matmul(rows.vectors[part], columns.vectors.T)
        some = rows.part(part)
        _finish(device, "finish_products_rounded", some, columns, form, products, out[part])


def _finish(
    device: Device,
    name: str,
    rows: ReadyRows,
    columns: ReadyRows,
    form: ProductForm,
    products: Any,
    out: Any,
) -> None:
    n_rows, n_columns = products.shape
    grid = (min(MOST_BLOCKS, -(-n_rows * n_columns // 256)),)
    device.launch(
        name,
        grid,
        (256,),
        products,
        rows.bias,
        columns.bias,
        np.int64(n_rows),
        np.int64(n_columns),
        np.int32(FORMS[form.name]),
        np.float64(form.factor),
        np.float64(form.coef0),
        np.int32(form.degree),
        out,
    )
