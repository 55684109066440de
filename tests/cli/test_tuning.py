"""`dcsvm fit --tune`."""

import numpy as np
import pandas as pd
from tests.cli.cli_tools import fine

import dcsvm
import dcsvm.cli


def test_tuning(table, tmp_path, monkeypatch):
    monkeypatch.setattr("dcsvm.cli.tuning.MIN_ROWS", 60)
    rng = np.random.default_rng(0)
    angle, ring = rng.random(600) * 6.3, np.arange(600) % 3
    radius = ring + 1 + rng.normal(size=600) * 0.15
    frame = pd.DataFrame({"x": radius * np.cos(angle), "y": radius * np.sin(angle), "ring": ring})
    path = table(frame)
    plain = fine("fit", path, "-t", "ring", "-o", tmp_path / "m", "--C", "0.01", "--json").document
    outcome = fine("fit", path, "-t", "ring", "-o", tmp_path / "m", "--tune", "--json")
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
    # Halving: 30 candidates on few rows, then 10, then 4.
    assert tuned["candidates"] == 30 + 10
    fixed = fine(
        *("fit", path, "-t", "ring", "-o", tmp_path / "m", "--tune", "--C", 5, "--theta", 0.01),
        "--json",
    ).document
    assert set(fixed["tuned"]["chosen"]) == {"gamma"}
    assert fixed["parameters"]["C"] == 5
