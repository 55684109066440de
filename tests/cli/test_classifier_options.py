"""The parameters of DCSVC as options."""

import inspect

import pytest
from tests.cli.cli_tools import fine, flowers, run

import dcsvm
import dcsvm.cli
from dcsvm import DCSVC


def test_every_parameter_is_an_option(table, tmp_path):
    own = {"self", "n_jobs", "random_state", "verbose"}
    without_effect = {"shrinking", "break_ties", "decision_function_shape", "probability"}
    names = set(inspect.signature(DCSVC.__init__).parameters) - own - without_effect
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
        "machines": "all",
        "class_weight": "setosa=2,virginica=0.5",
        "tol": "1e-4",
        "cache_size": "50",
        "max_iter": "100000",
        "table_rows": "20",
        "device": "cpu",  # which a model file does not know
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
        ("--C", "-1", "range (0.0, inf]"),
        ("--C", "much", "range (0.0, inf]"),
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
