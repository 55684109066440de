"""`dcsvm predict`: rows, labels and what is said about them."""

import io

import numpy as np
import pandas as pd
import pytest
from tests.cli.cli_tools import fine, mistake, new_rows

import dcsvm
import dcsvm.cli
from dcsvm.cuda import device as devices
from dcsvm.inspection import explain


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


def test_a_table_without_rows(folder):
    new_rows(0).to_csv(folder / "j.csv", index=False)
    outcome = fine("predict", folder / "m", folder / "j.csv", "-o", folder / "j_out.csv")
    assert "has no rows" in outcome.err
    assert (folder / "j_out.csv").read_text().strip().endswith("note,predicted_kind,decisions")


def test_the_device_can_be_chosen(folder, monkeypatch):
    new_rows(8).to_csv(folder / "d.csv", index=False)
    words = ("predict", folder / "m", folder / "d.csv", "--labels-only", "-q", "--device")
    assert fine(*words, "auto").out == fine(*words, "cpu").out
    assert "cpu, cuda and auto" in mistake(*words, "tpu")
    monkeypatch.setattr("dcsvm.cuda.device.find_spec", lambda name: None)
    devices.gpu.cache_clear()
    assert "dcsvm[cuda12]" in mistake(*words, "cuda")
