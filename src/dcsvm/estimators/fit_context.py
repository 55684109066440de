"""scikit-learn's decorator of `fit`, which checks parameters, without its loss of types."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from sklearn.base import _fit_context

Method = TypeVar("Method")


def fit_context(*, skip_nested_validation: bool) -> Callable[[Method], Method]:
    """A decorator for methods that fit: they keep their type."""
    decorate = _fit_context(prefer_skip_nested_validation=skip_nested_validation)
    return cast(Callable[[Method], Method], decorate)
