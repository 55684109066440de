"""`dcsvm report`."""

import numpy as np
from tests.cli.cli_tools import fine, mistake, new_rows

from dcsvm.report import write_report


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


def test_report_about_some_rows(folder, monkeypatch, tmp_path):
    asked = {}
    monkeypatch.setattr("dcsvm.cli.reporting.write_report", lambda **given: asked.update(given))
    new_rows(30).to_csv(tmp_path / "k.csv", index=False)
    command = ["report", folder / "m", tmp_path / "k.csv", "-o", tmp_path / "r.html"]
    fine(*command)
    assert asked["max_rows"] is None
    fine(*command, "--max-rows", "12")
    assert asked["max_rows"] == 12
