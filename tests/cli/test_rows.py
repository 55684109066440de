"""The rows that a model is given."""

import io

import numpy as np
import pandas as pd
import pytest
from tests.cli.cli_tools import fine, mistake, new_rows

import dcsvm
import dcsvm.cli
from dcsvm.cli.console import Console
from dcsvm.cli.models import open_model
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.rows import open_rows


def test_batches_change_nothing(folder, monkeypatch):
    frame = pd.concat([new_rows(), new_rows()[::-1]])
    frame.to_csv(folder / "b.csv", index=False)
    frame.to_parquet(folder / "b.parquet", index=False, row_group_size=40)
    at_once = fine("predict", folder / "m", folder / "b.csv").out
    for module, name, value in [
        ("parquet_tables", "MAX_ROWS_PER_BATCH", 17),
        ("delimited", "BLOCK_BYTES", 1024),
    ]:
        monkeypatch.setattr(f"dcsvm.cli.{module}.{name}", value)
    read = []
    transform = dcsvm.cli.predicting._Predictor.transform
    monkeypatch.setattr(
        "dcsvm.cli.predicting._Predictor.transform",
        lambda self, X: read.append(len(X)) or transform(self, X),
    )
    assert fine("predict", folder / "m", folder / "b.csv").out == at_once
    assert len(read) > 3
    read.clear()
    fine("predict", folder / "m", folder / "b.parquet", "-o", folder / "b_out.parquet")
    assert max(read) == 17
    assert sum(read) == 100
    out = pd.read_parquet(folder / "b_out.parquet")
    expected = pd.read_csv(io.StringIO(at_once))
    assert out["predicted_kind"].tolist() == expected["predicted_kind"].tolist()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f.drop(columns="petal"), "lacks the column 'petal'"),
        (lambda f: f.rename(columns={"petal": "Petals"}), "'petal' may be 'Petals'"),
        (lambda f: f.assign(sepal="wide"), "Column 'sepal' has numbers .* 'wide' in row 1 is not"),
        (lambda f: f.assign(day="01/02/2020"), "Column 'day' has dates .* '01/02/2020' in row 1"),
        (lambda f: f.assign(predicted_kind=1), "'predicted_kind' already: .*--label-name"),
        (lambda f: f.assign(decisions=1), "'decisions' already: .*--no-decisions"),
    ],
)
def test_tables_that_do_not_fit(folder, change, said):
    change(new_rows()).to_csv(folder / "g.csv", index=False)
    (folder / "g_out.csv").write_text("what was there before")
    text = mistake("predict", folder / "m", folder / "g.csv", "-o", folder / "g_out.csv")
    assert pd.Series([text]).str.contains(said).all(), text
    assert (folder / "g_out.csv").read_text() == "what was there before"
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_all_rows_are_those_of_the_batches(folder, monkeypatch, name):
    frame = new_rows().drop(columns="note")
    frame.loc[3, ["sepal", "colour"]] = None
    (frame.to_csv if name == "a.csv" else frame.to_parquet)(folder / name, index=False)
    monkeypatch.setattr("dcsvm.cli.parquet_tables.MAX_ROWS_PER_BATCH", 7)
    monkeypatch.setattr("dcsvm.cli.delimited.BLOCK_BYTES", 300)
    rows = open_rows(open_model(folder / "m"), folder / name, ReadingOptions(), Console())
    batches = list(rows.batches())
    assert len(batches) > 5
    X, labels, columns = rows.all()
    assert np.concatenate([batch.labels for batch in batches]).tolist() == labels.tolist()
    assert labels.tolist() == frame["kind"].tolist()
    assert columns.num_rows == len(X) == 50
    together = pd.concat([batch.X.astype({"colour": object}) for batch in batches])
    expected = X.astype({"colour": object})
    pd.testing.assert_frame_equal(together.reset_index(drop=True), expected)
    assert X["petal"].tolist() == frame["petal"].tolist()
    assert X["day"].astype(str).tolist() == frame["day"].tolist()


def test_tables_and_sparse_rows_are_told_apart(folder):
    (folder / "a.svm").write_text("1 1:2\n")
    assert "svmlight" in mistake("predict", folder / "m", folder / "a.svm")
