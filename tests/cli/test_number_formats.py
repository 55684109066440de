"""Numbers as people write them."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.cli.cli_tools import fine

from dcsvm.cli.number_formats import NumberFormat, find_format, parse_numbers

POINT, COMMA, GROUPS = NumberFormat.POINT, NumberFormat.COMMA, NumberFormat.COMMA_AND_GROUPS
nan = np.nan


@pytest.mark.parametrize(
    ("text", "point", "comma", "groups"),
    [
        ("€1,234.50", 1234.5, 1234.5, 1234.5),
        ("1.234.567,8", 1234567.8, 1234567.8, 1234567.8),
        ("12.3%", 0.123, 0.123, 0.123),
        ("12,3 %", nan, 0.123, 0.123),
        ("1,234", 1234, 1.234, 1.234),
        ("1.234", 1.234, 1.234, 1234),
        ("1,5", nan, 1.5, 1.5),
        ("12,34,567", 1234567, 1234567, 1234567),
        ("1'234.50", 1234.5, 1234.5, 1234.5),
        ("1\u202f234", 1234, 1234, 1234),
        ("1 234,50 €", nan, 1234.5, 1234.5),
        ("12 345", nan, nan, nan),  # it may be a code
        ("$ 1 000", 1000, 1000, 1000),
        ("(1,234.50)", -1234.5, -1234.5, -1234.5),
        ("-$5", -5, -5, -5),
        ("$-5", -5, -5, -5),
        ("−3.5", -3.5, -3.5, -3.5),
        ("5-", -5, -5, -5),
        ("US$5", 5, 5, 5),
        ("EUR 5.5", 5.5, 5.5, 5.5),
        ("1e3", 1000, 1000, 1000),
        *((text, nan, nan, nan) for text in ("$5€", "--5", "(-5)", "(5", ",", "$", "%", "5 kg")),
        *((text, nan, nan, nan) for text in ("1,23,4", "1_000", "1.2.3", "0x10", "", "1,2345.6")),
    ],
)
def test_a_text_in_each_format(text, point, comma, groups):
    for format, expected in ((POINT, point), (COMMA, comma), (GROUPS, groups)):
        found = parse_numbers(pa.array([text, None]), format)
        assert found == pytest.approx([expected, nan], nan_ok=True), format


@pytest.mark.parametrize(
    ("texts", "format"),
    [
        (["€1,234.50", "2"], POINT),
        (["1,234,567"], POINT),
        (["1.234,50", "12"], GROUPS),
        (["1,5", "2"], COMMA),
        (["1,234", "2,5"], COMMA),
        (["1,234", "999"], POINT),
        (["1,234", "0.5"], POINT),
        (["1,234", "5,678"], None),
        (["1,234.5", "1.234,5"], None),
        (["1,234", "12345", "12"], None),
        (["1", "2.5"], None),
        (["red"], None),
    ],
)
def test_the_format_of_a_column(texts, format):
    assert find_format(pa.chunked_array([texts])) == format


def test_written_numbers_are_the_numbers(tmp_path):
    """Every way to write the same table gives the same predictions, and the same accuracy."""
    rng = np.random.default_rng(0)
    kind = np.arange(300) % 3
    price = (1000 * kind + rng.integers(0, 1200, 300) + 800.5).round(2)
    share = (kind % 2 * 0.3 + rng.random(300) * 0.4).round(3)
    numbers = pd.DataFrame({"price": price, "share": share, "kind": kind})
    written = {
        "us.csv": [f"€{p:,.2f}" for p in price],
        "plain.csv": [f"{p:,.2f}" for p in price],
        "eu.csv": [f"{p:,.2f} EUR".translate(str.maketrans(",.", ".,")) for p in price],
    }
    numbers.to_csv(tmp_path / "numbers.csv", index=False)
    words = ("-t", "kind", "-o", tmp_path / "m", "--json")
    expected = fine("fit", tmp_path / "numbers.csv", *words).document["figures"]
    out = tmp_path / "out.csv"
    for name, texts in written.items():
        frame = numbers.assign(price=texts, share=[f"{100 * s:.1f}%" for s in share])
        frame.to_csv(tmp_path / name, index=False, sep=";" if name == "eu.csv" else ",")
        document = fine("fit", tmp_path / name, *words).document
        assert [c["kind"] for c in document["columns"]] == ["number", "number"]
        assert document["figures"] == pytest.approx(expected)
        fine("predict", tmp_path / "m", tmp_path / "numbers.csv", "-o", out, "--labels-only")
        labels = pd.read_csv(out)["predicted_kind"]
        fine("predict", tmp_path / "m", tmp_path / name, "-o", out, "--labels-only")
        assert pd.read_csv(out)["predicted_kind"].equals(labels)


def test_amounts_in_several_currencies_are_noted(tmp_path):
    rows = "\n".join(f"{'€' if i % 3 else '$'}{i % 17}.50,{i % 2}" for i in range(40))
    (tmp_path / "a.csv").write_text(f"price,kind\n{rows}\n")
    outcome = fine("fit", tmp_path / "a.csv", "-t", "kind", "-o", tmp_path / "m")
    assert "Column 'price' has amounts in '$' and '€'" in outcome.err
