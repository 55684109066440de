"""Model files of `dcsvm fit`."""

import json

from tests.cli.cli_tools import (
    mistake,
    run,
)

import dcsvm
import dcsvm.cli


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
