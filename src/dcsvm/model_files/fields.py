"""Reading a plain state from a file: every field is checked before it is used."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

HIGHEST_INT = 2**63 - 1


class ModelFileError(ValueError):
    """A file that `dcsvm.load` refuses, or a model that `dcsvm.save` cannot put in one."""


def require(condition: Any, problem: str) -> None:
    """Refuse the file unless a condition holds; the problem is the end of a sentence."""
    if not condition:
        raise ModelFileError(problem)


class Fields:
    """The fields of a state, each read by a method that checks its type and its numbers."""

    def __init__(self, state: Any, name: str) -> None:
        require(isinstance(state, dict), f"{name} is missing")
        self._state: Mapping[str, Any] = state
        self._name = name

    def name_of(self, key: str) -> str:
        """What a field is called in error messages."""
        return f"{self._name}.{key}"

    def raw(self, key: str) -> Any:
        """A field of any type."""
        require(key in self._state, f"{self.name_of(key)} is missing")
        return self._state[key]

    def part(self, key: str) -> Fields:
        """A field that has fields itself."""
        return Fields(self.raw(key), self.name_of(key))

    def optional_part(self, key: str) -> Fields | None:
        """The same, or None."""
        return None if self.raw(key) is None else self.part(key)

    def has(self, key: str) -> bool:
        """Whether there is such a field."""
        return key in self._state

    def part_if_there(self, key: str) -> Fields | None:
        """A field that has fields itself, or None where there is no such field."""
        return self.part(key) if self.has(key) else None

    def items(self, key: str, length: int | None = None) -> list[Any]:
        """A list."""
        found = self.raw(key)
        require(isinstance(found, list), f"{self.name_of(key)} is not a list")
        require(length in (None, len(found)), f"{self.name_of(key)} has not {length} entries")
        return list(found)

    def string(self, key: str, among: Any = None) -> str:
        """A string, where `among` is given one of these."""
        found = self.raw(key)
        require(isinstance(found, str), f"{self.name_of(key)} is not a text")
        require(among is None or found in among, f"{self.name_of(key)} is {found[:40]!r}")
        return str(found)

    def boolean(self, key: str) -> bool:
        """A boolean."""
        found = self.raw(key)
        require(isinstance(found, bool), f"{self.name_of(key)} is neither true nor false")
        return bool(found)

    def integer(self, key: str, low: int, high: int = HIGHEST_INT) -> int:
        """An integer from `low` to `high`."""
        found = self.raw(key)
        is_integer = isinstance(found, int) and not isinstance(found, bool)
        require(is_integer and low <= found <= high, f"{self.name_of(key)} is out of range")
        return int(found)

    def number(self, key: str, low: float, high: float = math.inf) -> float:
        """A float from `low` to `high`."""
        found = self.raw(key)
        require(isinstance(found, float), f"{self.name_of(key)} is not a number")
        require(low <= found <= high, f"{self.name_of(key)} is out of range")
        return float(found)

    def finite(self, key: str, low: float = -math.inf) -> float:
        """A float that is not infinite."""
        found = self.number(key, low)
        require(math.isfinite(found), f"{self.name_of(key)} is not finite")
        return found

    def array(
        self, key: str, dtype: DTypeLike | tuple[DTypeLike, ...], shape: tuple[int | None, ...]
    ) -> NDArray[Any]:
        """An array of one of the types; None in `shape` stands for any length."""
        found, name = self.raw(key), self.name_of(key)
        require(type(found) is np.ndarray, f"{name} is not an array")
        wanted = [np.dtype(t) for t in (dtype if isinstance(dtype, tuple) else (dtype,))]
        native = found.dtype.newbyteorder("=")
        require(native in wanted, f"{name} is of type {found.dtype}, not {wanted[0]}")
        fits = len(found.shape) == len(shape) and all(
            s is None or s == f for s, f in zip(shape, found.shape, strict=True)
        )
        shown = "(" + ", ".join("any" if s is None else str(s) for s in shape) + ")"
        require(fits, f"{name} is of shape {found.shape}, not {shown}")
        return np.ascontiguousarray(found, dtype=native)

    def finite_array(
        self, key: str, dtype: DTypeLike | tuple[DTypeLike, ...], shape: tuple[int | None, ...]
    ) -> NDArray[Any]:
        """The same, all of it finite."""
        found = self.array(key, dtype, shape)
        require(np.isfinite(found).all(), f"{self.name_of(key)} has numbers that are not finite")
        return found

    def indices(
        self, key: str, dtype: DTypeLike, shape: tuple[int | None, ...], bound: int, low: int = 0
    ) -> NDArray[Any]:
        """An array of indices from `low` to below `bound`."""
        found = self.array(key, dtype, shape)
        within = found.size == 0 or (found.min() >= low and found.max() < bound)
        require(within, f"{self.name_of(key)} has indices beyond 0 … {bound - 1}")
        return found

    def offsets(self, key: str, n: int, end: int) -> NDArray[np.int64]:
        """The n + 1 offsets of n parts, which rise from 0 to `end`."""
        found = self.array(key, np.int64, (n + 1,))
        rises = found[0] == 0 and found[-1] == end and (found[1:] >= found[:-1]).all()
        require(rises, f"{self.name_of(key)} does not rise from 0 to {end}")
        return found
