"""`dcsvm export`."""

import shutil

import numpy as np
import pytest
from tests.cli.cli_tools import fine, flowers, mistake
from tests.export.compiled import CompiledModel

import dcsvm
from dcsvm import DCSVC
from dcsvm.export import CSource


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    """A model of numbers, some of which are missing."""
    folder = tmp_path_factory.mktemp("numbers")
    frame = flowers(120)
    frame.loc[::7, "sepal"] = np.nan
    frame.to_csv(folder / "t.csv", index=False)
    fine("fit", folder / "t.csv", "-t", "kind", "-o", folder / "m.dcsvm")
    return folder, frame


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler: apt-get install gcc")
def test_c_predicts_as_the_command_does(numbers, tmp_path):
    folder, frame = numbers
    said = fine("export", folder / "m.dcsvm", "-o", tmp_path / "iris.c", "--json").document
    assert said["files"] == [str(tmp_path / "iris.c"), str(tmp_path / "iris.h")]
    assert said["precision"] == "float"
    texts = [(tmp_path / name).read_text() for name in ("iris.c", "iris.h")]
    (tmp_path / "made").mkdir()
    model = CompiledModel(CSource("iris", *texts, 0), tmp_path / "made")
    X = frame[["sepal", "petal"]].to_numpy()
    pipeline = dcsvm.load(folder / "m.dcsvm")
    expected = pipeline.predict(frame[["sepal", "petal"]])
    assert pipeline.classes_[model.predict(X)].tolist() == expected.tolist()


def test_webassembly_and_what_rounding_changes(numbers, tmp_path):
    folder, _ = numbers
    options = ("--support", "int8", "--data", folder / "t.csv")
    out = fine("export", folder / "m.dcsvm", "-o", tmp_path / "m.wasm", *options).out
    assert "of 120 rows, rounding changes the class of 0.00 %" in out
    assert "accuracy 1" in out or "accuracy 9" in out
    assert (tmp_path / "m.wasm").read_bytes()[:4] == b"\0asm"
    fine("export", folder / "m.dcsvm", "-o", tmp_path / "module", "--target", "wasm")
    assert (tmp_path / "module").read_bytes()[:4] == b"\0asm"


def test_mistakes(folder, tmp_path):
    assert ".c or .wasm" in mistake("export", folder / "m", "-o", tmp_path / "m.txt")
    said = mistake("export", folder / "m", "-o", tmp_path / "m.c")  # it has texts and dates
    assert "cannot be exported" in said
    dcsvm.save(DCSVC(kernel="linear").fit(np.eye(4), [0, 0, 1, 2]), tmp_path / "bare")
    fine("export", tmp_path / "bare", "-o", tmp_path / "bare.c")
    table = folder / "train.csv"
    said = mistake("export", tmp_path / "bare", "-o", tmp_path / "bare.c", "--data", table)
    assert "dcsvm fit" in said
