"""Determining the kind of every column of a training table, and which columns are of no use."""

from __future__ import annotations

from typing import Any
from warnings import catch_warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dcsvm.cli.columns import (
    BOOLEAN,
    DATE,
    LARGEST,
    NUMBER,
    TEXT,
    WHOLE,
    Column,
    ValueRules,
    is_number,
    is_string,
)
from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.number_formats import find_format, parse_numbers, units
from dcsvm.cli.wording import counted, listed

# A code such as 007 is no number: as one it would lose its zeros.
CODE = r"^[+-]?0[0-9]"
# Floats are exact for whole numbers up to here.
EXACT_WHOLE = 2.0**53
# Numbers are close that differ by no more than this share of their size: scaling would lose that.
CLOSE = 1e-6
# If there are fewer texts, skrub makes an indicator of each.
FEW_TEXTS = 40
# From this share of numbers on, the other values of a column are taken for mistakes.
MOSTLY = 0.9
# With fewer rows, different values in all of them are no sign of an identifier.
MIN_ROWS_OF_IDENTIFIER = 20


def infer_columns(
    table: pa.Table, names: list[str], rules: ValueRules, console: Console
) -> list[Column]:
    """The columns of use; a note names the others."""
    found, constant, empty = [], [], []
    for name in names:
        values = rules.clean(table.column(name))
        if values.null_count == len(values):
            empty.append(name)
            continue
        column = _infer(name, values, rules, console)
        if len(values) > 1 and values.null_count == 0 and len(pc.unique(values)) == 1:
            constant.append(name)
            continue
        found.append(column)
        _warn_of_identifier(column, values, console)
    for names, what in ((empty, "no values"), (constant, "the same value in every row")):
        if names:
            subject = "Column" if len(names) == 1 else "Each of the columns"
            console.note(f"{subject} {listed(names)} has {what} and is left out.")
    if not found:
        raise UserError("There is no column to learn from: all are empty or constant.")
    return found


def _infer(name: str, values: Any, rules: ValueRules, console: Console) -> Column:
    kind = values.type
    if pa.types.is_boolean(kind):
        return Column(name, BOOLEAN)
    if is_number(kind):
        _warn_of_infinity(name, values, console)
        return Column(name, NUMBER, offset=find_offset(values, _numbers(values)))
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return Column(name, DATE)
    if not is_string(kind):
        raise UserError(
            f"Column {name!r} is of type {kind}, which is neither number, date nor text: leave it "
            f"out with --drop {name!r}."
        )
    distinct = pc.drop_null(pc.unique(values))
    if rules.is_text:
        if len(distinct) <= 6 and set(pc.utf8_lower(distinct).to_pylist()) <= {"true", "false"}:
            return Column(name, BOOLEAN)
        if column := _number_column(name, distinct, rules, console):
            _warn_of_infinity(name, values, console)
            return column
    date_format = _date_format(distinct)
    if date_format:
        return Column(name, DATE, date_format)
    known = tuple(distinct.to_pylist()) if len(distinct) < FEW_TEXTS else None
    return Column(name, TEXT, values=known)


def _number_column(name: str, distinct: Any, rules: ValueRules, console: Console) -> Column | None:
    """A column of numbers, if the distinct values of a text file are numbers."""
    if pc.any(pc.match_substring_regex(distinct, CODE)).as_py():
        return None
    format = find_format(distinct)
    numbers = parse_numbers(distinct, format or rules.number_format)
    is_number = ~np.isnan(numbers)
    if is_number.mean() < MOSTLY:
        return None
    if not is_number.all() and not rules.coerce:
        others = listed(distinct.filter(pa.array(~is_number)).to_pylist())
        console.note(
            f"Column {name!r} has numbers, but also {others}, so that it counts as text: add "
            "--coerce to take such values as missing."
        )
        return None
    currencies = [unit for unit in units(distinct) if unit != "%"]
    if len(currencies) > 1:
        console.note(
            f"Column {name!r} has amounts in {listed(currencies)}, which are compared as if they "
            "were in one currency: convert them first if that matters."
        )
    offset = find_offset(distinct.filter(pa.array(is_number)), numbers[is_number])
    return Column(name, NUMBER, number_format=format and str(format), offset=offset)


def find_offset(values: Any, numbers: NDArray[np.float64]) -> float | int | None:
    """What to take from numbers so that their differences are not lost beside their size."""
    finite = numbers[np.isfinite(numbers)]
    if not len(finite):
        return None
    largest, spread = float(np.abs(finite).max()), float(np.ptp(finite))
    is_close = spread <= CLOSE * largest
    if _are_whole(values) and (largest >= EXACT_WHOLE or is_close):
        texts = pc.drop_null(pc.unique(pc.cast(values, pa.string())))
        return min(map(int, texts.to_pylist()))
    return float(finite.min()) if is_close and spread > 0 else None


def _numbers(values: Any) -> NDArray[np.float64]:
    return np.array(pc.cast(values, pa.float64(), safe=False).to_pandas(), np.float64)


def _date_format(distinct: Any) -> str | None:
    """The format that skrub finds in texts, if all are dates."""
    from skrub import ToDatetime

    texts = pd.Series(distinct.to_pandas().astype(object), name="dates").astype("str")
    to_datetime = ToDatetime()
    try:
        with catch_warnings(action="ignore"):
            dates = to_datetime.fit_transform(texts)
    except ValueError:  # skrub refuses the column
        return None
    return None if dates.isna().any() else str(to_datetime.format_)


def _warn_of_infinity(name: str, values: Any, console: Console) -> None:
    if is_string(values.type):
        infinite = pc.match_substring_regex(pc.utf8_lower(values), r"^[+-]?inf(inity)?$")
    elif pa.types.is_floating(values.type):
        infinite = pc.greater(pc.abs(values), LARGEST)
    else:
        return
    if n := pc.sum(infinite).as_py():
        console.note(
            f"Column {name!r} has {counted(n, 'infinite or immense value')}, taken as missing."
        )


def _warn_of_identifier(column: Column, values: Any, console: Console) -> None:
    """An identifier says nothing about other rows, or in a sorted table far too much."""
    n = len(values)
    if n < MIN_ROWS_OF_IDENTIFIER or values.null_count or len(pc.unique(values)) < n:
        if isinstance(column.offset, int) and abs(column.offset) >= EXACT_WHOLE:
            console.note(
                f"Column {column.name!r} has whole numbers of {len(str(abs(column.offset)))} "
                "digits, as identifiers have; they count by their differences. If it only "
                f"identifies rows, leave it out with --drop {column.name!r}."
            )
        return
    if column.kind == NUMBER and _are_whole(values):
        what = "whole number"
    elif column.kind == TEXT:
        what = "text"
    else:
        return
    console.note(
        f"Column {column.name!r} has a different {what} in every row: if it only identifies rows, "
        f"leave it out with --drop {column.name!r}."
    )


def _are_whole(values: Any) -> bool:
    if is_string(values.type):
        return bool(pc.all(pc.match_substring_regex(values, WHOLE)).as_py())
    return bool(pa.types.is_integer(values.type))
