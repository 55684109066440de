"""Kernels and their forms: the form of core/simd/forms.hpp, in NumPy, against scikit-learn."""

import numpy as np
import pytest
from tests.oracles import kernel_matrix

from dcsvm.data.kernels import Kernel
from dcsvm.data.scaling import Standardisation
from dcsvm.machines.kernel_forms import EXPANDABLE, kernel_form, own_map, usable_centre

KERNELS = {
    "identity": Kernel("linear"),
    "power": Kernel("poly", gamma=0.3, degree=3, coef0=0.7),
    "exp_dot": Kernel("rbf", gamma=0.2),
    "tanh": Kernel("sigmoid", gamma=0.1, coef0=-0.2),
}


def evaluate(form, kernel, x, s):
    """The header's formulas, for rows x and support vectors s as they are."""
    s, x = form.vector_factor * s, form.vector_factor * x
    dots = form.query_factor * x @ s.T
    if form.name == "exp_distance":
        return 2.0 ** -((x[:, np.newaxis] - s) ** 2).sum(axis=2)
    if form.name == "exp_dot":
        bias = form.bias_factor * (x**2).sum(axis=1)[:, np.newaxis]
        return 2.0 ** (dots + bias + form.bias_factor * (s**2).sum(axis=1))
    if form.name == "power":
        return (dots + kernel.coef0) ** kernel.degree
    return np.tanh(dots + kernel.coef0) if form.name == "tanh" else dots


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("expandable", [True, False])
def test_a_form_is_its_kernel(name, expandable):
    rng = np.random.default_rng(0)
    x, s = rng.normal(size=(5, 4)), rng.normal(size=(6, 4))
    form = kernel_form(KERNELS[name], 4.0, expandable)
    assert form.name == ("exp_distance" if name == "exp_dot" and not expandable else name)
    found = evaluate(form, KERNELS[name], x, s)
    np.testing.assert_allclose(found, kernel_matrix(KERNELS[name], x, s), rtol=1e-12)


def test_far_apart_rows_are_not_expanded():
    size = EXPANDABLE * np.log(2) / 0.2
    assert kernel_form(KERNELS["exp_dot"], size * 0.99).name == "exp_dot"
    assert kernel_form(KERNELS["exp_dot"], size * 1.01).name == "exp_distance"


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_the_own_map_standardises_centred_rows(real):
    rng = np.random.default_rng(1)
    own = Standardisation(rng.normal(size=(3, 4)), rng.random((3, 4)) + 0.5)
    centre, form = rng.normal(size=4), kernel_form(KERNELS["exp_dot"], 4.0, expandable=False)
    made = own_map(own, centre, form, real)
    assert made["own_scale"].dtype == made["own_centre"].dtype == real
    x = rng.normal(size=4)
    found = (x - centre - made["own_centre"]) * made["own_scale"]
    expected = (x - own.centre) * own.inverse_scale * form.vector_factor
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    assert own_map(None, centre, form) == {"own_centre": None, "own_scale": None}


def test_rounding_of_long_rows_counts_where_distances_are_computed():
    kernel = Kernel("rbf", gamma=1.0)
    rng = np.random.default_rng(0)
    s = rng.normal(size=(200, 4)) / 2
    for length in (1e3, 1e6):
        far = s + length
        norms = (far**2).sum(axis=1)
        form = kernel_form(kernel, float(norms.max()))
        single = (form.vector_factor * far).astype(np.float32).astype(np.float64)
        found = 2.0 ** -((single[:, np.newaxis] - single) ** 2).sum(axis=2)
        error = np.abs(found - kernel_matrix(kernel, s, s)).mean()
        assert error < 2.0**-25 * form.errors(norms).mean() < 100 * error


def test_a_mean_far_from_most_rows_is_no_centre():
    X = np.random.default_rng(0).normal(size=(100, 3)) + 2.0
    norms = (X**2).sum(axis=1)
    assert usable_centre(X.mean(axis=0), norms).all()
    X[0] = 1e9
    norms = (X**2).sum(axis=1)
    assert not usable_centre(X.mean(axis=0), norms).any()
