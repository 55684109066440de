"""Parts of the C source."""

import re

import pytest

from dcsvm.export.assembly import TERMS, filled, functions_of_kernel, machine_parts, part


def test_gaps_are_filled_or_an_error():
    assert "{{" not in filled("dropped", name="iris")
    assert "iris_path" in filled("dropped", name="iris")
    with pytest.raises(KeyError):
        filled("dropped")


@pytest.mark.parametrize("real", TERMS)
def test_powers_of_two_are_as_exact_as_the_precision(real):
    (source,) = functions_of_kernel("exp2", real)
    terms = [float(c) for c in re.findall(r"p = (?:p \* y \+ )?\(real\)([\d.e-]+)", source)]
    for step in range(-50, 51):
        y, p = step / 100 * 0.6931471805599453, 0.0
        for c in terms:
            p = p * y + c
        assert abs(p / 2 ** (step / 100) - 1) < {"float": 2e-8, "double": 4e-16}[real]


def test_only_what_is_needed():
    options = {"has_bias": False, "has_vector_bias": False, "has_coef_scale": False}
    options |= {"coef0": "0.0", "has_codes": False, "by_machine": True}
    linear = machine_parts("dot", "none", "float", **options)
    assert linear == [part("dot"), part("machine_linear")]
    assert "tanh" not in "".join(machine_parts("dot", "power", "float", **options))
