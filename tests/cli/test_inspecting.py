"""`dcsvm inspect`."""

import numpy as np
from tests.cli.cli_tools import fine, mistake

import dcsvm
import dcsvm.cli
from dcsvm import DCSVC


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
