"""What the columns of a table mean: found out once in `fit`, and applied to every other table.

A column of numbers, true and false, dates or texts stays one for good, whatever format a new table
comes in and however it is cut into batches. A value that does not fit is named.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from dcsvm.cli.errors import UserError

NUMBER, BOOLEAN, DATE, TEXT = "number", "boolean", "date", "text"
# Texts that stand for a missing value in files that have nothing but texts.
MISSING = [
    "",
    "?",
    "NA",
    "N/A",
    "#N/A",
    "n/a",
    "NaN",
    "nan",
    "-nan",
    "NULL",
    "null",
    "None",
    "<NA>",
]
# A code such as 007 is no number: its zeros would get lost.
CODE = r"^[+-]?0[0-9]"
# From this share of numbers on, a column is one of numbers with some odd values in it.
MOSTLY = 0.9
# Single precision, in which prediction computes, knows nothing beyond.
HIGHEST = float(np.finfo(np.float32).max)
ARTICLES = {NUMBER: "numbers", BOOLEAN: "true and false", DATE: "dates", TEXT: "texts"}


@dataclass(frozen=True)
class Column:
    """A column that the model uses."""

    name: str
    kind: str
    date_format: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As the model file has it."""
        return {key: value for key, value in asdict(self).items() if value is not None}


class MisfitError(UserError):
    """A value that is not of its column's kind."""


@dataclass(frozen=True)
class Reading:
    """How to read the values of a file."""

    is_text: bool
    decimal_comma: bool = False
    coerce: bool = False  # take values that do not fit as missing

    def clean(self, values: Any) -> Any:
        """Texts without blanks around them and with missing ones as such; anything else as is."""
        if pa.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        if not is_string(values.type):
            return values
        values = pc.utf8_trim_whitespace(values)
        missing = MISSING if self.is_text else [""]
        is_missing = pc.is_in(values, value_set=pa.array(missing, values.type))
        return pc.if_else(is_missing, pa.scalar(None, values.type), values)


def is_string(kind: pa.DataType) -> bool:
    """Whether a type of Arrow is one of its types of text."""
    types = pa.types
    checks = (types.is_string, types.is_large_string, types.is_string_view)
    return any(check(kind) for check in checks)


def convert(values: Any, column: Column, reading: Reading, first_row: int = 0) -> pd.Series:
    """The values of a column as the model takes them; `first_row` is for error messages."""
    values = reading.clean(values)
    if column.kind in (NUMBER, BOOLEAN):
        numbers = _numbers(values, column, reading, first_row)
        with np.errstate(invalid="ignore"):
            numbers[np.abs(numbers) > HIGHEST] = np.nan
        return pd.Series(numbers, name=column.name)
    if column.kind == DATE:
        return _dates(values, column, reading, first_row)
    if not is_string(values.type):
        if values.null_count < len(values):
            raise _other_kind(column, values)
        values = values.cast(pa.string())
    categories = pc.dictionary_encode(values.cast(pa.string())).to_pandas()
    return pd.Series(categories, name=column.name)


def _numbers(
    values: Any, column: Column, reading: Reading, first_row: int
) -> np.ndarray[Any, np.dtype[np.float64]]:
    kind = values.type
    if is_string(kind):
        found = parse_numbers(values, reading.decimal_comma, column.kind == BOOLEAN)
        bad = np.isnan(found) & ~_is_nan_text(values)
        if bad.any() and not reading.coerce:
            raise _misfit(column, values, int(bad.argmax()), first_row)
        return found
    if is_number(kind):
        return np.array(pc.cast(values, pa.float64(), safe=False).to_pandas(), dtype=np.float64)
    if values.null_count == len(values):
        return np.full(len(values), np.nan)
    raise _other_kind(column, values)


def is_number(kind: pa.DataType) -> bool:
    """Whether a type of Arrow can be read as numbers."""
    types = pa.types
    checks = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
    return any(check(kind) for check in checks) or types.is_null(kind)


def parse_numbers(
    texts: Any, decimal_comma: bool, is_boolean: bool = False
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Texts as numbers; NaN where one is none."""
    if is_boolean:
        lower = pc.utf8_lower(texts)
        ones = pc.equal(lower, "true")
        zeros = pc.equal(lower, "false")
        known = pc.if_else(ones, 1.0, pc.if_else(zeros, 0.0, pa.scalar(None, pa.float64())))
        return np.array(known.to_pandas(), dtype=np.float64)
    try:
        return np.array(pc.cast(texts, pa.float64()).to_pandas(), dtype=np.float64)
    except pa.ArrowInvalid:
        pass
    if decimal_comma:
        texts = pc.replace_substring_regex(texts, r"^([+-]?\d*),(\d+)$", r"\1.\2")
    return np.array(pd.to_numeric(texts.to_pandas().astype(object), errors="coerce"), np.float64)


def _is_nan_text(texts: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Where nothing stands, or what means not a number."""
    lower = pc.utf8_lower(texts)
    nothing = pc.or_kleene(pc.is_null(texts), pc.is_in(lower, value_set=pa.array(["nan", "-nan"])))
    return np.array(nothing.to_pandas(), dtype=bool)


def _dates(values: Any, column: Column, reading: Reading, first_row: int) -> pd.Series:
    if is_string(values.type):
        series = values.to_pandas().astype(object)
        dates = parse_dates(series, column.date_format)
        bad = (dates.isna() & series.notna()).to_numpy()
        if bad.any() and not reading.coerce:
            raise _misfit(column, values, int(bad.argmax()), first_row)
    elif pa.types.is_timestamp(values.type) or pa.types.is_date(values.type):
        dates = values.cast(pa.timestamp("us", getattr(values.type, "tz", None))).to_pandas()
    elif values.null_count == len(values):
        dates = pd.Series(pd.NaT, index=range(len(values)), dtype="datetime64[us]")
    else:
        raise _other_kind(column, values)
    return _without_zone(dates).rename(column.name)


def parse_dates(texts: pd.Series, date_format: str | None) -> pd.Series:
    """Texts as dates; NaT where one is none."""
    dates = pd.to_datetime(texts, format=date_format or "ISO8601", errors="coerce", utc=True)
    return dates.astype("datetime64[us, UTC]")


def _without_zone(dates: pd.Series) -> pd.Series:
    if dates.dt.tz is not None:
        dates = dates.dt.tz_convert("UTC").dt.tz_localize(None)
    return dates.astype("datetime64[us]")


def _misfit(column: Column, values: Any, place: int, first_row: int) -> MisfitError:
    what = {DATE: f"a date like {column.date_format}"}.get(column.kind, "a number")
    what = "true or false" if column.kind == BOOLEAN else what
    return MisfitError(
        f"Column {column.name!r} has {ARTICLES[column.kind]} in the model's training data, but "
        f"{str(values[place].as_py())[:40]!r} in row {first_row + place + 1:,} is not {what}: "
        "mend it, or add --coerce to take such values as missing."
    )


def _other_kind(column: Column, values: Any) -> MisfitError:
    return MisfitError(
        f"Column {column.name!r} has {ARTICLES[column.kind]} in the model's training data, but is "
        f"of type {values.type} here: convert it, or fit the model anew."
    )


def frame_of(parts: Iterable[pd.Series], n_rows: int) -> pd.DataFrame:
    """Columns side by side."""
    series = list(parts)
    return pd.DataFrame({part.name: part for part in series}, index=range(n_rows), copy=False)
