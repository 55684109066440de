"""Means over trials."""

import numpy as np
import pytest
from paper.results import mean_of

from paper import (
    methods,
)


def test_means_and_errors():
    assert mean_of([1, 2, 3, 4]) == pytest.approx((2.5, np.sqrt(5 / 3 / 4), 4))
    assert np.isnan(mean_of([7]).error)


def test_differences_are_taken_trial_by_trial(results):
    less = results.less_vote("artificial1", "paper", methods.dcsvm("purity", 2.0))
    pairs = [t["methods"] for t in results.trials["artificial1", "paper"]]
    each = [
        t[methods.dcsvm("purity", 2.0)]["accuracy"] - t[methods.VOTE]["accuracy"] for t in pairs
    ]
    assert less == pytest.approx(mean_of(each))
