"""Parameters and labels of any type as plain values, and back.

None, booleans, numbers and texts stay as they are. Everything else becomes a dict with a "kind".
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.calibration import _CalibratedClassifier

from dcsvm.model_files.fields import Fields, ModelFileError, require
from dcsvm.model_files.third_party import check_random

PLAIN_KINDS = "biufUSmM"  # the kinds of NumPy's types of numbers, dates and texts
LABEL_TYPES = (str, bool, int, float)


def encode(value: Any, name: str, encode_estimator: Any) -> Any:
    """A parameter as a plain value."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.generic | np.random.RandomState | np.random.Generator):
        return {"kind": "object", "object": value}
    if isinstance(value, np.ndarray) and value.dtype.kind in PLAIN_KINDS:
        return {"kind": "array", "array": value}
    if isinstance(value, dict):
        pairs = [[encode(part, name, encode_estimator) for part in pair] for pair in value.items()]
        return {"kind": "dict", "items": pairs}
    if isinstance(value, list | tuple):
        parts = [encode(part, name, encode_estimator) for part in value]
        return {"kind": type(value).__name__, "items": parts}
    is_estimator = isinstance(value, BaseEstimator | _CalibratedClassifier)
    if is_estimator and not isinstance(value, type):
        return encode_estimator(value)
    if callable(value):
        raise ModelFileError(
            f"{name} is a function ({getattr(value, '__name__', value)}), and a model file holds "
            "no code: use a built-in one, or pickle the model for your own use."
        )
    raise ModelFileError(
        f"{name} is of type {type(value).__name__}, which a model file cannot hold: use plain "
        "numbers, texts, lists or dicts, or pickle the model for your own use."
    )


def decode(value: Any, name: str, decode_estimator: Any) -> Any:
    """The inverse of `encode`."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    fields = Fields(value, name)
    kind = fields.string("kind")
    if kind == "object":
        found = fields.raw("object")
        allowed = np.generic | np.random.RandomState | np.random.Generator
        require(isinstance(found, allowed), f"{name} is of type {type(found).__name__}")
        check_random(found)
        return found
    if kind == "array":
        found = fields.raw("array")
        is_plain = type(found) is np.ndarray and found.dtype.kind in PLAIN_KINDS
        require(is_plain, f"{name} is not a plain array")
        return found
    if kind == "dict":
        return dict(_pair(pair, name, decode_estimator) for pair in fields.items("items"))
    if kind in ("list", "tuple"):
        parts = [decode(part, name, decode_estimator) for part in fields.items("items")]
        return parts if kind == "list" else tuple(parts)
    return decode_estimator(value, name)


def _pair(pair: Any, name: str, decode_estimator: Any) -> tuple[Any, Any]:
    require(isinstance(pair, list) and len(pair) == 2, f"{name} is not a dict")
    key, value = (decode(part, name, decode_estimator) for part in pair)
    require(key is None or isinstance(key, str | int | float | np.generic), f"{name} is not a dict")
    return key, value


def encode_labels(classes: NDArray[Any]) -> Any:
    """The classes as an array or, of objects, as a list."""
    if classes.dtype.kind in PLAIN_KINDS:
        return classes
    labels = classes.tolist()
    other = {type(label).__name__ for label in labels if type(label) not in LABEL_TYPES}
    if other:
        raise ModelFileError(
            f"The labels are objects of type {', '.join(sorted(other))}, which a model file "
            "cannot hold: fit with numbers or texts, for instance y.astype(str)."
        )
    return labels


def decode_labels(state: Any) -> NDArray[Any]:
    """The inverse of `encode_labels`; the classes are sorted and distinct."""
    if isinstance(state, list):
        of_type = all(type(label) in LABEL_TYPES for label in state)
        require(of_type, "the labels are neither numbers nor texts")
        is_text = {isinstance(label, str) for label in state}
        require(len(is_text) == 1, "some labels are texts and some are not")
        classes = np.empty(len(state), dtype=object)
        classes[:] = state
        increasing = all(a < b for a, b in pairwise(state))
    else:
        require(type(state) is np.ndarray, "the labels are missing")
        require(state.dtype.kind in PLAIN_KINDS and state.ndim == 1, "the labels are not a list")
        classes = state
        increasing = bool((classes[:-1] < classes[1:]).all())
    require(len(classes) >= 2, "there are fewer than two classes")
    require(increasing, "the labels are not sorted and distinct")
    return classes
