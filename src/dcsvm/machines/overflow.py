"""How long a row may be before its kernel or decision values overflow.

A row is a query q as in core/predict/engine.hpp. Its values are sums of coef · K(q, s), and K a
function of ⟨q, s⟩ or |q − s|²: at most |q| |s| and (|q| + |s|)². With the longest s and the
largest sum of |coef| of a machine, the length follows at which the largest number that is ever
computed reaches the end of the range of a precision.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

# Numbers up to these are far from overflow, and so are squares of those below.
RANGE = {np.float32: 1e36, np.float64: 1e300}
LONGEST = {np.float32: 1e15, np.float64: 1e150}
TINY = 1e-300


class Sizes(NamedTuple):
    """How large the numbers can be that queries meet."""

    vector: float  # |s| of the longest support vector
    coefficients: float  # the largest sum of |coef| of a machine
    # A machine with a standardisation of its own first maps q to (q − centre) · scale.
    own_centre: float = 0.0
    own_scale: float = 1.0


def norm_limit(
    parts: dict[str, Any],
    degree: int,
    coef0: float,
    query_factor: float,
    sizes: Sizes,
    real: type[np.floating[Any]],
) -> float:
    """|q|² up to which nothing overflows, for an engine with these parts.

    `query_factor` is the factor of queries that they do not contain yet.
    """
    top, length = RANGE[real], LONGEST[real]
    product = top
    if parts["form"] == "power":
        product = (top / max(sizes.coefficients, 1.0)) ** (1 / max(degree, 1)) - abs(coef0)
    length = min(length, product / max(abs(query_factor) * sizes.vector, TINY))
    bias = abs(parts.get("query_bias", 0.0))
    if bias > 0:
        length = min(length, float(np.sqrt(top / bias)))
    length = length / max(sizes.own_scale, TINY) - sizes.own_centre
    return float(max(min(length, LONGEST[real]), 0.0) ** 2)
