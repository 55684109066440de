"""Labels stay what they are, and columns that are no classes are refused."""

import numpy as np
import pandas as pd
import pytest
from tests.cli.cli_tools import fine, flowers, mistake

import dcsvm


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([""] * 30, "has no label at all"),
        (["x"] * 30, "one class only, 'x', in all 30 rows"),
        ([f"u{i}" for i in range(30)], "looks like an identifier"),
        ([f"{i}.25" for i in range(30)], "looks like a quantity"),
    ],
)
def test_columns_that_are_no_target(tmp_path, labels, said):
    pd.DataFrame({"x": np.arange(30), "y": labels}).to_csv(tmp_path / "a.csv", index=False)
    assert said in mistake("fit", tmp_path / "a.csv", "-t", "y", "-o", tmp_path / "m")


def test_many_classes_can_be_allowed(tmp_path):
    labels = [f"u{i // 2}" for i in range(60)]
    labels[0] = "alone"
    pd.DataFrame({"x": np.arange(60), "y": labels}).to_csv(tmp_path / "a.csv", index=False)
    words = ("fit", tmp_path / "a.csv", "-t", "y", "-o", tmp_path / "m")
    assert "--max-classes 31" in mistake(*words)
    assert "No class has enough rows to hold any out" in fine(*words, "--max-classes", 31).err


@pytest.mark.parametrize(
    ("written", "kind", "classes"),
    [
        (["1", "2", "10"], "integer", [1, 2, 10]),
        (["1.0", "2.0", "3.0"], "float", [1.0, 2.0, 3.0]),
        (["007", "010", "100"], "text", ["007", "010", "100"]),
        (["0.5", "1.5", "2"], "text", ["0.5", "1.5", "2"]),
        (["None", "mild", "bad"], "text", ["None", "bad", "mild"]),
        (["True", "False", "True"], "text", ["False", "True"]),
        (["a b", "ä", "[x]"], "text", ["[x]", "a b", "ä"]),
    ],
)
def test_labels_stay_what_they_are(table, tmp_path, written, kind, classes):
    frame = flowers()
    frame["kind"] = frame["kind"].map(dict(zip(sorted(set(frame["kind"])), written, strict=True)))
    path = table(frame)
    document = fine("fit", path, "-t", "kind", "-o", tmp_path / "m", "--json").document
    assert document["target"]["kind"] == kind
    found = [c["label"] for c in document["classes"]]
    assert found == classes
    assert [type(label) for label in found] == [type(label) for label in classes]
    out = pd.read_csv(
        pd.io.common.StringIO(fine("predict", tmp_path / "m", path).out),
        dtype=str,
        na_values=[],
        keep_default_na=False,
    )
    if kind != "float":
        assert set(out["predicted_kind"]) == set(written)
    assert (
        out["predicted_kind"].str.removesuffix(".0") == frame["kind"].str.removesuffix(".0")
    ).mean() > 0.6


def test_labels_of_typed_tables(tmp_path):
    frame = flowers()
    for values, kind in [
        (pd.Categorical(frame["kind"]), "text"),
        (frame["kind"] == "setosa", "boolean"),
        (pd.array(frame["sepal"].round().astype(int) % 3, "Int8"), "integer"),
    ]:
        path = tmp_path / "a.parquet"
        frame.assign(kind=values).to_parquet(path)
        document = fine("fit", path, "-t", "kind", "-o", tmp_path / "m", "--json").document
        assert document["target"]["kind"] == kind
        fine("predict", tmp_path / "m", path, "-o", tmp_path / "out.parquet")
        out = pd.read_parquet(tmp_path / "out.parquet")
        assert (out["predicted_kind"] == out["kind"]).mean() > 0.5
        expected = {"text": str, "boolean": bool, "integer": int}[kind]
        assert isinstance(out["predicted_kind"].tolist()[0], expected)


def test_a_class_that_is_called_na(table, tmp_path):
    frame = flowers()
    frame["kind"] = frame["kind"].replace("setosa", "NA")
    frame.loc[3, "kind"] = ""
    frame = frame.astype({"sepal": object})
    frame.loc[[5, 7], "sepal"] = "NA"
    path = table(frame)
    words = ("-t", "kind", "-o", tmp_path / "m")
    outcome = fine("fit", path, *words)
    assert "30 rows without a label in 'kind' are left out: 'NA' counts as missing" in outcome.err
    assert "--na-values '' to keep it" in outcome.err
    outcome = fine("fit", path, *words, "--na-values", "-9, n.d.", "--json")
    labels = [c["label"] for c in outcome.document["classes"]]
    assert labels == ["NA", "versicolor", "virginica"]
    assert "1 row without a label in 'kind' is left out." in outcome.document["notes"]
    # The model knows what was missing in its training data.
    document = fine("predict", tmp_path / "m", path, "-o", tmp_path / "o.csv", "--json").document
    assert {c["label"] for c in document["predicted"]} == set(labels)
    assert document["rows_with_label"] == 89


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_numbers_that_mean_a_missing_value(tmp_path, suffix):
    frame = flowers()
    frame.loc[::7, "petal"] = -999
    path = tmp_path / f"t.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    fine("fit", path, "-t", "kind", "-o", tmp_path / "m", "--na-values=-999,?")
    gaps = dcsvm.load(tmp_path / "m")[0].transformers_[0][1].transformer_list[1][1]
    assert gaps.features_.tolist() == [1]
