"""Numbers, texts and names as C."""

import re

import numpy as np

from dcsvm.export.c_tables import RESERVED, identifier, number, string, table


def test_identifiers():
    assert identifier("iris") == "iris"
    assert identifier("7 days/ü") == "model_7_days"
    assert identifier("for") == "model_for"
    assert identifier("…") == "model"
    assert {"while", "namespace", "int"} <= RESERVED


def test_strings_are_read_back():
    text = 'a"b\\c??/\n\tä😀1'
    literal = string(text)
    assert literal.isascii()
    assert "?" not in literal.replace("\\077", "")
    body = re.sub(r"\\(\d{3})", lambda m: chr(int(m[1], 8)), literal[1:-1])
    assert body.encode("latin-1").decode() == text


def test_numbers_are_read_back():
    values = np.concatenate([np.random.default_rng(0).normal(size=2000), [0, 1e-40, 3.4e38, -2]])
    for real in (np.float32, np.float64):
        written = table("t", values.astype(real))
        body = written[written.index("{") + 1 : written.index("}")]
        read = np.array([float(n) for n in body.replace("\n", "").split(",")])
        assert (read.astype(real) == values.astype(real)).all()
    assert float(number(0.1)) == 0.1
    assert number(2.0, "float") == "2.0F"


def test_tables_have_short_lines_and_their_type():
    written = table("t", np.arange(3000, dtype=np.uint16))
    assert written.startswith("static const uint16_t t[3000] = {")
    assert max(map(len, written.splitlines())) <= 100
    assert table("nothing", np.empty(0, dtype=np.float32)).startswith(
        "static const float nothing[1]"
    )
