"""`dcsvm predict` in batches, `inspect` and `report`."""

import io
import json
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cli.cli_tools import colourful_flowers, fine, mistake, run

import dcsvm
from dcsvm import DCSVC
from dcsvm.cli.models import load_model
from dcsvm.inspection import explain
from dcsvm.report import write_report


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("predict")
    frame = colourful_flowers(120).assign(day=pd.date_range("2020-02-01", periods=120).astype(str))
    frame.to_csv(path / "train.csv", index=False)
    fine("fit", path / "train.csv", "-t", "kind", "-o", path / "m")
    return path


@pytest.fixture(autouse=True)
def loaded_once(monkeypatch):
    """What a model file gives is not looked at here, and to read it takes a second."""
    monkeypatch.setattr("dcsvm.cli.models.load_model", read_once)


read_once = cache(load_model)


def new_rows(n=50):
    days = pd.date_range("2020-03-01", periods=n).astype(str)
    return colourful_flowers(n, seed=2).assign(day=days, note=[f"note, {i}" for i in range(n)])


def test_rows_are_kept_in_order_with_all_that_is_in_them(folder):
    frame = new_rows()
    frame.to_csv(folder / "new.csv", index=False)
    outcome = fine("predict", folder / "m", folder / "new.csv", "-o", folder / "out.csv")
    out = pd.read_csv(folder / "out.csv")
    pd.testing.assert_frame_equal(out[frame.columns], frame, check_dtype=False)
    assert out.columns[-2:].tolist() == ["predicted_kind", "decisions"]
    assert (out["predicted_kind"] == frame["kind"]).mean() > 0.9
    assert "does not use the column 'note'" in outcome.err
    assert (
        f"{100 * (out['predicted_kind'] == frame['kind']).mean():.2f} % of 50 rows" in outcome.err
    )


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


def test_types_are_kept(folder):
    frame = new_rows(10)
    table = pa.table(
        {
            "lists": [[i] for i in range(10)],
            "sepal": pa.array(frame["sepal"], pa.float32()),
            "petal": pa.array(frame["petal"]),
            "colour": pa.array(frame["colour"].tolist()).dictionary_encode(),
            "day": pa.array(pd.to_datetime(frame["day"]), pa.date32()),
            "when": pa.array(pd.to_datetime(frame["day"]), pa.timestamp("ms", "Europe/London")),
        }
    )
    parquet.write_table(table, folder / "typed.parquet")
    fine("predict", folder / "m", folder / "typed.parquet", "-o", folder / "typed_out.parquet")
    out = parquet.read_table(folder / "typed_out.parquet")
    assert out.select(table.column_names).equals(table)
    assert out.schema.field("predicted_kind").type == pa.string()
    text = mistake("predict", folder / "m", folder / "typed.parquet", "-o", folder / "no.csv")
    assert "'lists' is of type list" in text
    frame.to_csv(folder / "c.csv", index=False)
    fine("predict", folder / "m", folder / "c.csv", "-o", folder / "c.parquet")
    kinds = {f.name: str(f.type) for f in parquet.read_schema(folder / "c.parquet")}
    assert kinds == {
        **{"sepal": "double", "petal": "double", "colour": "string", "kind": "string"},
        **{"day": "timestamp[us]", "note": "string", "predicted_kind": "string"},
        **{"decisions": "int32"},
    }


def test_what_is_added_can_be_chosen(folder):
    new_rows(8).to_csv(folder / "d.csv", index=False)
    words = ("predict", folder / "m", folder / "d.csv", "--labels-only", "-q")
    out = fine(*words, "--no-decisions", "--label-name", "label").out.splitlines()
    assert out[0] == "label"
    assert len(out) == 9
    explained = pd.read_csv(io.StringIO(fine(*words, "--explain").out))
    pipeline = dcsvm.load(folder / "m")
    rows = new_rows(8).assign(day=pd.to_datetime(new_rows(8)["day"]))
    rows["colour"] = rows["colour"].astype("category")
    for row, text in enumerate(explained["explanation"]):
        expected = str(explain(pipeline, rows.iloc[[row]]))
        assert text == " ".join(expected.split())
        assert text.startswith(f"{explained['predicted_kind'][row]}, after")
        assert f"after {explained['decisions'][row]} decision" in text


def test_labels_that_training_has_not_seen(folder):
    frame = new_rows(20)
    frame.loc[[3, 5], "kind"] = "tulip"
    frame.loc[[6], "kind"] = np.nan
    frame.to_csv(folder / "e.csv", index=False)
    outcome = fine("predict", folder / "m", folder / "e.csv", "-o", folder / "e_out.csv", "--json")
    document = outcome.document
    assert document["unseen_classes"] == [{"label": "tulip", "rows": 2}]
    assert document["rows_with_label"] == 19
    assert "'tulip' in 'kind' (2 rows) is unknown to the model" in outcome.err
    out = pd.read_csv(folder / "e_out.csv")
    assert document["accuracy"] == pytest.approx((out["predicted_kind"] == out["kind"]).sum() / 19)
    counts = {c["label"]: c["rows"] for c in document["predicted"]}
    assert counts == out["predicted_kind"].value_counts().to_dict()


def test_unknown_texts_and_gaps_are_taken(folder):
    frame = new_rows(6)
    frame["colour"] = "never seen"
    frame.loc[2, ["sepal", "petal", "colour", "day"]] = np.nan
    frame.to_csv(folder / "f.csv", index=False)
    assert len(fine("predict", folder / "m", folder / "f.csv").out.splitlines()) == 7


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


def test_a_value_that_does_not_fit_is_found_in_any_batch(folder, monkeypatch):
    monkeypatch.setattr("dcsvm.cli.delimited.BLOCK_BYTES", 1024)
    frame = new_rows().astype({"petal": object})
    frame.loc[37, "petal"] = "broad"
    frame.to_csv(folder / "h.csv", index=False)
    text = mistake("predict", folder / "m", folder / "h.csv", "-o", folder / "h_out.csv")
    assert "'broad' in row 38" in text
    assert "--coerce" in text
    assert not (folder / "h_out.csv").exists()
    coerced = fine("predict", folder / "m", folder / "h.csv", "--coerce").out
    frame.loc[37, "petal"] = ""
    frame.to_csv(folder / "h.csv", index=False)
    gap = fine("predict", folder / "m", folder / "h.csv").out
    assert coerced.replace("broad", "") == gap


def test_columns_of_another_type(folder):
    frame = new_rows(5).assign(sepal=pd.Timestamp("2020-01-01"))
    frame.to_parquet(folder / "i.parquet")
    text = mistake("predict", folder / "m", folder / "i.parquet", "-o", folder / "i.csv")
    assert "Column 'sepal' has numbers" in text
    assert "timestamp" in text
    new_rows(5).assign(colour=1.5).to_parquet(folder / "i.parquet")
    text = mistake("predict", folder / "m", folder / "i.parquet", "-o", folder / "i.csv")
    assert "Column 'colour' has texts" in text


def test_a_table_without_rows(folder):
    new_rows(0).to_csv(folder / "j.csv", index=False)
    outcome = fine("predict", folder / "m", folder / "j.csv", "-o", folder / "j_out.csv")
    assert "has no rows" in outcome.err
    assert (folder / "j_out.csv").read_text().strip().endswith("note,predicted_kind,decisions")


def test_json_needs_a_file(folder):
    outcome = run("predict", folder / "m", folder / "train.csv", "--json")
    assert outcome.code == 2
    assert outcome.out == ""


def test_inspect(folder, tmp_path):
    people = fine("inspect", folder / "m", "--depth", 2).out
    for said in ("setosa", "versicolor", "train.csv", "Held-out rows: 24", "day", "%Y-%m-%d"):
        assert said in people
    document = fine("inspect", folder / "m", "--json").document
    assert document["classes"] == ["setosa", "versicolor", "virginica"]
    assert document["machines"] == 3
    assert document["metadata"]["versions"]["dcsvm"] == dcsvm.__version__
    clf = dcsvm.load(folder / "m")[-1]
    assert document["support_vectors"] == clf.machines_.n_distinct_support
    # A model that was saved in Python is shown as well, but cannot be given a table.
    dcsvm.save(DCSVC(C=3.5).fit(np.eye(4), [0, 0, 1, 2]), tmp_path / "bare")
    assert "C=3.5" in fine("inspect", tmp_path / "bare", "--depth", 0).out
    text = mistake("predict", tmp_path / "bare", folder / "train.csv")
    assert "dcsvm.load" in text


def test_files_that_are_no_models(folder, tmp_path):
    for command in (
        ("predict", folder / "train.csv", folder / "train.csv"),
        ("inspect", folder / "train.csv"),
    ):
        assert "model file" in mistake(*command)
    model, metadata = dcsvm.load(folder / "m", return_metadata=True)
    dcsvm.save(model, tmp_path / "later", metadata={**metadata, "dcsvm_cli": 99})
    text = mistake("predict", tmp_path / "later", folder / "train.csv")
    assert "newer dcsvm" in text
    outcome = run("inspect", folder / "nothing", "--json")
    assert outcome.code == 1
    assert json.loads(outcome.out)["error"].startswith("There is no file")


def test_report(folder, monkeypatch, tmp_path):
    asked = {}

    def listen(**given):
        asked.update(given)
        write_report(**given)

    monkeypatch.setattr("dcsvm.cli.reporting.write_report", listen)
    frame = new_rows(30)
    frame.loc[3, "kind"] = "tulip"
    frame.loc[4, "kind"] = np.nan
    frame.to_csv(tmp_path / "k.csv", index=False)
    outcome = fine("report", folder / "m", tmp_path / "k.csv", "-o", tmp_path / "r.html")
    assert "2 rows without a label that the model knows left out ('tulip'" in outcome.err
    assert asked["y"].tolist() == frame["kind"].drop([3, 4]).tolist()
    assert asked["y"].name == "kind"
    assert len(asked["model"].predict(asked["X"])) == 28
    assert "tulip" not in (tmp_path / "r.html").read_text(encoding="utf-8")
    text = mistake("report", folder / "m", tmp_path / "k.csv", "-o", tmp_path / "r.txt")
    assert ".html" in text
    frame.rename(columns={"kind": "kinds"}).to_csv(tmp_path / "k.csv", index=False)
    outcome = fine("report", folder / "m", tmp_path / "k.csv", "-o", tmp_path / "r.html")
    assert "nothing is said about accuracy; did you mean 'kinds'?" in outcome.err
    assert asked["y"] is None
    assert len(asked["X"]) == 30
