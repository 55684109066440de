"""What a model is fitted to, and how."""

import pytest
from tests.cli.options.command import given

from dcsvm.cli.options import FitOptions, TrainingTableOptions


def test_columns_have_roles():
    options = given(
        TrainingTableOptions, "-t", "kind", "--drop", "a", "--drop", "b", "--weight", "w"
    )
    assert (options.target, options.drop, options.weight) == ("kind", ["a", "b"], "w")


def test_a_fifth_of_the_rows_is_held_out():
    assert given(FitOptions) == FitOptions(test_size=0.2, cv=None, tune=False, paper=False)


@pytest.mark.parametrize(
    ("group", "words"),
    [
        (FitOptions, ("--test-size", "0.95")),
        (FitOptions, ("--test-size", "-0.1")),
        (FitOptions, ("--cv", "1")),
        (FitOptions, ("--seed", "-1")),
        (TrainingTableOptions, ("--max-classes", "1")),
    ],
)
def test_bounds_of_numbers(group, words):
    assert given(group, *words) is None
