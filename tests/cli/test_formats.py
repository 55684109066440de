"""Tables in every format come to the same; what is no table is refused."""

import gzip

import arff
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import dump_svmlight_file, load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler
from tests.cli.cli_tools import colourful_flowers, fine, flowers, mistake

from dcsvm import DCSVC
from dcsvm.cli.delimited import guess_delimiter, guess_encoding

FRAME = flowers()
NEW = flowers(40, seed=1).drop(columns="kind")
COLOURFUL = colourful_flowers()
NEW_COLOURFUL = colourful_flowers(40, seed=1).drop(columns="kind")


def write_arff(frame, path):
    nominal = {"colour": ["red", "blue", "white"], "kind": sorted(set(FRAME["kind"]))}
    attributes = [(name, nominal.get(name, "REAL")) for name in frame]
    rows = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    path.write_text(arff.dumps({"relation": "r", "attributes": attributes, "data": rows}))


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


def european(frame, path):
    frame.to_csv(path, sep=";", decimal=",", index=False)


WRITERS = {
    "a.csv": lambda f, p: f.to_csv(p, index=False),
    "b.tsv": lambda f, p: f.to_csv(p, sep="\t", index=False),
    "c.csv.gz": lambda f, p: p.write_bytes(gzip.compress(f.to_csv(index=False).encode())),
    "d.parquet": lambda f, p: f.to_parquet(p),
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


def test_numbers_are_those_of_a_pipeline_by_hand(tmp_path):
    X, y = load_digits(return_X_y=True)
    frame = pd.DataFrame(X[:, X.std(axis=0) > 0]).add_prefix("p").assign(digit=y)
    frame[:600].to_csv(tmp_path / "digits.csv", index=False)
    frame[600:900].to_parquet(tmp_path / "new.parquet")
    fine("fit", tmp_path / "digits.csv", "-t", "digit", "-o", tmp_path / "m", "--test-size", 0)
    outcome = fine(
        *("predict", tmp_path / "m", tmp_path / "new.parquet", "--json"),
        *("-o", tmp_path / "out.parquet"),
    )
    values = frame.drop(columns="digit").loc[:, frame[:600].nunique() > 1].to_numpy()
    by_hand = make_pipeline(StandardScaler(), DCSVC()).fit(values[:600], y[:600])
    expected = by_hand.predict(values[600:900])
    out = pd.read_parquet(tmp_path / "out.parquet")
    assert out["predicted_digit"].dtype == np.int64
    assert (out["predicted_digit"] == expected).mean() > 0.99  # texts and floats round otherwise
    assert outcome.document["accuracy"] == (out["predicted_digit"] == y[600:900]).mean()
    cost = by_hand[-1].decision_cost(by_hand[:-1].transform(values[600:900]))
    assert out["decisions"].mean() == pytest.approx(cost.decisions.mean(), rel=0.01)


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("name", ["digits.svmlight", "digits.libsvm.gz"])
def test_sparse_rows_stay_sparse(tmp_path, monkeypatch, name, zero_based):
    X, y = load_digits(return_X_y=True)
    X[0, 0] = 1.0  # so that the first feature occurs
    path, new = tmp_path / name, tmp_path / "new.svm"
    dump_svmlight_file(X[:400], y[:400], str(tmp_path / "plain"), zero_based=zero_based)
    text = (tmp_path / "plain").read_bytes()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    dump_svmlight_file(X[400:700, :60], y[400:700], str(new), zero_based=zero_based)
    monkeypatch.setattr("dcsvm.cli.sparse_tables.BLOCK_BYTES", 2000)
    outcome = fine("fit", path, "-o", tmp_path / "m", "--json")
    assert outcome.document["features"] == 64
    fine("predict", tmp_path / "m", new, "-o", tmp_path / "out.csv")
    expected = make_pipeline(MaxAbsScaler(), DCSVC()).fit(X[:400], y[:400])
    rows = np.hstack([X[400:700, :60], np.zeros((300, 4))])
    out = pd.read_csv(tmp_path / "out.csv")
    assert out.columns.tolist() == ["predicted_label", "decisions"]
    assert (out["predicted_label"] == expected.predict(rows)).mean() > 0.99
    text = mistake("predict", tmp_path / "m", _csv(tmp_path), "-o", tmp_path / "no.csv")
    assert "svmlight" in text
    dump_svmlight_file(np.ones((2, 99)), [1, 2], str(new), zero_based=zero_based)
    text = mistake("predict", tmp_path / "m", new, "-o", tmp_path / "no.csv")
    assert "64 features only" in text
    assert f"number {99 - zero_based}," in text


def _csv(folder):
    FRAME.to_csv(folder / "table.csv", index=False)
    return folder / "table.csv"


def test_text_in_another_encoding(tmp_path):
    frame = FRAME.assign(colour="größer")
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


def test_arff_with_dates_and_gaps(tmp_path):
    rows = [f"'2020-01-{d:02}',{'?' if d % 5 == 0 else d},{'ab'[d > 14]}" for d in range(1, 29)]
    head = "@relation r\n@attribute 'the day' DATE 'yyyy-MM-dd'\n@attribute n numeric\n"
    body = "@attribute kind {a,b}\n@data\n% a remark\n" + "\n".join(rows)
    (tmp_path / "a.arff").write_text(head + body)
    document = fine(
        "fit", tmp_path / "a.arff", "-t", "kind", "-o", tmp_path / "m", "--json"
    ).document
    assert document["columns"] == [
        {"name": "the day", "kind": "date", "date_format": "%Y-%m-%d"},
        {"name": "n", "kind": "number"},
    ]
