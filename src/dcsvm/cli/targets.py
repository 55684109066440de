"""The labels: of the same kind in the file, in the model and in the predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dcsvm.cli.columns import MISSING, ValueRules, decoded, is_string
from dcsvm.cli.errors import UserError
from dcsvm.cli.number_formats import NumberFormat, parse_numbers
from dcsvm.cli.wording import counted, listed

INTEGER, FLOAT, BOOLEAN, TEXT = "integer", "float", "boolean", "text"
TYPES: dict[str, Any] = {INTEGER: np.int64, FLOAT: np.float64, BOOLEAN: np.bool_, TEXT: np.str_}
RULES = ValueRules(is_text=True)
# A class may be called None.
MISSING_LABELS = [text for text in MISSING if text != "None"]
WHOLE = r"^(0|-?[1-9][0-9]{0,17})$"
WHOLE_FLOAT = r"^-?[1-9]?[0-9]*\.0+$"
# More classes are mostly a mistake, and need memory in proportion to their cube.
MAX_CLASSES = 1000
# With more than MANY classes, so many rows per class are expected in the mean.
MANY, MIN_ROWS_PER_CLASS = 20, 2


@dataclass(frozen=True)
class Target:
    """The column of labels."""

    name: str
    kind: str

    def labels(self, values: Any, rules: ValueRules = RULES) -> NDArray[Any]:
        """Labels of this kind as objects: None where missing, a text where of another kind."""
        texts = _label_texts(values, rules)
        found = texts.to_pylist()
        if self.kind == BOOLEAN:
            lower = pc.utf8_lower(texts).to_pylist()
            found = [{"true": True, "false": False}.get(text, text) for text in lower]
        elif self.kind != TEXT:
            make: Any = int if self.kind == INTEGER else float
            numbers = parse_numbers(texts, NumberFormat.POINT).tolist()
            found = [
                make(number) if number == number and number % 1 == 0 else text
                for number, text in zip(numbers, found, strict=True)
            ]
        return np.array(found, dtype=object)

    def narrowed(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Labels, none of them missing, in an array of their own type."""
        return labels.astype(TYPES[self.kind])


def _label_texts(values: Any, rules: ValueRules) -> Any:
    """Labels as texts, null where missing."""
    values = decoded(values)
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    texts = pc.utf8_trim_whitespace(values.cast(pa.string()))
    if not is_string(values.type):
        return texts
    is_missing = pc.is_in(texts, value_set=pa.array(_missing_texts(rules)))
    return pc.if_else(is_missing, pa.scalar(None, pa.string()), texts)


def _missing_texts(rules: ValueRules) -> list[str]:
    return MISSING_LABELS if rules.na_values is None else ["", *rules.na_values]


def read_target(name: str, values: Any, rules: ValueRules) -> tuple[Target, NDArray[Any]]:
    """The kind of the labels, and the labels, None where missing."""
    target = Target(name, _kind(name, values, rules))
    return target, target.labels(values, rules)


def _kind(name: str, values: Any, rules: ValueRules) -> str:
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_boolean(kind):
        return BOOLEAN
    if pa.types.is_integer(kind):
        return INTEGER
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise UserError(f"Column {name!r} is of type {kind}, which cannot be a label.")
    distinct = pc.drop_null(pc.unique(_label_texts(values, rules)))
    if pa.types.is_floating(kind):
        is_whole = (parse_numbers(distinct, NumberFormat.POINT) % 1 == 0).all()
        return FLOAT if is_whole else TEXT
    if rules.is_text and len(distinct):
        for pattern, number in ((WHOLE, INTEGER), (WHOLE_FLOAT, FLOAT)):
            if pc.all(pc.match_substring_regex(distinct, pattern)).as_py():
                return number
    return TEXT


def check_classes(target: Target, labels: NDArray[Any], max_classes: int | None) -> None:
    """Refuse labels that do not look like classes."""
    classes = np.unique(labels)
    k, n = len(classes), len(labels)
    if k == 1:
        raise UserError(
            f"Column {target.name!r} has one class only, {str(classes[0])!r}, in all "
            f"{counted(n, 'row')}: a classifier needs at least two."
        )
    if max_classes is not None:
        if k > max_classes:
            raise UserError(f"Column {target.name!r} has {k:,} classes, more than --max-classes.")
        return
    fractions = target.kind == TEXT and _are_fractions(classes)
    if k > MAX_CLASSES or (k > MANY and (fractions or n < MIN_ROWS_PER_CLASS * k)):
        what = (
            "a quantity, and dcsvm predicts classes: divide it into ranges"
            if fractions or target.kind == FLOAT
            else "an identifier: choose another column"
        )
        raise UserError(
            f"Column {target.name!r} has {k:,} distinct values in {n:,} rows, such as "
            f"{listed(classes[:3])}; it looks like {what}, or allow so many with --max-classes {k}."
        )


def _are_fractions(classes: NDArray[Any]) -> bool:
    numbers = parse_numbers(pa.array(classes.tolist()), NumberFormat.POINT)
    return bool(np.isfinite(numbers).all() and (numbers % 1 != 0).any())
