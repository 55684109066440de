"""The labels: what they are in the file is what they are in the model and in the predictions."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dcsvm.cli.columns import MISSING, is_string, parse_numbers
from dcsvm.cli.errors import UserError, counted, listed

INTEGER, FLOAT, BOOLEAN, TEXT = "integer", "float", "boolean", "text"
# A class may well be called None.
MISSING_LABELS = [text for text in MISSING if text != "None"]
WHOLE = r"^(0|-?[1-9][0-9]{0,17})$"
# More classes than this are a mistake more often than not, and need the memory of their cube.
MOST_CLASSES = 1000
# Fewer rows per class than this, in the mean, are no classes.
FEWEST_ROWS_PER_CLASS = 2
MANY = 20


@dataclass(frozen=True)
class Target:
    """The column of labels."""

    name: str
    kind: str

    def to_json(self) -> dict[str, Any]:
        """As the model file has it."""
        return asdict(self)

    def labels(self, values: Any) -> NDArray[Any]:
        """Labels of this kind as objects: None where missing, a text where of another kind."""
        texts = label_texts(values)
        if self.kind == TEXT:
            return np.array(texts.to_pylist(), dtype=object)
        if self.kind == BOOLEAN:
            lower = pc.utf8_lower(texts).to_pylist()
            return np.array([{"true": True, "false": False}.get(t, t) for t in lower], dtype=object)
        numbers = parse_numbers(texts, decimal_comma=False)
        make: Any = int if self.kind == INTEGER else float
        return np.array(
            [
                make(number) if number == number and number % 1 == 0 else text
                for number, text in zip(numbers.tolist(), texts.to_pylist(), strict=True)
            ],
            dtype=object,
        )


def label_texts(values: Any) -> Any:
    """Labels as texts, missing ones as such."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    is_text = is_string(values.type)
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    texts = pc.utf8_trim_whitespace(values.cast(pa.string()))
    if not is_text:
        return texts
    is_missing = pc.is_in(texts, value_set=pa.array(MISSING_LABELS))
    return pc.if_else(is_missing, pa.scalar(None, pa.string()), texts)


def read_target(name: str, values: Any, is_text: bool) -> tuple[Target, NDArray[Any]]:
    """What the labels are, and the labels, None where missing."""
    target = Target(name, _kind(name, values, is_text))
    return target, target.labels(values)


def _kind(name: str, values: Any, is_text: bool) -> str:
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_boolean(kind):
        return BOOLEAN
    if pa.types.is_integer(kind):
        return INTEGER
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise UserError(f"Column {name!r} is of type {kind}, which cannot be a label.")
    distinct = pc.drop_null(pc.unique(label_texts(values)))
    if pa.types.is_floating(kind):
        return FLOAT if _whole_floats(distinct) else TEXT
    if is_text and len(distinct):
        if pc.all(pc.match_substring_regex(distinct, WHOLE)).as_py():
            return INTEGER
        if pc.all(pc.match_substring_regex(distinct, r"^-?[1-9]?[0-9]*\.0+$")).as_py():
            return FLOAT
    return TEXT


def _whole_floats(distinct: Any) -> bool:
    return bool((parse_numbers(distinct, decimal_comma=False) % 1 == 0).all())


def as_array(labels: NDArray[Any], target: Target) -> NDArray[Any]:
    """Labels, of which none is missing, in the narrowest type of NumPy."""
    types: dict[str, Any] = {INTEGER: np.int64, FLOAT: np.float64, BOOLEAN: np.bool_, TEXT: np.str_}
    return labels.astype(types[target.kind])


def check_classes(target: Target, labels: NDArray[Any], most_classes: int | None) -> None:
    """Refuse a target that is none."""
    classes = np.unique(labels)
    k, n = len(classes), len(labels)
    if k == 1:
        raise UserError(
            f"Column {target.name!r} has one class only, {str(classes[0])!r}, in all "
            f"{counted(n, 'row')}: there is nothing to tell apart."
        )
    if most_classes is not None:
        if k > most_classes:
            raise UserError(f"Column {target.name!r} has {k:,} classes, more than --max-classes.")
        return
    if k > MOST_CLASSES or (k > MANY and n < FEWEST_ROWS_PER_CLASS * k):
        is_measure = target.kind == FLOAT or _are_fractions(classes)
        what = (
            "a quantity, and dcsvm predicts classes: cut it into ranges"
            if is_measure
            else "an identifier: choose another column"
        )
        raise UserError(
            f"Column {target.name!r} has {k:,} distinct values in {n:,} rows, such as "
            f"{listed(classes[:3])}; it looks like {what}, or allow so many with --max-classes {k}."
        )
    if k > MANY and target.kind == TEXT and _are_fractions(classes):
        raise UserError(
            f"Column {target.name!r} has {k:,} distinct fractions, such as {listed(classes[:3])}; "
            "it looks like a quantity, and dcsvm predicts classes: cut it into ranges, or allow "
            f"so many with --max-classes {k}."
        )


def _are_fractions(classes: NDArray[Any]) -> bool:
    numbers = parse_numbers(pa.array([str(label) for label in classes]), decimal_comma=False)
    return bool(np.isfinite(numbers).all() and (numbers % 1 != 0).any())
