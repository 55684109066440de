"""How good a model is."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.cli.cli_tools import fine, flowers

from dcsvm import DCSVC
from dcsvm.cli.evaluation import hold_out, largest_share


def test_held_out_rows():
    labels = np.repeat(["a", "b", "c", "d"], [100, 10, 2, 1])
    split = hold_out(labels, 0.2, seed=0)
    assert pd.Series(labels[split.test]).value_counts().to_dict() == {"a": 20, "b": 2}
    assert split.too_rare == ["c", "d"]
    assert sorted([*split.train, *split.test]) == list(range(113))
    assert set(labels[split.train]) == set("abcd")
    assert (hold_out(labels, 0.2, seed=0).test == split.test).all()
    assert (hold_out(labels, 0.2, seed=1).test != split.test).any()
    assert len(hold_out(labels, 0.0, seed=0).test) == 0


def test_accuracies_stand_beside_that_of_the_largest_class(table, tmp_path):
    labels = np.repeat(["a", "b"], [30, 10])
    assert largest_share(labels) == 0.75
    assert largest_share(labels, np.repeat([1.0, 9.0], [30, 10])) == 0.75
    path = table(flowers(100).query("kind != 'virginica' or sepal > 4"))
    outcome = fine("fit", path, "-t", "kind", "-o", tmp_path / "m")
    share = pd.read_csv(path)["kind"].value_counts(normalize=True).max()
    assert re.search(r"always the largest class: \d\d\.\d\d %", outcome.out)
    assert "always the largest class" in fine("inspect", tmp_path / "m").out
    words = ("predict", tmp_path / "m", path, "-o", tmp_path / "o.csv")
    assert f"(always the largest class: {100 * share:.2f} %)" in fine(*words).err
    assert fine(*words, "--json").document["largest_class_accuracy"] == pytest.approx(share)
    tuned = fine("fit", path, "-t", "kind", "-o", tmp_path / "m", "--tune").out
    assert tuned.count("always the largest class") == 2


def test_cross_validation_is_that_of_scikit_learn(table, tmp_path):
    X, y = load_iris(return_X_y=True)
    path = table(pd.DataFrame(X).add_prefix("x").assign(y=y))
    document = fine(
        "fit", path, "-t", "y", "-o", tmp_path / "m", "--cv", 4, "--C", 10, "--seed", 3, "--json"
    ).document
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    scores = cross_val_score(make_pipeline(StandardScaler(), DCSVC(C=10)), X, y, cv=folds)
    assert document["figures"]["accuracies"] == pytest.approx(scores)
    assert document["figures"]["one_versus_one_decisions"] == 3
    said = fine("fit", path, "-t", "y", "-o", tmp_path / "m", "--cv", 4, "--C", 10, "--seed", 3).out
    assert f"{100 * scores.mean():.2f} ±" in said


def test_without_all_machines_there_is_no_vote_to_compare_with(table, tmp_path):
    X, y = load_iris(return_X_y=True)
    path = table(pd.DataFrame(X).add_prefix("x").assign(y=y))
    options = ("fit", path, "-t", "y", "-o", tmp_path / "m", "--machines", "needed", "--cv", 3)
    done = fine(*options, "--json")
    assert "one_versus_one_accuracy" not in done.document["figures"]
    assert done.document["figures"]["accuracy"] > 0.9
    assert "one-versus-one" not in fine(*options).out
    assert "needed" in fine("inspect", tmp_path / "m").out
