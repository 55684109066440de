"""Determining the kind of every column of a training table, and which columns are of no use."""

from __future__ import annotations

from typing import Any
from warnings import catch_warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from dcsvm.cli.columns import (
    BOOLEAN,
    DATE,
    LARGEST,
    NUMBER,
    TEXT,
    Column,
    ValueRules,
    is_number,
    is_string,
    parse_numbers,
)
from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.wording import counted, listed

# A code such as 007 is no number: as one it would lose its zeros.
CODE = r"^[+-]?0[0-9]"
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
        return Column(name, NUMBER)
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
        if _are_numbers(name, distinct, rules, console):
            _warn_of_infinity(name, values, console)
            return Column(name, NUMBER)
    date_format = _date_format(distinct)
    return Column(name, DATE, date_format) if date_format else Column(name, TEXT)


def _are_numbers(name: str, distinct: Any, rules: ValueRules, console: Console) -> bool:
    if pc.any(pc.match_substring_regex(distinct, CODE)).as_py():
        return False
    is_number = ~np.isnan(parse_numbers(distinct, rules.decimal_comma))
    if is_number.all():
        return True
    if is_number.mean() < MOSTLY:
        return False
    others = listed(distinct.filter(pa.array(~is_number)).to_pylist())
    if rules.coerce:
        console.note(f"Column {name!r} has numbers; {others} counts as missing.")
    else:
        console.note(
            f"Column {name!r} has numbers, but also {others}, so that it counts as text: add "
            "--coerce to take such values as missing."
        )
    return rules.coerce


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
        return bool(pc.all(pc.match_substring_regex(values, r"^-?\d+$")).as_py())
    return bool(pa.types.is_integer(values.type))
