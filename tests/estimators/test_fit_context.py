"""The decorator of `fit`."""

from typing import ClassVar

import pytest
from sklearn.base import BaseEstimator

from dcsvm.estimators.fit_context import fit_context


class Stored(BaseEstimator):
    _parameter_constraints: ClassVar = {"number": [int]}

    def __init__(self, number=1):
        self.number = number

    @fit_context(skip_nested_validation=True)
    def fit(self, X, y=None):
        """Learn nothing."""
        return self


def test_parameters_are_checked_before_fit():
    assert Stored().fit([]).number == 1
    with pytest.raises(ValueError, match="number"):
        Stored(number="one").fit([])
    assert Stored.fit.__doc__ == "Learn nothing."
