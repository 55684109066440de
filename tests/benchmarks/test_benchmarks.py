"""The measurements start, and what they measure is there; no time is measured here."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("threadpoolctl")
pytest.importorskip("matplotlib")

from benchmarks.fitting import many_classes, processes
from benchmarks.fitting.growth import exponents, with_classes
from benchmarks.predicting import against_peers
from benchmarks.routing import estimates, problems, rules, tables
from benchmarks.shared.output import table, write_json
from benchmarks.shared.peers import PEERS, TRAINERS
from benchmarks.shared.problems import Problem, read, standardised

import dcsvm
from dcsvm.routing.plausibility import plausible_range

ROOT = Path(__file__).parents[2]
COMMANDS = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "benchmarks").rglob("*.py"))
    if "def main(" in path.read_text(encoding="utf-8")
]


@pytest.fixture(scope="module")
def problem():
    """A small problem of eight classes."""
    X, y = problems.numbers_of_digits(1, 8, 400)
    return Problem("small", X[:200], y[:200], X[200:], y[200:], 10.0, 1e-3)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_start(command, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [command, "--help"])
    with pytest.raises(SystemExit) as end:
        importlib.import_module(command).main()
    assert end.value.code == 0
    assert "usage" in capsys.readouterr().out


def test_all_commands_are_found():
    assert len(COMMANDS) >= 14


def test_stages_of_a_fit_are_timed(problem, monkeypatch):
    for module, name in processes.STAGES:
        monkeypatch.setattr(module, name, getattr(module, name))  # taken back after the test
    seconds = processes.time_stages()
    processes.make("DCSVC.paper", problem, 1).fit(problem.X_train, problem.y_train)
    assert set(seconds) == {"train", "table", "grow_along"}
    seconds.clear()
    eliminating = processes.make("DCSVC", problem, 1).set_params(theta=0.01)
    eliminating.fit(problem.X_train, problem.y_train)
    assert set(seconds) >= {"train", "table", "choose_shortlist"}
    assert all(s > 0 for s in seconds.values())


def test_thousands_of_classes_are_compared_with_votes(monkeypatch):
    monkeypatch.setattr(many_classes, "ROWS_PER_CLASS", 12)
    monkeypatch.setattr(many_classes, "VOTED_ROWS_AMONG", 100)
    problem = many_classes.load("near 25")
    line = many_classes.measured(problem)
    assert line["classes"] == 25
    assert line["voted"] == len(problem.y_test)
    assert abs(line["accuracy"] - line["vote"]) < 10
    monkeypatch.setattr(many_classes, "MOST_FOR_VOTE", 10)
    monkeypatch.setattr(many_classes, "VOTED_CLASSES", 24)
    among = many_classes.measured(problem)
    # A vote among all classes but one is nearly that of all.
    assert abs(among["vote"] - line["vote"]) < 5
    lines = [{"data": "far", "classes": k, "fit": k**1.2} for k in (1000, 3000, 10_000)]
    assert many_classes.exponents(lines)[0]["exponent"] == pytest.approx(1.2)


def test_peers_without_other_libraries_predict(problem):
    for peer in (PEERS["SVC"], TRAINERS["OneVsOneClassifier"]):
        model = peer(**problem.parameters).fit(problem.X_train, problem.y_train)
        assert np.mean(model.predict(problem.X_test) == problem.y_test) > 0.9
        assert 0 < model.n_support_vectors <= len(problem.y_train)


def test_methods_of_the_measurements_predict(problem):
    methods = against_peers.own_methods(problem)
    assert {"DCSVC", "paper's rule", "OneVsOneSVC", "DAGSVC"} < set(methods)
    clf = methods["DCSVC"]
    assert tables.DEFAULT in {(method.family, method.theta) for method in rules.METHODS}
    for method in rules.METHODS:
        accuracy = method.of(clf).score(problem.X_test, problem.y_test)
        assert accuracy > 0.8, method


def test_levels_of_the_librarys_own_ranges_predict_as_the_library(problem):
    clf = dcsvm.DCSVC(**problem.parameters, shortlist="auto").fit(problem.X_train, problem.y_train)
    low, high = plausible_range(clf.table_.values, clf.theta_)
    levels = estimates.levels_of(low, high, clf.table_)
    values = np.random.default_rng(0).normal(size=500)
    machine = np.random.default_rng(1).integers(0, len(low), 500)
    ours = dcsvm.routing.plausibility.margin_levels(clf.table_, clf.theta_)
    same = levels.plausible(machine, values) == ours.plausible(machine, values)
    assert same.mean() > 0.99  # ranges are rounded to levels from float32 or float64


def test_problem_with_fewer_classes(problem):
    smaller = with_classes(problem, 3)
    assert smaller.n_classes == 3
    assert set(np.unique(smaller.y_train)) == set(np.unique(smaller.y_test)) == {0, 1, 2}


def test_exponents_are_slopes_of_logarithms():
    keys = ("svc", "dcsvc", "train", "table", "choose_shortlist")
    lines = [{"data": "d", "rows": n, **dict.fromkeys(keys, 3.0 * n**2)} for n in (10, 20, 80)]
    assert exponents(lines, "rows") == {
        "data": "d", "growing": "rows", **dict.fromkeys(keys, pytest.approx(2.0))
    }  # fmt: skip


def test_stored_sets_have_texts_as_labels(official_folder):
    X, y, split = read("vowel")
    assert X.shape == (990, 10)
    assert y.dtype.kind == "U"
    assert set(split) == {"train", "test"}
    X_train, X_test, *_ = standardised((X[:500], X[500:], y[:500], y[500:]))
    np.testing.assert_allclose(X_train.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X_train.std(axis=0), 1)
    assert X_test.shape == (490, 10)


def test_missing_sets_end_the_measurement(monkeypatch, tmp_path):
    monkeypatch.setenv("DCSVM_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match=r"letter\.parquet is missing"):
        read("letter")


def test_a_table_has_a_line_for_each_measurement(tmp_path):
    columns = [("set", "data", "{}"), ("a", "a", "{:.1f}"), ("b", "b", "{}"), ("c", "c", "{}")]
    lines = [{"data": "x", "a": 1.25}, {"data": "y", "failed": "too slow"}]
    assert table(columns, lines).splitlines()[2:] == ["| x | 1.2 |  |  |", "| y |  |  | too slow |"]
    write_json(tmp_path / "new" / "file.json", lines)
    assert (tmp_path / "new" / "file.json").read_text().count("data") == 2
