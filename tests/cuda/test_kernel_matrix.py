import numpy as np
import pytest
from tests.oracles import kernel_matrix as expected_values

from dcsvm.cuda.kernel_matrix import ProductForm, kernel_matrix, ready
from dcsvm.data.kernels import Kernel
from dcsvm.machines.kernel_forms import kernel_form

KERNELS = [
    Kernel("linear"),
    Kernel("poly", 0.5, 3, 1.0),
    Kernel("poly", 0.5, 0, 1.0),
    Kernel("rbf", 0.3),
    Kernel("rbf", 300.0),
    Kernel("sigmoid", 0.2, 3, -0.5),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: f"{k.name} {k.gamma}")
def test_values_are_those_of_the_formulas(device, kernel, dtype):
    rng = np.random.default_rng(0)
    X, S = rng.normal(size=(9, 4)), rng.normal(size=(11, 4))
    S[:2] = X[:2]
    form = kernel_form(kernel, float((X**2).sum(axis=1).max()))
    products = ProductForm.of(form, kernel)
    of_products = np.float64 if products.in_double else dtype
    rows, columns = (
        ready(device, (Z * form.vector_factor).astype(of_products), products) for Z in (X, S)
    )
    out = np.empty((9, 11), dtype=dtype)
    kernel_matrix(device, rows, columns, products, out)
    expected = expected_values(kernel, X, S)
    assert np.allclose(out, expected, atol=2e-6 if dtype == np.float32 else 1e-12, rtol=1e-5)
