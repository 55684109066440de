"""The values that parameters take, for type checkers and for the checks of `fit`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias, get_args

BuiltInKernel: TypeAlias = Literal["linear", "poly", "rbf", "sigmoid", "precomputed"]
Kernel: TypeAlias = BuiltInKernel | Callable[[Any, Any], Any]
Gamma: TypeAlias = Literal["scale", "auto"] | float
Scaling: TypeAlias = Literal["global", "pair"]
DecisionFunctionShape: TypeAlias = Literal["ovr", "ovo"]
Theta: TypeAlias = Literal["cost", "auto"] | float
Routing: TypeAlias = Literal["margin", "sign"]
Criterion: TypeAlias = Literal["cost", "purity", "score"]
Machines: TypeAlias = Literal["auto", "all", "needed"]
TableRows: TypeAlias = Literal["auto"] | int
DeviceName: TypeAlias = Literal["cpu", "cuda", "auto"]


class Fittable(Protocol):
    """A classifier of scikit-learn, as far as types can tell."""

    def fit(self, X: Any, y: Any, /) -> Any:
        """Learn from rows and labels."""


Shortlist: TypeAlias = Literal["auto"] | Fittable


def names_in(literal: Any) -> set[str]:
    """The texts that a parameter can be."""
    return set(get_args(literal))
