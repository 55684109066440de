"""Numbers as people write them: with thousands, a currency or a per cent sign.

A text is explicit where it has two marks (1,234.50) or one of them twice (1,234,567). One comma
before three digits is not: 1,234 is a number with thousands in one table and with decimals in
another. The format of a column, found once by all its values, decides there.
"""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


class NumberFormat(StrEnum):
    """What commas and points mean where a text alone does not show it."""

    POINT = "1,234.5"  # 1,234 is 1234
    COMMA = "1,5"  # 1,234 and 1.234 are both near 1
    COMMA_AND_GROUPS = "1.234,5"  # 1.234 is 1234


CODES = (
    "AED|ARS|AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|IDR|ILS|INR|JPY|KRW|MXN|MYR|NOK|NZD|PHP|"
    "PLN|RMB|RON|RUB|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR"
)
UNIT = rf"(?:\p{{Sc}}|[A-Z]{{1,3}}\p{{Sc}}|{CODES})"
SIGN = "[+−–-]"
BLANKS = r" \x{00a0}\x{2009}\x{202f}"
# What can surround the digits of a number.
WRITTEN = (
    rf"^(?P<open>\(?)(?P<sign>{SIGN}?)[{BLANKS}]*(?P<before>{UNIT}?)[{BLANKS}]*(?P<sign_after>{SIGN}?)"
    rf"(?P<digits>[0-9.,][0-9.,'’{BLANKS}]*?)"
    rf"[{BLANKS}]*(?P<per_cent>%?)(?P<after>{UNIT}?)(?P<minus>-?)(?P<close>\)?)$"
)
# Groups of three digits that blanks or apostrophes divide; blanks need decimals or a unit beside.
QUOTED_GROUPS = r"^[0-9]{1,3}(?:['’\x{00a0}\x{2009}\x{202f}][0-9]{3})+(?:[.,][0-9]*)?$"
BLANK_GROUPS = r"^[0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]*)?$"
# Explicit ones: thousands by commas (in India, hundreds of thousands too), or by points.
COMMA_GROUPS = (
    r"^(?:[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]*|[0-9]{1,3}(?:,[0-9]{3}){2,}"
    r"|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]*)?)$"
)
POINT_GROUPS = r"^(?:[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]*|[0-9]{1,3}(?:\.[0-9]{3}){2,})$"
EITHER_COMMA = r"^[1-9][0-9]{0,2},[0-9]{3}$"
EITHER_POINT = r"^[1-9][0-9]{0,2}\.[0-9]{3}$"
DECIMAL_COMMA = r"^[0-9]*,[0-9]+$"
DECIMAL_POINT = r"^(?:[0-9]+\.?[0-9]*|\.[0-9]+)$"


def parse_numbers(texts: Any, format: NumberFormat) -> NDArray[np.float64]:
    """Texts as numbers; NaN where a text is not a number. 12.3 % is 0.123."""
    if format is not NumberFormat.COMMA_AND_GROUPS:
        with suppress(pa.ArrowInvalid):
            return _floats(pc.cast(texts, pa.float64()))
    texts = pc.cast(texts, pa.string())
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    plain = pd.to_numeric(texts.to_pandas().astype(object), errors="coerce")
    numbers: NDArray[np.float64] = np.array(plain, np.float64)
    written = np.isnan(numbers) & ~_flags(pc.is_null(texts))
    if format is NumberFormat.COMMA_AND_GROUPS:
        written |= _flags(pc.match_substring_regex(texts, EITHER_POINT))
    if written.any():
        numbers[written] = _parse_written(texts.filter(pa.array(written)), format)
    return numbers


def find_format(texts: Any) -> NumberFormat | None:
    """The format that the distinct values of a column show, if they show one."""
    digits = _parts(texts)["digits"]

    def some(pattern: str) -> bool:
        return bool(pc.any(pc.match_substring_regex(digits, pattern)).as_py())

    by_commas, by_points = some(COMMA_GROUPS), some(POINT_GROUPS)
    if by_commas or by_points:
        if by_commas and by_points:
            return None
        return NumberFormat.POINT if by_commas else NumberFormat.COMMA_AND_GROUPS
    either = pc.match_substring_regex(digits, EITHER_COMMA)
    if pc.any(pc.and_not(pc.match_substring_regex(digits, DECIMAL_COMMA), either)).as_py():
        return NumberFormat.COMMA
    # 1,234 beside 999 or 12.5 has thousands; decimals would not be left out of some.
    if pc.any(either).as_py() and (some(r"^[0-9]{1,3}$") or some(r"\.")):
        return None if some(r"^[0-9]{4,}$") else NumberFormat.POINT
    return None


def units(texts: Any) -> list[str]:
    """The currencies in texts, and the per cent sign."""
    parts = _parts(texts)
    found = {
        str(unit)
        for name in ("before", "after", "per_cent")
        for unit in pc.unique(parts[name]).to_pylist()
    }
    return sorted(found - {"", "None"})


def _parts(texts: Any) -> dict[str, Any]:
    """Texts divided as in `WRITTEN`, null where one is not written as a number.

    Blanks and apostrophes between groups of digits are taken out.
    """
    found = pc.extract_regex(pc.cast(texts, pa.string()), WRITTEN)
    if isinstance(found, pa.ChunkedArray):
        found = found.combine_chunks()
    parts = {field.name: pc.struct_field(found, [field.name]) for field in found.type}
    digits = parts["digits"]
    has_unit = pc.or_(*(pc.not_equal(parts[name], "") for name in ("before", "after")))
    blanks = pc.and_(
        pc.match_substring_regex(digits, BLANK_GROUPS),
        pc.or_(has_unit, pc.match_substring_regex(digits, "[.,]")),
    )
    divided = pc.or_(blanks, pc.match_substring_regex(digits, QUOTED_GROUPS))
    whole = pc.replace_substring_regex(digits, "[^0-9.,]", "")
    return {**parts, "digits": pc.if_else(divided, whole, digits)}


def _parse_written(texts: Any, format: NumberFormat) -> NDArray[np.float64]:
    parts = _parts(texts)
    numbers = _floats(pc.cast(_with_point(parts["digits"], format), pa.float64()))
    opened, closed = (_flags(pc.not_equal(parts[name], "")) for name in ("open", "close"))
    signs = [
        _flags(pc.is_in(parts[n], pa.array([*"−–-"]))) for n in ("sign", "sign_after", "minus")
    ]
    n_signs = np.sum([*signs, opened], axis=0)
    numbers[(opened != closed) | (n_signs > 1)] = np.nan
    both_units = pc.and_(pc.not_equal(parts["before"], ""), pc.not_equal(parts["after"], ""))
    numbers[_flags(both_units)] = np.nan
    numbers = np.where(_flags(pc.equal(parts["per_cent"], "%")), numbers / 100, numbers)
    return np.where(n_signs == 1, -numbers, numbers)


def _with_point(digits: Any, format: NumberFormat) -> Any:
    """Digits with a point before the decimals and no other mark, null where that cannot be."""
    without_commas = pc.replace_substring(digits, ",", "")
    without_points = pc.replace_substring(pc.replace_substring(digits, ".", ""), ",", ".")
    comma_as_point = pc.replace_substring(digits, ",", ".")
    is_comma = format is not NumberFormat.POINT
    cases = [
        (COMMA_GROUPS, without_commas),
        (POINT_GROUPS, without_points),
        (EITHER_COMMA, comma_as_point if is_comma else without_commas),
    ]
    if is_comma:
        cases.append((DECIMAL_COMMA, comma_as_point))
    if format is NumberFormat.COMMA_AND_GROUPS:
        cases.append((EITHER_POINT, without_points))
    cases.append((DECIMAL_POINT, digits))
    found = pa.nulls(len(digits), pa.string())
    for pattern, value in reversed(cases):
        found = pc.if_else(pc.match_substring_regex(digits, pattern), value, found)
    return found


def _floats(values: Any) -> NDArray[np.float64]:
    return np.array(values.to_pandas(), dtype=np.float64)


def _flags(values: Any) -> NDArray[np.bool_]:
    return np.array(pc.fill_null(values, False).to_pandas(), dtype=bool)
