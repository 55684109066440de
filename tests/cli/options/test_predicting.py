"""What is written beside predicted labels."""

from tests.cli.options.command import given

from dcsvm.cli.options import PredictOptions


def test_by_default_decisions_and_the_columns_of_the_table():
    options = given(PredictOptions)
    assert options == PredictOptions(
        label_name=None, explain=False, no_decisions=False, labels_only=False, jobs=-1
    )


def test_each_can_be_asked_for():
    words = ("--explain", "--no-decisions", "--labels-only", "--label-name", "kind", "-j", "3")
    options = given(PredictOptions, *words)
    assert options.explain
    assert options.no_decisions
    assert options.labels_only
    assert (options.label_name, options.jobs) == ("kind", 3)
