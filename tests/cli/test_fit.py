"""`dcsvm fit`: what columns and labels mean, how the model is judged, and its parameters."""

import inspect
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.cli.cli_tools import colourful_flowers, fine, flowers, mistake, run

import dcsvm
from dcsvm import DCSVC
from dcsvm.cli.evaluation import hold_out


@pytest.fixture
def table(tmp_path):
    def write(frame, name="table.csv"):
        frame.to_csv(tmp_path / name, index=False)
        return tmp_path / name

    return write


def messy(n=240):
    """What comes out of real life."""
    rng = np.random.default_rng(0)
    frame = colourful_flowers(n)
    frame.insert(0, "id", np.arange(n))
    frame["colour"] = frame["colour"].where(rng.random(n) > 0.1)
    frame["sepal"] = frame["sepal"].astype(object).where(rng.random(n) > 0.1, "NA")
    frame["seen"] = pd.date_range("2021-01-31", periods=n).strftime("%d.%m.%Y")
    frame["remark"] = [f"r{i % 101}" for i in range(n)]
    frame["zip"] = [f"{i % 13:05}" for i in range(n)]
    frame["wet"] = np.where(rng.random(n) < 0.5, "True", "false")
    frame["country"] = "UK"
    frame["nothing"] = ""
    kind = frame.pop("kind").astype(object)
    kind[[3, 4]] = "pair"
    kind[5] = "single"
    kind[[7, 8, 9]] = np.nan
    frame["kind"] = kind
    return frame


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


def test_a_column_that_numbers_the_rows_is_pointed_out(table, tmp_path):
    frame = flowers().assign(id=np.arange(90))
    outcome = fine("fit", table(frame), "-t", "kind", "-o", tmp_path / "m")
    assert "leave it out with --drop 'id'" in outcome.err


@pytest.mark.parametrize(
    ("written", "kind", "classes"),
    [
        (["1", "2", "10"], "integer", [1, 2, 10]),
        (["1.0", "2.0", "3.0"], "float", [1.0, 2.0, 3.0]),
        (["007", "010", "100"], "text", ["007", "010", "100"]),
        (["0.5", "1.5", "2"], "text", ["0.5", "1.5", "2"]),
        (["None", "mild", "bad"], "text", ["None", "bad", "mild"]),
        (["True", "False", "True"], "text", ["False", "True"]),
        (["a b", "ä", "[x]"], "text", ["[x]", "a b", "ä"]),
    ],
)
def test_labels_stay_what_they_are(table, tmp_path, written, kind, classes):
    frame = flowers()
    frame["kind"] = frame["kind"].map(dict(zip(sorted(set(frame["kind"])), written, strict=True)))
    path = table(frame)
    document = fine("fit", path, "-t", "kind", "-o", tmp_path / "m", "--json").document
    assert document["target"]["kind"] == kind
    found = [c["label"] for c in document["classes"]]
    assert found == classes
    assert [type(label) for label in found] == [type(label) for label in classes]
    out = pd.read_csv(
        pd.io.common.StringIO(fine("predict", tmp_path / "m", path).out),
        dtype=str,
        na_values=[],
        keep_default_na=False,
    )
    if kind != "float":
        assert set(out["predicted_kind"]) == set(written)
    assert (
        out["predicted_kind"].str.removesuffix(".0") == frame["kind"].str.removesuffix(".0")
    ).mean() > 0.6


def test_labels_of_typed_tables(tmp_path):
    frame = flowers()
    for values, kind in [
        (pd.Categorical(frame["kind"]), "text"),
        (frame["kind"] == "setosa", "boolean"),
        (pd.array(frame["sepal"].round().astype(int) % 3, "Int8"), "integer"),
    ]:
        path = tmp_path / "a.parquet"
        frame.assign(kind=values).to_parquet(path)
        document = fine("fit", path, "-t", "kind", "-o", tmp_path / "m", "--json").document
        assert document["target"]["kind"] == kind
        fine("predict", tmp_path / "m", path, "-o", tmp_path / "out.parquet")
        out = pd.read_parquet(tmp_path / "out.parquet")
        assert (out["predicted_kind"] == out["kind"]).mean() > 0.5
        expected = {"text": str, "boolean": bool, "integer": int}[kind]
        assert isinstance(out["predicted_kind"].tolist()[0], expected)


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


def test_every_parameter_is_an_option(table, tmp_path):
    own = {"self", "n_jobs", "random_state", "verbose"}
    names = set(inspect.signature(DCSVC.__init__).parameters) - own
    usage = " ".join(run("fit", "--help").out.split())
    given = {
        "C": "3",
        "kernel": "poly",
        "degree": "2",
        "gamma": "0.5",
        "coef0": "1",
        "theta": "0.01",
        "routing": "sign",
        "shortlist": "none",
        "criterion": "score",
        "scaling": "pair",
        "accuracy_tolerance": "0.1",
        "max_nodes": "1000",
        "class_weight": "setosa=2,virginica=0.5",
        "tol": "1e-4",
        "cache_size": "50",
        "max_iter": "100000",
        "table_rows": "20",
    }
    assert set(given) == names
    words = []
    for name, value in given.items():
        option = f"--{name.replace('_', '-')}"
        assert option in usage
        words += [option, value]
    fine("fit", table(flowers()), "-t", "kind", "-o", tmp_path / "m", *words)
    found = dcsvm.load(tmp_path / "m")[-1].get_params()
    assert found["class_weight"] == {"setosa": 2.0, "virginica": 0.5}
    assert found["shortlist"] is None
    for name in set(given) - {"class_weight", "shortlist"}:
        assert str(found[name]).removesuffix(".0") == str(
            float(given[name]) if name == "tol" else given[name]
        )


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--C", "-1", "range (0.0, inf)"),
        ("--C", "much", "range (0.0, inf)"),
        ("--kernel", "precomputed", "linear, poly, rbf, sigmoid"),
        ("--theta", "0.7", "[0.0, 0.5)"),
        ("--degree", "2.5", "int"),
        ("--class-weight", "heavy", "balanced"),
        ("--cv", "1", "2"),
        ("--test-size", "1", "0.9"),
        ("--format", "xlsx", "parquet"),
    ],
)
def test_wrong_values_of_options_are_wrong_usage(table, tmp_path, option, value, said):
    outcome = run("fit", table(flowers()), "-t", "kind", "-o", tmp_path / "m", option, value)
    assert outcome.code == 2
    assert said in " ".join(outcome.err.replace("│", " ").split())


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


def test_results_for_people_and_for_machines(table, tmp_path):
    path = table(flowers())
    words = ("fit", path, "-t", "kind", "-o", tmp_path / "m")
    people = fine(*words)
    assert "Held-out rows: 18" in people.out
    assert "fitted to all 90 rows, the held-out ones included" in people.out
    assert "\x1b" not in people.out + people.err
    document = json.loads(fine(*words, "--json").out)
    assert f"{100 * document['figures']['accuracy']:.2f}" in people.out
    assert (
        document["support_vectors"] == dcsvm.load(tmp_path / "m")[-1].machines_.n_distinct_support
    )
    assert fine(*words, "--quiet").err == ""


def test_odd_values_among_numbers(table, tmp_path):
    frame = flowers().astype({"sepal": object})
    frame.loc[[3, 9], "sepal"] = ["unknown", "inf"]
    path = table(frame)
    words = ("fit", path, "-t", "kind", "-o", tmp_path / "m", "--json")
    document = fine(*words).document
    assert document["columns"][0]["kind"] == "text"
    assert "'unknown', so that it counts as text: add --coerce" in " ".join(document["notes"])
    document = fine(*words, "--coerce").document
    assert document["columns"][0]["kind"] == "number"
    assert "1 infinite or immense value" in " ".join(document["notes"])


def test_fitting_again_gives_the_same_model(table, tmp_path):
    path = table(messy()[["sepal", "petal", "remark", "kind"]])
    for name in ("a", "b"):
        fine("fit", path, "-t", "kind", "-o", tmp_path / name, "-j", 1 if name == "a" else 2)
    one, other = (dcsvm.load(tmp_path / name)[-1].machines_ for name in ("a", "b"))
    assert (one.pool == other.pool).all()
    assert (one.coef == other.coef).all()
