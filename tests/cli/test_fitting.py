"""`dcsvm fit` from a table to a model."""

from tests.cli.cli_tools import fine, flowers, messy, mistake

import dcsvm
import dcsvm.cli
from dcsvm import DCSVC


def test_a_messy_table(table, tmp_path):
    path = table(messy())
    outcome = fine("fit", path, "-t", "kind", "-o", tmp_path / "m", "--drop", "id", "--json")
    document = outcome.document
    assert {c["name"]: c["kind"] for c in document["columns"]} == {
        **{"sepal": "number", "petal": "number", "colour": "text", "seen": "date"},
        **{"remark": "text", "zip": "text", "wet": "boolean"},
    }
    assert document["rows"] == 237
    assert {c["label"]: c["rows"] for c in document["classes"]}["single"] == 1
    assert document["figures"]["accuracy"] > 0.9
    notes = "\n".join(document["notes"])
    for said in (
        "3 rows without a label in 'kind' are left out",
        "'nothing' has no values",
        "'country' has the same value in every row",
        "The classes 'pair' and 'single' have too few rows to hold any out",
    ):
        assert said in notes
        assert said in outcome.err
    # One row after the other, in another order, without what the model does not use.
    new = messy().drop(columns=["kind", "nothing", "country"])[::-1]
    at_once = fine("predict", tmp_path / "m", table(new, "new.csv")).out.splitlines()[1:]
    for place in (0, 100):
        one = fine("predict", tmp_path / "m", table(new[place : place + 1], "one.csv"), "-q").out
        assert one.splitlines()[1] == at_once[place]


def test_the_paper(table, tmp_path):
    path = table(flowers())
    fine("fit", path, "-t", "kind", "-o", tmp_path / "m", "--paper", "--theta", "0.02")
    found = dcsvm.load(tmp_path / "m")[-1].get_params()
    assert {k: v for k, v in found.items() if k not in ("random_state", "n_jobs")} == {
        k: v
        for k, v in DCSVC.paper(theta=0.02).get_params().items()
        if k not in ("random_state", "n_jobs")
    }
    said = mistake(
        "fit", path, "-t", "kind", "-o", tmp_path / "m", "--paper", "--routing", "margin"
    )
    assert "--paper decides 'routing'" in said


def test_fitting_again_gives_the_same_model(table, tmp_path):
    path = table(messy()[["sepal", "petal", "remark", "kind"]])
    for name in ("a", "b"):
        fine("fit", path, "-t", "kind", "-o", tmp_path / name, "-j", 1 if name == "a" else 2)
    one, other = (dcsvm.load(tmp_path / name)[-1].machines_ for name in ("a", "b"))
    assert (one.pool == other.pool).all()
    assert (one.coef == other.coef).all()
