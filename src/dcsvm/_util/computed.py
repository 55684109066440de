"""Attributes computed when first asked for, without a lock.

`functools.cached_property` holds a lock while it computes, up to Python 3.11 one for all objects:
a process forked meanwhile would wait for it for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value")


class computed_once(Generic[Value]):  # noqa: N801 (a decorator)
    """Keeps what a method returns under its name in the object.

    Threads that ask at the same time may each compute it, but all get the same object.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute = compute
        self.name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: object, kind: type) -> Value: ...
    def __get__(self, owner: object | None, kind: type) -> Self | Value:
        if owner is None:
            return self
        kept = vars(owner)
        if self.name not in kept:
            kept.setdefault(self.name, self.compute(owner))
        value: Value = kept[self.name]
        return value
