"""Numbers, texts and names as C."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

LINE = 96
C_TYPES = {
    "float32": "float",
    "float64": "double",
    "int8": "int8_t",
    "int16": "int16_t",
    "uint8": "uint8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
}
# Words of C and C++ that a name must not be.
RESERVED = frozenset(
    """
    alignas alignof and asm auto bitand bitor bool break case catch char class compl const
    constexpr continue decltype default delete do double else enum explicit export extern
    false float for friend goto if inline int long main mutable namespace new noexcept not
    nullptr operator or private protected public register reinterpret restrict return short
    signed sizeof static struct switch template this throw true try typedef typeid typename
    union unsigned using virtual void volatile wchar_t while xor
    """.split()  # noqa: SIM905
)


def identifier(text: str) -> str:
    """A name for C that is as near as can be to a text."""
    name = re.sub(r"[^0-9A-Za-z]+", "_", text).strip("_")
    if not name:
        return "model"
    return f"model_{name}" if name[0].isdigit() or name in RESERVED else name


def string(text: str) -> str:
    """A string literal; what is not plain ASCII becomes bytes of UTF-8."""
    parts = []
    for byte in text.encode("utf-8", "surrogatepass"):
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        parts.append(chr(byte) if plain else f"\\{byte:03o}")
    return '"' + "".join(parts) + '"'


def number(value: Any, c_type: str = "double") -> str:
    """A literal; in single precision with the suffix."""
    if c_type == "float":
        digits = str(np.float32(value))
        return f"{digits if any(c in digits for c in '.e') else digits + '.0'}F"
    digits = repr(float(value))
    return digits


def table(name: str, values: NDArray[Any]) -> str:
    """A constant table."""
    c_type = C_TYPES[values.dtype.name]
    flat = np.ravel(values)
    texts = (
        [text.removesuffix(".0") for text in map(str, flat)]
        if flat.dtype.kind == "f"
        else list(map(str, flat.tolist()))
    )
    return (
        f"static const {c_type} {name}[{max(1, len(flat))}] = {{\n{_lines(texts or ['0'])}\n}};\n"
    )


def texts(name: str, values: list[str]) -> str:
    """A constant table of texts that other files may use."""
    lines = ",\n".join(f"  {string(value)}" for value in values)
    return f"const char *const {name}[{len(values)}] = {{\n{lines}\n}};\n"


def _lines(numbers: list[str]) -> str:
    lines: list[str] = []
    line: list[str] = []
    length = 0
    for text in numbers:
        if length + len(text) + 1 > LINE:
            lines.append(",".join(line))
            line, length = [], 0
        line.append(text)
        length += len(text) + 1
    lines.append(",".join(line))
    return ",\n".join(lines)
