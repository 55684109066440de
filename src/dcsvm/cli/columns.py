"""The kinds of columns, and their values as a model takes them.

`fit` determines the kind of each column once (inferring.py), and the model applies it to every
other table, whatever its format and however it is cut into batches. A value that does not fit is
named in an error.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dcsvm.cli.errors import UserError

NUMBER, BOOLEAN, DATE, TEXT = "number", "boolean", "date", "text"
PLURALS = {NUMBER: "numbers", BOOLEAN: "true and false", DATE: "dates", TEXT: "texts"}
# Texts that stand for a missing value in files that have nothing but texts.
MISSING = [
    *("", "?", "NA", "N/A", "#N/A", "n/a", "NaN", "nan", "-nan"),
    *("NULL", "null", "None", "<NA>"),
]
# Prediction computes in single precision, in which anything larger is infinite.
LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Column:
    """A column that the model uses."""

    name: str
    kind: str
    date_format: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As the model file has it."""
        return {key: value for key, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class ValueRules:
    """What the values in a file mean."""

    is_text: bool  # whether all are texts, numbers too
    decimal_comma: bool = False  # whether 3,14 is a number
    coerce: bool = False  # whether values that do not fit their column are missing

    def clean(self, values: Any) -> Any:
        """Texts without surrounding blanks, and null where missing; other values as they are."""
        values = decoded(values)
        if not is_string(values.type):
            return values
        values = pc.utf8_trim_whitespace(values)
        missing = pa.array(MISSING if self.is_text else [""], values.type)
        return pc.if_else(pc.is_in(values, missing), pa.scalar(None, values.type), values)


def to_frame(
    table: pa.Table | pa.RecordBatch, columns: list[Column], rules: ValueRules, first_row: int = 0
) -> pd.DataFrame:
    """The columns as a model takes them; `first_row` is the place of the first row in its file."""
    return pd.DataFrame(
        {c.name: convert(table.column(c.name), c, rules, first_row) for c in columns},
        index=range(table.num_rows),
        copy=False,
    )


def convert(values: Any, column: Column, rules: ValueRules, first_row: int = 0) -> Any:
    """The values of one column: floats, dates or a categorical."""
    values = rules.clean(values)
    if column.kind == DATE:
        return _dates(values, column, rules, first_row)
    if column.kind == TEXT:
        return _texts(values, column)
    numbers = _numbers(values, column, rules, first_row)
    with np.errstate(invalid="ignore"):
        numbers[np.abs(numbers) > LARGEST] = np.nan
    return numbers


def decoded(values: Any) -> Any:
    """The values themselves, where Arrow has their numbers in a dictionary."""
    return values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values


def is_string(kind: pa.DataType) -> bool:
    """Whether a type of Arrow is one of its types of text."""
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def is_number(kind: pa.DataType) -> bool:
    """Whether a type of Arrow can be read as numbers."""
    types = pa.types
    checks = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
    return any(check(kind) for check in checks) or types.is_null(kind)


def _texts(values: Any, column: Column) -> pd.Series:
    if not is_string(values.type) and values.null_count < len(values):
        raise _wrong_type(column, values)
    return pd.Series(pc.dictionary_encode(values.cast(pa.string())).to_pandas())


def _numbers(values: Any, column: Column, rules: ValueRules, first_row: int) -> NDArray[np.float64]:
    if is_string(values.type):
        lower = pc.utf8_lower(values)
        if column.kind == BOOLEAN:
            numbers = _floats(pc.index_in(lower, pa.array(["false", "true"], lower.type)))
        else:
            numbers = parse_numbers(values, rules.decimal_comma)
        is_nan = np.array(pc.is_in(lower, pa.array(["nan", "-nan", None], lower.type)).to_pandas())
        _check_fit(column, values, np.isnan(numbers) & ~is_nan, rules, first_row)
        return numbers
    if is_number(values.type):
        return _floats(pc.cast(values, pa.float64(), safe=False))
    if values.null_count == len(values):
        return np.full(len(values), np.nan)
    raise _wrong_type(column, values)


def parse_numbers(texts: Any, decimal_comma: bool) -> NDArray[np.float64]:
    """Texts as numbers; NaN where a text is not a number."""
    with suppress(pa.ArrowInvalid):
        return _floats(pc.cast(texts, pa.float64()))
    if decimal_comma:
        texts = pc.replace_substring_regex(texts, r"^([+-]?\d*),(\d+)$", r"\1.\2")
    return np.array(pd.to_numeric(texts.to_pandas().astype(object), errors="coerce"), np.float64)


def _floats(values: Any) -> NDArray[np.float64]:
    return np.array(values.to_pandas(), dtype=np.float64)


def _dates(values: Any, column: Column, rules: ValueRules, first_row: int) -> pd.Series:
    if is_string(values.type):
        texts = values.to_pandas().astype(object)
        format = column.date_format or "ISO8601"
        dates = pd.to_datetime(texts, format=format, errors="coerce", utc=True)
        _check_fit(column, values, (dates.isna() & texts.notna()).to_numpy(), rules, first_row)
    elif pa.types.is_timestamp(values.type) or pa.types.is_date(values.type):
        dates = values.cast(pa.timestamp("us", getattr(values.type, "tz", None))).to_pandas()
    elif values.null_count == len(values):
        dates = pd.Series(pd.NaT, index=range(len(values)), dtype="datetime64[us]")
    else:
        raise _wrong_type(column, values)
    if dates.dt.tz is not None:
        dates = dates.dt.tz_convert("UTC").dt.tz_localize(None)
    return dates.astype("datetime64[us]")


def _check_fit(
    column: Column, values: Any, misfits: NDArray[np.bool_], rules: ValueRules, first_row: int
) -> None:
    if rules.coerce or not misfits.any():
        return
    place = int(misfits.argmax())
    wanted = {DATE: f"a date like {column.date_format}", BOOLEAN: "true or false"}
    raise UserError(
        f"Column {column.name!r} has {PLURALS[column.kind]} in the model's training data, but "
        f"{str(values[place].as_py())[:40]!r} in row {first_row + place + 1:,} is not "
        f"{wanted.get(column.kind, 'a number')}: correct it, or add --coerce to take such values "
        "as missing."
    )


def _wrong_type(column: Column, values: Any) -> UserError:
    return UserError(
        f"Column {column.name!r} has {PLURALS[column.kind]} in the model's training data, but is "
        f"of type {values.type} here: convert it, or fit the model again."
    )
