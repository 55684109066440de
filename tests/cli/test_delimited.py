"""CSV and TSV in every form."""

import csv

import numpy as np
import pandas as pd
import pytest
from tests.cli.cli_tools import fine, flowers, mistake

from dcsvm.cli.console import Console
from dcsvm.cli.delimited import guess_delimiter, guess_encoding
from dcsvm.cli.errors import UserError
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.reading import open_table


def test_text_in_another_encoding(tmp_path):
    frame = flowers().assign(colour="größer")
    frame.to_csv(tmp_path / "a.csv", index=False, encoding="latin-1")
    outcome = fine("fit", tmp_path / "a.csv", "-t", "kind", "-o", tmp_path / "m")
    assert "read as cp1252 (--encoding" in outcome.err
    out = fine("predict", tmp_path / "m", tmp_path / "a.csv").out
    assert "größer" in out
    text = mistake("fit", tmp_path / "a.csv", "-t", "kind", "-o", tmp_path / "m", "--encoding", "x")
    assert "no encoding 'x'" in text


def test_quotes_newlines_and_blanks_in_values(tmp_path):
    table = 'a, "b ""x""",kind\n1,"two\nlines",x\n2,"q,""r""",y\n\n3,"two\nlines",x\n4,s,y\n'
    (tmp_path / "a.csv").write_text(table)
    fine("fit", tmp_path / "a.csv", "-t", "kind", "-o", tmp_path / "m", "--test-size", 0)
    fine("predict", tmp_path / "m", tmp_path / "a.csv", "-o", tmp_path / "out.csv")
    out, original = pd.read_csv(tmp_path / "out.csv"), pd.read_csv(tmp_path / "a.csv")
    assert out.iloc[:, 1].str.strip().tolist() == original.iloc[:, 1].str.strip().tolist()
    assert out["predicted_kind"].tolist() == ["x", "y", "x", "y"]


def test_a_last_value_of_several_lines_is_sound(tmp_path):
    (tmp_path / "a.csv").write_text('x,kind\n1,a\n2,b\n1,a\n2,"b\nc"\n')
    fine("fit", tmp_path / "a.csv", "-t", "kind", "-o", tmp_path / "m", "--test-size", 0)


def test_delimiters_are_found_out():
    assert guess_delimiter("a;b;c\n1,5;2,5;3\n") == ";"
    assert guess_delimiter("a,b\n1,2\n3;4,5\n") == ","
    assert guess_delimiter('a|b\n"x,y,z,w"|2\n"x,y"|3\n') == "|"
    assert guess_delimiter("one column\nx\n") == ","
    assert guess_delimiter('a,b\n"x;y;z",1\n"x;y",2\n"x",3\n') == ","


def test_encodings_are_found_out():
    assert guess_encoding("grün €".encode()) == "utf-8"
    assert guess_encoding("grün €".encode()[:-1]) == "utf-8"  # cut within a character
    assert guess_encoding("grün".encode("latin-1") + b" and more") == "cp1252"
    assert guess_encoding(b"\x81 and more") == "latin-1"
    assert guess_encoding("a,b".encode("utf-16")) == "utf-16"


def opened(path, **options):
    return open_table(path, ReadingOptions(**options), Console(quiet=True))


def test_values_are_the_texts_of_the_file(tmp_path):
    rows = [["007", "1.50", " x "], ["1e3", "", "NA"], ["+5", "a,b", 'say "so"']]
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["p", "q", "r"], *rows])
    table = opened(tmp_path / "a.csv")
    assert table.names == ["p", "q", "r"]
    assert [list(row.values()) for row in table.read_all().to_pylist()] == rows


def test_line_ends_may_be_mixed(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a,b\r\n1,2\n3,4\r\n")
    assert opened(tmp_path / "a.csv").read_all().to_pydict() == {"a": ["1", "3"], "b": ["2", "4"]}


def test_a_wide_table(tmp_path):
    names = [f"c{i}" for i in range(20_000)]
    values = np.random.default_rng(0).random((30, len(names))).round(12)
    lines = [",".join(map(str, row)) for row in values.tolist()]
    (tmp_path / "a.csv").write_text("\n".join([",".join(names), *lines]))
    found = opened(tmp_path / "a.csv").read_all()
    assert found.column_names == names
    assert (found.to_pandas().astype(float).to_numpy() == values).all()


def test_blocks_change_nothing(tmp_path, monkeypatch):
    rows = [[str(i), "two\nlines" if i % 7 == 0 else "ä" * (i % 5)] for i in range(1000)]
    with (tmp_path / "a.csv").open("w", newline="", encoding="utf-16") as file:
        csv.writer(file).writerows([["i", "text"], *rows])
    monkeypatch.setattr("dcsvm.cli.delimited.BLOCK_BYTES", 300)
    batches = list(opened(tmp_path / "a.csv").batches())
    assert len(batches) > 10
    assert [list(row.values()) for batch in batches for row in batch.to_pylist()] == rows


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'a,b\n1,"x\ny"\n\n2,3,4\n', "ends in line 5 has 3 fields where the header has 2"),
        (b'a,b\n1,"x"y\n2,3,4\n', "ends in line 3 has 3 fields"),
        (b"a,b,c\n1,2,3\n1,2\n", "ends in line 3 has 2 fields where the header has 3"),
        (b"a,b\n" + b"1,2\n" * 9 + b'1,"2\n' + b"1,2\n" * 99999, "begins in line 11 has a quote"),
        (b"a,b\n" + b"1,2\n" * 2**20 + b"1,\xe4\n", "is not all UTF-8"),
    ],
)
def test_faulty_rows_are_named(tmp_path, content, said):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(UserError, match=said):
        opened(tmp_path / "a.csv").read_all()


def test_columns_without_a_name_get_one(tmp_path):
    (tmp_path / "a.csv").write_text("\n,x,\n1,2,3\n")
    table = opened(tmp_path / "a.csv")
    assert table.names == ["column_1", "x", "column_3"]
    assert "called 'column_1' and 'column_3'" in table.notes[0]
