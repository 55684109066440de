"""What --coerce leaves out, and what training has not seen, is counted by column."""

from tests.cli.cli_tools import fine, messy, new_rows

from dcsvm.cli.misfits import Misfits


def test_predict_counts_by_column(folder, monkeypatch):
    monkeypatch.setattr("dcsvm.cli.delimited.BLOCK_BYTES", 1024)  # several batches
    frame = new_rows().astype({"petal": object, "day": object})
    frame.loc[[3, 37, 38], "petal"] = ["broad", "broad", "narrow"]
    frame.loc[[5], "day"] = "yesterday"
    frame.loc[[1, 2, 49], "colour"] = ["green", "", "green"]
    frame.to_csv(folder / "h.csv", index=False)
    words = ("predict", folder / "m", folder / "h.csv", "--coerce", "-o", folder / "o.csv")
    document = fine(*words, "--json").document
    assert document["unreadable_values"] == {"petal": 3, "day": 1}
    assert document["unseen_values"] == {"colour": 2}
    notes = " ".join(document["notes"])
    assert "Column 'petal': 3 values ('broad' and 'narrow') could not be read and are" in notes
    assert "Column 'day': 1 value ('yesterday') could not be read and is" in notes
    assert "Column 'colour': 2 values ('green') are not in the training data" in notes
    assert "could not be read" in fine(*words).err


def test_nothing_is_said_where_all_fits(folder):
    new_rows().to_csv(folder / "h.csv", index=False)
    words = ("predict", folder / "m", folder / "h.csv", "--coerce", "-o", folder / "o.csv")
    document = fine(*words, "--json").document
    assert document["unreadable_values"] == document["unseen_values"] == {}


def test_fit_counts_too(tmp_path):
    frame = messy().astype({"petal": object})
    frame.loc[[3, 7, 20, 30], "petal"] = "?!"
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ("fit", tmp_path / "t.csv", "-t", "kind", "-o", tmp_path / "m", "--coerce", "--json")
    document = fine(*words).document
    assert document["unreadable_values"] == {"petal": 3}  # of the rows with a label
    assert any("'petal': 3 values ('?!')" in note for note in document["notes"])


def test_few_of_many_values_are_named():
    import pyarrow as pa

    misfits = Misfits()
    misfits.count_unreadable("x", pa.array([f"v{i}" for i in range(9)]))
    assert "9 values ('v0', 'v1', 'v2', 'v3' and 'v4', …)" in misfits.notes()[0]
