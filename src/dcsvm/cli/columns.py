"""The kinds of columns, and their values as a model takes them.

`fit` determines the kind of each column once (inferring.py), and the model applies it to every
other table, whatever its format and however it is cut into batches. A value that does not fit is
named in an error.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dcsvm.cli.errors import UserError
from dcsvm.cli.misfits import Misfits
from dcsvm.cli.number_formats import NumberFormat, parse_numbers
from dcsvm.cli.options.reading import ReadingOptions

NUMBER, BOOLEAN, DATE, TEXT = "number", "boolean", "date", "text"
PLURALS = {NUMBER: "numbers", BOOLEAN: "true and false", DATE: "dates", TEXT: "texts"}
# Texts that stand for a missing value in files that have nothing but texts.
MISSING = [
    *("", "?", "NA", "N/A", "#N/A", "n/a", "NaN", "nan", "-nan"),
    *("NULL", "null", "None", "<NA>"),
]
WHOLE = r"^[+-]?[0-9]+$"
# Prediction computes in single precision, in which anything larger is infinite.
LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Column:
    """A column that the model uses."""

    name: str
    kind: str
    date_format: str | None = None
    number_format: str | None = None  # where the values show it: a value of `NumberFormat`
    offset: float | int | None = None  # what is taken from numbers that differ little by comparison
    values: tuple[str, ...] | None = None  # texts in the training data, where they are few

    def to_json(self) -> dict[str, Any]:
        """As the model file has it."""
        return {key: value for key, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class ValueRules:
    """What the values in a file mean."""

    is_text: bool  # whether all are texts, numbers too
    number_format: NumberFormat = NumberFormat.POINT  # where a column does not show its own
    coerce: bool = False  # whether values that do not fit their column are missing
    na_values: tuple[str, ...] | None = None  # texts that stand for a missing value, if given
    misfits: Misfits = field(default_factory=Misfits, compare=False)

    @classmethod
    def of(
        cls, options: ReadingOptions, is_text: bool, format: NumberFormat = NumberFormat.POINT
    ) -> ValueRules:
        """Those of a file, with what the options say."""
        return cls(is_text, format, options.coerce, options.missing_texts())

    def clean(self, values: Any) -> Any:
        """Texts without surrounding blanks, and null where missing; other values as they are."""
        values = decoded(values)
        if not is_string(values.type):
            return self._without_missing_numbers(values)
        values = pc.utf8_trim_whitespace(values)
        missing = pc.is_in(values, pa.array(self.missing_texts(MISSING), values.type))
        whole = [text for text in self.na_values or () if re.match(WHOLE, text)]
        if whole:  # -999 is also written -999.0
            pattern = rf"^(?:{'|'.join(map(re.escape, whole))})\.0*$"
            missing = pc.or_(missing, pc.match_substring_regex(values, pattern))
        return pc.if_else(missing, pa.scalar(None, values.type), values)

    def missing_texts(self, usual: list[str]) -> list[str]:
        """The texts that stand for a missing value."""
        if self.na_values is not None:
            return ["", *self.na_values]
        return usual if self.is_text else [""]

    def _without_missing_numbers(self, values: Any) -> Any:
        """Numbers, null where --na-values has the text of a number."""
        if self.na_values is None or not is_number(values.type):
            return values
        numbers = pd.to_numeric(pd.Series(self.na_values, dtype=object), errors="coerce").dropna()
        is_missing = pc.is_in(
            pc.cast(values, pa.float64(), safe=False), pa.array(numbers, pa.float64())
        )
        return pc.if_else(is_missing, pa.scalar(None, values.type), values)


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
        return _texts(values, column, rules)
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


def _texts(values: Any, column: Column, rules: ValueRules) -> pd.Series:
    if not is_string(values.type) and values.null_count < len(values):
        raise _wrong_type(column, values)
    texts = values.cast(pa.string())
    if column.values is not None:
        known = pc.is_in(texts, pa.array([*column.values, None], pa.string()))
        rules.misfits.count_unseen(column.name, texts.filter(pc.invert(known)))
    return pd.Series(pc.dictionary_encode(texts).to_pandas())


def _numbers(values: Any, column: Column, rules: ValueRules, first_row: int) -> NDArray[np.float64]:
    if is_string(values.type):
        lower = pc.utf8_lower(values)
        if column.kind == BOOLEAN:
            numbers = _floats(pc.index_in(lower, pa.array(["false", "true"], lower.type)))
        else:
            format = NumberFormat(column.number_format or rules.number_format)
            numbers = parse_numbers(values, format)
        is_nan = np.array(pc.is_in(lower, pa.array(["nan", "-nan", None], lower.type)).to_pandas())
        _check_fit(column, values, np.isnan(numbers) & ~is_nan, rules, first_row)
    elif is_number(values.type):
        numbers = _floats(pc.cast(values, pa.float64(), safe=False))
    elif values.null_count == len(values):
        return np.full(len(values), np.nan)
    else:
        raise _wrong_type(column, values)
    return numbers if column.offset is None else less_offset(values, numbers, column.offset)


def less_offset(
    values: Any, numbers: NDArray[np.float64], offset: float | int
) -> NDArray[np.float64]:
    """Numbers less an offset: exact for whole ones of any size, which floats cannot tell apart."""
    if isinstance(offset, int) and (is_string(values.type) or pa.types.is_integer(values.type)):
        texts = pc.cast(values, pa.string())
        whole = np.array(
            pc.fill_null(pc.match_substring_regex(texts, WHOLE), False).to_pandas(), bool
        )
        exact = [float(int(text) - offset) for text in texts.filter(pa.array(whole)).to_pylist()]
        numbers = numbers - offset
        numbers[whole] = exact
        return numbers
    return numbers - offset


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
    if not misfits.any():
        return
    if rules.coerce:
        rules.misfits.count_unreadable(column.name, values.filter(pa.array(misfits)))
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
