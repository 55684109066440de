"""Codes stand for support vectors."""

import numpy as np
import pytest

from dcsvm.export.support import encode


@pytest.fixture
def numbers():
    return np.random.default_rng(0).normal(size=(300, 4)) * [1, 1e-3, 1e3, 5] + [0, 1, -900, 1e3]


def test_a_grid_takes_a_byte_and_loses_nothing(numbers):
    whole = np.random.default_rng(1).integers(0, 256, size=(300, 4)).astype(float)
    standardised = (whole - whole.mean(axis=0)) / whole.std(axis=0)
    for vectors in (whole - 3.0, standardised, standardised[:, [0, 0]] * 1e-9):
        codes = encode(vectors, "exact", np.float64)
        assert codes.code.dtype == np.int8
        np.testing.assert_allclose(codes.values, vectors, rtol=1e-12, atol=1e-12)
    assert encode(np.arange(2000.0)[:, np.newaxis], "exact", np.float32).code.dtype == np.int16
    constant = encode(np.full((3, 1), 7.25), "exact", np.float32)
    assert constant.values.tolist() == [[7.25]] * 3


def test_other_numbers_are_stored_as_they_are(numbers):
    for support in ("exact", "float"):
        codes = encode(numbers, support, np.float32)
        assert codes.is_float
        assert (codes.values == numbers.astype(np.float32)).all()


@pytest.mark.parametrize(("support", "levels"), [("int8", 2**8), ("int16", 2**16)])
def test_rounding_is_by_half_a_step(numbers, support, levels):
    codes = encode(numbers, support, np.float32)
    assert codes.code.dtype.name == support
    step = np.ptp(numbers, axis=0) / (levels - 2)
    assert (np.abs(codes.values - numbers) <= step * 0.5001).all()
    assert (np.abs(codes.code.astype(int)).max(axis=0) >= levels // 4).all()
