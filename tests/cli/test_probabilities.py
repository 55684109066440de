"""Probabilities, likeliest classes and sets on the command line."""

import numpy as np
import pandas as pd
import pytest
from tests.cli.cli_tools import fine, flowers, new_rows, run

import dcsvm


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    folder = tmp_path_factory.mktemp("probabilities")
    flowers().to_csv(folder / "t.csv", index=False)
    new_rows(30).to_csv(folder / "new.csv", index=False)
    fine("fit", folder / "t.csv", "-t", "kind", "-o", folder / "m", "--probability", "-q")
    return folder


def test_all_columns(places):
    words = ("--proba", "--top", "2", "--set", "0.9", "--labels-only", "-q")
    fine("predict", places / "m", places / "new.csv", "-o", places / "out.csv", *words)
    out = pd.read_csv(places / "out.csv", keep_default_na=False)
    classes = dcsvm.load(places / "m")[-1].classes_.tolist()
    p = out[[f"probability_{c}" for c in classes]].to_numpy()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert [classes[c] for c in p.argmax(axis=1)] == out["predicted_kind"].tolist()
    assert (out["top_1"] == out["predicted_kind"]).all()
    np.testing.assert_allclose(out["top_1_probability"], p.max(axis=1))
    np.testing.assert_allclose(out["top_2_probability"], np.sort(p, axis=1)[:, -2])
    for labels in out["set"]:
        assert set(labels.split(" | ")) <= {*classes, ""}
    assert out.columns[0] == "predicted_kind"


def test_more_classes_than_there_are(places):
    words = ("predict", places / "m", places / "new.csv", "-o", places / "o.csv", "--top", "99")
    fine(*words, "-q")
    k = len(dcsvm.load(places / "m")[-1].classes_)
    names = pd.read_csv(places / "o.csv").columns
    assert f"top_{k}" in names
    assert f"top_{k + 1}" not in names


def test_models_without_probabilities_say_how_to_get_them(places):
    fine("fit", places / "t.csv", "-t", "kind", "-o", places / "plain", "-q")
    outcome = run("predict", places / "plain", places / "new.csv", "--top", "3")
    assert outcome.code != 0
    assert "--top needs probabilities" in outcome.err
    assert "dcsvm fit --probability" in " ".join(outcome.err.split())


def test_a_chance_is_between_0_and_1(places):
    outcome = run("predict", places / "m", places / "new.csv", "--set", "95")
    assert outcome.code != 0
    assert "between 0 and 1" in outcome.err
