"""Which parts of the C source in `template/` a model needs, and what stands in their gaps."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from math import factorial

PRODUCTS = {
    "dot": ("dot", "dot(q, s)"),
    "distance": ("distance", "minus_distance(q, s)"),
    "weighted": ("weighted", "minus_weighted(q, s, distance_weight)"),
    "own_weighted": ("weighted", "minus_weighted(q, s, own)"),
    "own_dot": ("dot", "dot(q, s)"),
}
OWN = {
    "own_weighted": "  const real *own = distance_weight + (long)machine * N_QUERY;\n",
    "own_dot": """  real mapped[N_QUERY];
  bias = map_for_machine(machine, q, mapped);
  q = mapped;
""",
}
STORED = "    const real *s = support + place_in_pool * N_QUERY;"
CODED = """    const code *codes = support + place_in_pool * N_QUERY;
    real s[N_QUERY];
    int d;
    for (d = 0; d < N_QUERY; ++d) s[d] = (real)codes[d];"""
# 2^y for y in [-1/2, 1/2] log 2, by as many terms as the precision shows.
TERMS = {"float": 7, "double": 13}
FLOAT_FORMAT = {"float": (126, 127, 23, "uint32_t"), "double": (1022, 1023, 52, "uint64_t")}


@cache
def part(name: str) -> str:
    """A part of the source."""
    return files("dcsvm.export").joinpath("template", f"{name}.c").read_text(encoding="utf-8")


def filled(source: str, /, **gaps: str) -> str:
    """A part of the source with its gaps filled."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: gaps[found[1]], part(source))


def functions_of_kernel(function: str, real: str) -> list[str]:
    """What is done with a product."""
    if function == "power":
        return [part("power")]
    limit, bias, shift, bits = FLOAT_FORMAT[real]
    terms = TERMS[real]
    first, *others = [f"(real){1 / factorial(n)!r}" for n in range(terms, -1, -1)]
    steps = [f"p = {first};", *(f"p = p * y + {other};" for other in others)]
    exp2 = filled(
        "exp2",
        limit=str(limit),
        bias=str(bias),
        shift=str(shift),
        bits=bits,
        polynomial="\n".join(f"    {step}" for step in steps),
    )
    return [exp2, *([part("tanh")] if function == "tanh" else [])]


def machine_parts(
    product: str,
    function: str,
    real: str,
    *,
    has_bias: bool,
    has_vector_bias: bool,
    has_coef_scale: bool,
    coef0: str,
    has_codes: bool,
    by_machine: bool,
) -> list[str]:
    """Kernel values and values of machines."""
    if function == "none":
        return [part("dot"), part("machine_linear")]
    source, call = PRODUCTS[product]
    own = product == "own_weighted"
    call += " + bias"
    if has_vector_bias:
        call += " + vector_bias[place_in_pool]"
    if function == "exp2":
        call = f"bounded({call})"
    vector = CODED if has_codes else STORED
    coef_scale = " * coef_scale[machine]" if has_coef_scale else ""
    return [
        *functions_of_kernel(function, real),
        part(source),
        *([filled("query_bias", coef0=coef0)] if has_bias else []),
        *([filled("map_for_machine", coef0=coef0)] if product == "own_dot" else []),
        filled(
            "kernel",
            own_arguments="const real *own, " if own else "",
            product=call,
            vector=vector,
            function={"exp2": "exp2_of", "power": "power_of", "tanh": "tanh_of"}[function],
        ),
        filled(
            "machine",
            own=OWN.get(product, ""),
            arguments="own, " if own else "",
            coef_scale=coef_scale,
        )
        if by_machine
        else filled("sum_of_machine", coef_scale=coef_scale),
    ]
