"""What columns a table is learnt from."""

import numpy as np
import pytest
from tests.cli.cli_tools import fine, flowers, mistake

import dcsvm
import dcsvm.cli
from dcsvm import DCSVC


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Name it with --target; there are 'sepal', 'petal' and 'kind'"),
        (("-t", "Kinds"), "no column 'Kinds' (--target): did you mean 'kind'?"),
        (("-t", "kind", "--drop", "petel"), "no column 'petel' (--drop): did you mean 'petal'"),
        (("-t", "kind", "--weight", "w"), "no column 'w' (--weight): there are 'sepal'"),
        (("-t", "kind", "--drop", "kind"), "is the target"),
        (("-t", "sepal"), "looks like a quantity"),
        (("-t", "kind", "--class-weight", "setose=2"), "did you mean 'setosa'?"),
        (("-t", "kind", "--max-classes", "2"), "3 classes"),
        (("-t", "kind", "--cv", "99"), "needs at least 99 rows"),
        (("-t", "kind", "--delimiter", ";"), "give the delimiter with --delimiter"),
        (
            ("-t", "kind", *(w for c in ("sepal", "petal") for w in ("--drop", c))),
            "no col",
        ),
    ],
)
def test_mistakes_about_columns(flower_file, tmp_path, words, said):
    assert said in mistake("fit", flower_file, "-o", tmp_path / "m", *words)
    assert not (tmp_path / "m").exists()


def test_weights(table, tmp_path):
    frame = flowers().assign(weight=np.arange(90) % 3)  # the first kind counts for nothing ...
    text = mistake(
        "fit",
        table(frame),
        "-t",
        "kind",
        "-o",
        tmp_path / "m",
        "--weight",
        "weight",
        "--test-size",
        0,
    )
    assert "setosa" in text
    frame["weight"] += 1
    fine(
        "fit",
        table(frame),
        "-t",
        "kind",
        "-o",
        tmp_path / "m",
        "--weight",
        "weight",
        "--test-size",
        0,
    )
    pipeline = dcsvm.load(tmp_path / "m")
    X = pipeline[:-1].transform(frame)
    expected = DCSVC().fit(X, frame["kind"], sample_weight=frame["weight"])
    assert (pipeline[-1].machines_.coef == expected.machines_.coef).all()
    frame["weight"] = frame["weight"].astype(object)
    frame.loc[4, "weight"] = "heavy"
    said = mistake("fit", table(frame), "-t", "kind", "-o", tmp_path / "m", "--weight", "weight")
    assert "row 5 has 'heavy'" in said
