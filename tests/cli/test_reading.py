"""Tables in every format come to the same; what is no table is refused."""

import gzip

import pandas as pd
import pyarrow as pa
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from tests.cli.cli_tools import (
    colourful_flowers,
    fine,
    flowers,
    mistake,
    write_arff,
)

from dcsvm import DCSVC

FRAME = flowers()


NEW = flowers(40, seed=1).drop(columns="kind")


COLOURFUL = colourful_flowers()


NEW_COLOURFUL = colourful_flowers(40, seed=1).drop(columns="kind")


def write_sparse_arff(frame, path):
    write_arff(frame, path)
    head, _, body = path.read_text().partition("@DATA\n")
    rows = []
    for line in body.splitlines():
        if line.startswith("%") or not line:
            continue
        values = line.split(",")
        rows.append("{" + ", ".join(f"{i} {v}" for i, v in enumerate(values)) + "}")
    path.write_text(head + "@DATA\n" + "\n".join(rows) + "\n")


def zstd(content):
    return pa.compress(content, "zstd", asbytes=True)


def european(frame, path):
    frame.to_csv(path, sep=";", decimal=",", index=False)


WRITERS = {
    "a.csv": lambda f, p: f.to_csv(p, index=False),
    "b.tsv": lambda f, p: f.to_csv(p, sep="\t", index=False),
    "c.csv.gz": lambda f, p: p.write_bytes(gzip.compress(f.to_csv(index=False).encode())),
    "c.csv.zst": lambda f, p: p.write_bytes(zstd(f.to_csv(index=False).encode())),
    "d.parquet": lambda f, p: f.to_parquet(p),
    "d.feather": lambda f, p: f.to_feather(p),
    "d.xlsx": lambda f, p: f.to_excel(p, index=False),
    "d.jsonl": lambda f, p: f.to_json(p, orient="records", lines=True),
    "d.jsonl.gz": lambda f, p: f.to_json(p, orient="records", lines=True, compression="gzip"),
    "e.arff": write_arff,
    "f.arff": write_sparse_arff,
    "g.csv": european,
    "h.csv": lambda f, p: f.to_csv(p, index=False, encoding="utf-8-sig"),
    "i.csv": lambda f, p: f.to_csv(p, index=False, encoding="utf-16"),
    "j.csv": lambda f, p: f.to_csv(p, sep="|", index=False, quoting=1, lineterminator="\r\n"),
}


WITH_TEXTS = ["e.arff", "f.arff"]


def expected_of(frame, new):
    """Of a classifier and what scikit-learn has for its columns."""
    texts = [name for name in new if name == "colour"]
    numbers = ["sepal", "petal"]
    columns = make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(), texts))
    pipeline = make_pipeline(columns, DCSVC()).fit(frame, frame["kind"])
    return pipeline[-1].predict_with_decisions(pipeline[:-1].transform(new))


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_predictions(tmp_path, name):
    frame, new = (COLOURFUL, NEW_COLOURFUL) if name in WITH_TEXTS else (FRAME, NEW)
    labels, decisions = expected_of(frame, new)
    assert len(set(labels)) == 3
    WRITERS[name](frame, tmp_path / name)
    WRITERS[name](new, tmp_path / f"new_{name}")
    new.to_csv(tmp_path / "new.csv", index=False)
    fine("fit", tmp_path / name, "-t", "kind", "-o", tmp_path / "m", "--test-size", "0")
    for table in (f"new_{name}", "new.csv"):  # a model predicts tables in any format
        fine("predict", tmp_path / "m", tmp_path / table, "-o", tmp_path / "out.parquet")
        out = pd.read_parquet(tmp_path / "out.parquet")
        assert out["predicted_kind"].tolist() == labels.tolist()
        assert out["decisions"].tolist() == decisions.tolist()
        assert out["sepal"].tolist() == new["sepal"].tolist()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b" \n\n", "is empty"),
        ("a.csv", b"x,kind\n", "no rows"),
        ("a.csv", b"PAR1....", "--format parquet"),
        ("a.csv", b"PK\x03\x04....", "Excel"),
        ("a.csv", b"a\0b,kind\n1,2\n", "no text"),
        ("a.csv", b"x,x,kind\n1,2,a\n", "more than one column named 'x'"),
        ("a.csv", b"x,kind\n1,a\n1,2,b\n", "ends in line 3 has 3 fields where the header has 2"),
        ("a.csv", b'x,kind\n1,a\n2,"b\n3,a\n4,b\n', "begins in line 3 has a quote that is never"),
        ("a.csv.gz", b"\x1f\x8b\x08\x00garbage", "unpacked"),
        ("a.csv.gz", b"x,kind\n1,a\n", "unpacked"),
        ("a.parquet", b"x,kind\n1,a\n", "not a Parquet file"),
        ("a.csv.zst", b"x,kind\n1,a\n", "unpacked"),
        ("a.csv", b"ARROW1....", "--format feather"),
        ("a.feather", b"x,kind\n1,a\n", "not a Feather file"),
        ("a.xlsx", b"x,kind\n1,a\n", "not an Excel workbook"),
        ("a.xlsx.gz", b"x", "compressed by itself"),
        ("a.jsonl", b'{"x": 1}\n{"x": 2\n', "line 2 is not valid JSON"),
        ("a.jsonl", b'{"x": 1}\n\n3\n', "line 3 is no object"),
        ("a.jsonl", b'[{"x": 1}]\n', "one JSON array"),
        ("a.jsonl", b'{"x": 1, "kind": "a"}\n{"x": [2], "kind": "b"}\n', "JSON lines"),
        ("a.arff", b"x,kind\n1,a\n", "not valid ARFF"),
        ("a.arff", b"@RELATION r\n@ATTRIBUTE x REAL\n@ATTRIBUTE kind {a,b}\n@DATA\n1,c\n", "ARFF"),
        ("a.arff", b"@RELATION r\n@ATTRIBUTE x REAL\n@ATTRIBUTE kind {a}\n@DATA\n", "no rows"),
        ("a.svm", b"x,kind\n1,a\n", "not in the svmlight format"),
        ("a.data", b"x,kind\n1,a\n", "add --format"),
        ("a.parquet.gz", b"x", "compressed by itself"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    text = mistake("fit", tmp_path / name, "-t", "kind", "-o", tmp_path / "m")
    assert said in text
    assert not (tmp_path / "m").exists()


def test_a_table_without_names(tmp_path):
    FRAME.to_csv(tmp_path / "bare.csv", index=False, header=False)
    FRAME.to_excel(tmp_path / "bare.xlsx", index=False, header=False)
    FRAME.to_csv(tmp_path / "named.csv", index=False)
    options = ("--test-size", "0", "--no-header", "-t", "column_3")
    for name in ("bare.csv", "bare.xlsx"):
        fine("fit", tmp_path / name, *options, "-o", tmp_path / "m")
        out = fine("predict", tmp_path / "m", tmp_path / name, "--no-header", "--labels-only").out
        fine("fit", tmp_path / "named.csv", "-t", "kind", "--test-size", "0", "-o", tmp_path / "n")
        named = fine("predict", tmp_path / "n", tmp_path / "named.csv", "--labels-only").out
        assert out.splitlines()[1:] == named.splitlines()[1:]
    text = mistake("predict", tmp_path / "m", tmp_path / "named.csv")
    assert "--no-header" in text
    FRAME.to_parquet(tmp_path / "a.parquet")
    assert "--no-header" in mistake("fit", tmp_path / "a.parquet", *options, "-o", tmp_path / "m")


@pytest.mark.parametrize(
    "name", ["a.csv", "c.csv.gz", "c.csv.zst", "d.parquet", "d.xlsx", "d.jsonl"]
)
def test_the_standard_input_is_any_table(tmp_path, name):
    WRITERS[name](FRAME, tmp_path / name)
    content = (tmp_path / name).read_bytes()
    fine("fit", "-", "-t", "kind", "-o", tmp_path / "m", "--test-size", "0", stdin=content)
    by_file = fine("predict", tmp_path / "m", tmp_path / name)
    by_input = fine("predict", tmp_path / "m", "-", "-o", "-", stdin=content)
    assert by_input.out == by_file.out
    assert "predicted_kind" in by_input.out


def test_messages_name_the_standard_input(tmp_path):
    words = ("fit", "-", "-t", "kind", "-o", tmp_path / "m")
    assert "the standard input is empty" in mistake(*words, stdin=b"")
    assert "the standard input has a header but no rows" in mistake(*words, stdin=b"x,kind\n")
