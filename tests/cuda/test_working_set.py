import numpy as np
import pytest
from tests.cuda.test_kernels import solve_step_by_step
from tests.oracles import kernel_matrix

from dcsvm.cuda import working_set
from dcsvm.cuda.kernel_matrix import ProductForm, ready
from dcsvm.cuda.working_set import LargeProblem, solve_large
from dcsvm.data.kernels import Kernel
from dcsvm.machines.kernel_forms import kernel_form


@pytest.mark.parametrize("kernel", [Kernel("rbf", 0.5), Kernel("linear"), Kernel("rbf", 90.0)])
@pytest.mark.parametrize("size", [8, 40])
def test_the_solution_is_that_of_the_solver(device, monkeypatch, kernel, size):
    monkeypatch.setattr(working_set, "SET_SIZE", size)
    monkeypatch.setattr(working_set, "VALUES_AT_ONCE", 100)
    rng = np.random.default_rng(0)
    X, n_first = rng.normal(size=(60, 3)), 25
    X[:n_first] += 1
    C = rng.uniform(0.5, 2, 60)
    form = kernel_form(kernel, float((X**2).sum(axis=1).max()))
    products = ProductForm.of(form, kernel)
    rows = ready(device, X * form.vector_factor, products)
    given = LargeProblem(rows, products, n_first, C, 1e-3, 10**6, kernel.name == "rbf")
    found = solve_large(device, given)
    K = kernel_matrix(kernel, X, X)
    b, f, _ = solve_step_by_step(K, n_first, C, 1e-3)
    objective, expected = (0.5 * v @ K @ v - np.abs(v).sum() for v in (found.b, b))
    assert found.outcome == 0
    assert objective == pytest.approx(expected, rel=1e-4)
    assert found.b.sum() == pytest.approx(0, abs=1e-9)
    free = (np.abs(b) > 0) & (np.abs(b) < C)
    assert found.intercept == pytest.approx(-f[free].mean(), abs=3e-3)
    assert found.value_range == pytest.approx(np.ptp(K @ found.b), rel=1e-9)


def test_the_bound_on_iterations_holds(device):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    kernel = Kernel("rbf", 1.0)
    products = ProductForm.of(kernel_form(kernel, 9.0), kernel)
    rows = ready(device, X, products)
    found = solve_large(device, LargeProblem(rows, products, 20, np.ones(40), 1e-3, 5, True))
    assert found.outcome == 1
    assert found.n_iter == 5
