"""`dcsvm fit --tune`."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.cli.cli_tools import fine, mistake

import dcsvm
import dcsvm.cli


@pytest.fixture
def rings(table):
    rng = np.random.default_rng(0)
    angle, ring = rng.random(600) * 6.3, np.arange(600) % 3
    radius = ring + 1 + rng.normal(size=600) * 0.15
    frame = pd.DataFrame({"x": radius * np.cos(angle), "y": radius * np.sin(angle), "ring": ring})
    return table(frame)


def test_tuning(rings, tmp_path):
    fit = ("fit", rings, "-t", "ring", "-o", tmp_path / "m", "--json")
    plain = fine(*fit, "--C", "0.01").document
    outcome = fine(*fit, "--tune")
    tuned, figures = outcome.document["tuned"], outcome.document["figures"]
    assert figures["accuracy"] > plain["figures"]["accuracy"] + 0.05
    assert set(tuned["chosen"]) == {"C", "gamma", "theta"}
    clf = dcsvm.load(tmp_path / "m")[-1]
    assert {name: clf.get_params()[name] for name in tuned["chosen"]} == tuned["chosen"]
    chosen = next(t for t in tuned["thetas"] if t["theta"] == tuned["chosen"]["theta"])
    best = max(t["accuracy"] for t in tuned["thetas"])
    assert chosen["accuracy"] >= best - 0.001
    cheaper = [t for t in tuned["thetas"] if t["kernel_evaluations"] < chosen["kernel_evaluations"]]
    assert all(t["accuracy"] < best - 0.001 for t in cheaper)
    found = tuned["search"]
    _, c = found["best"]
    assert found["Cs"][c] == tuned["chosen"]["C"]
    assert np.shape(found["scores"]) == (len(found["settings"]), len(found["Cs"]))
    assert tuned["candidates"] == np.size(found["scores"]) >= 40
    assert max(max(of) for of in found["n_folds"]) == tuned["folds"] == 5
    fine("report", tmp_path / "m", rings, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert re.search(r'<section id="search"', page)


def test_what_is_given_is_not_searched(rings, tmp_path):
    fit = ("fit", rings, "-t", "ring", "-o", tmp_path / "m", "--json", "--tune")
    fixed = fine(*fit, "--C", 5, "--theta", 0.01).document
    assert set(fixed["tuned"]["chosen"]) == {"gamma"}
    assert fixed["parameters"]["C"] == 5
    everything = fine(*fit, "--C", 5, "--theta", 0.01, "--gamma", "scale").document
    assert everything["tuned"]["chosen"] == {}
    assert "search" not in everything["tuned"]


def test_the_search_is_over_some_rows_of_a_large_table(rings, tmp_path, monkeypatch):
    monkeypatch.setattr("dcsvm.cli.tuning.MOST_ROWS", 200)
    fit = ("fit", rings, "-t", "ring", "-o", tmp_path / "m", "--json", "--tune", "--theta", 0)
    document = fine(*fit).document
    assert document["tuned"]["rows"] == 200
    assert any("200 of 480 rows" in note for note in document["notes"])
    assert document["rows"] == 600


def test_classes_of_one_row_each_cannot_be_tuned_for(table, tmp_path):
    frame = pd.DataFrame({"x": range(3), "name": list("abc")})
    fit = ("fit", table(frame), "-t", "name", "-o", tmp_path / "m")
    assert "--tune needs a class with at least 2 rows" in mistake(*fit, "--tune")
