"""Finding out what the columns of a table mean, and which are of no use."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from dcsvm.cli.columns import (
    BOOLEAN,
    CODE,
    DATE,
    HIGHEST,
    MOSTLY,
    NUMBER,
    TEXT,
    Column,
    Reading,
    is_number,
    is_string,
    parse_numbers,
)
from dcsvm.cli.errors import UserError, counted, listed
from dcsvm.cli.messages import Messages


def infer_columns(
    table: pa.Table, names: list[str], reading: Reading, messages: Messages
) -> list[Column]:
    """The columns of use, with what they mean; the others are named in a note."""
    found, constant, empty = [], [], []
    for name in names:
        values = reading.clean(table.column(name))
        if values.null_count == len(values):
            empty.append(name)
            continue
        column = infer(name, values, reading, messages)
        if len(values) > 1 and _is_constant(values):
            constant.append(name)
            continue
        found.append(column)
        _warn_of_numbering(column, values, messages)
    if empty:
        messages.note(f"{_columns(empty)} no values and is left out.")
    if constant:
        messages.note(f"{_columns(constant)} the same value in every row and is left out.")
    if not found:
        raise UserError("There is no column to learn from: all are empty or constant.")
    return found


def infer(name: str, values: Any, reading: Reading, messages: Messages) -> Column:
    """What one column means."""
    kind = values.type
    if pa.types.is_boolean(kind):
        return Column(name, BOOLEAN)
    if is_number(kind):
        _warn_of_infinity(name, values, messages)
        return Column(name, NUMBER)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return Column(name, DATE)
    if not is_string(kind):
        raise UserError(
            f"Column {name!r} is of type {kind}, from which nothing can be learnt: leave it out "
            f"with --drop {name!r}."
        )
    distinct = pc.drop_null(pc.unique(values))
    if reading.is_text:
        if len(distinct) <= 6 and set(pc.utf8_lower(distinct).to_pylist()) <= {"true", "false"}:
            return Column(name, BOOLEAN)
        if _are_numbers(name, distinct, reading, messages):
            _warn_of_infinity(name, values, messages)
            return Column(name, NUMBER)
    date_format = _date_format(distinct)
    if date_format is not None:
        return Column(name, DATE, date_format)
    return Column(name, TEXT)


def _are_numbers(name: str, distinct: Any, reading: Reading, messages: Messages) -> bool:
    if pc.any(pc.match_substring_regex(distinct, CODE)).as_py():
        return False
    is_number = ~np.isnan(parse_numbers(distinct, reading.decimal_comma))
    if is_number.all():
        return True
    if is_number.mean() < MOSTLY:
        return False
    odd = distinct.filter(pa.array(~is_number)).to_pylist()
    if reading.coerce:
        messages.note(f"Column {name!r} has numbers; {listed(odd)} counts as missing.")
        return True
    messages.note(
        f"Column {name!r} has numbers, but also {listed(odd)}, so that it counts as text: add "
        "--coerce to take such values as missing."
    )
    return False


def _date_format(distinct: Any) -> str | None:
    """The format that skrub finds in texts, if all are dates."""
    from skrub import ToDatetime

    texts = pd.Series(distinct.to_pandas().astype(object), name="dates").astype("str")
    to_datetime = ToDatetime()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            dates = to_datetime.fit_transform(texts)
        except ValueError:  # skrub refuses the column
            return None
    return None if dates.isna().any() else str(to_datetime.format_)


def _is_constant(values: Any) -> bool:
    """Whether a column tells rows apart by nothing, not even by where it is missing."""
    return values.null_count == 0 and len(pc.unique(values)) == 1


def _warn_of_infinity(name: str, values: Any, messages: Messages) -> None:
    if is_string(values.type):
        lower = pc.utf8_lower(values)
        n = pc.sum(pc.match_substring_regex(lower, r"^[+-]?inf(inity)?$")).as_py() or 0
    elif pa.types.is_floating(values.type):
        n = pc.sum(pc.greater(pc.abs(values), HIGHEST)).as_py() or 0
    else:
        return
    if n:
        messages.note(
            f"Column {name!r} has {counted(n, 'infinite or immense value')}, taken as missing."
        )


def _warn_of_numbering(column: Column, values: Any, messages: Messages) -> None:
    """A number of its own for each row says nothing about another row, or far too much."""
    if len(values) < 20 or values.null_count or len(pc.unique(values)) < len(values):
        return
    if column.kind == TEXT:
        what = "text"
    elif column.kind == NUMBER and _are_whole(values):
        what = "whole number"
    else:
        return
    messages.note(
        f"Column {column.name!r} has another {what} in every row: if it only tells rows apart, "
        f"leave it out with --drop {column.name!r}."
    )


def _are_whole(values: Any) -> bool:
    if is_string(values.type):
        return bool(pc.all(pc.match_substring_regex(values, r"^-?\d+$")).as_py())
    return bool(pa.types.is_integer(values.type))


def _columns(names: list[str]) -> str:
    return f"{'Column' if len(names) == 1 else 'Each of the columns'} {listed(names)} has"
