"""Decision values as scikit-learn expects them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dcsvm.estimators.decision_values import binary_decision, squash

ANY = st.lists(st.floats(allow_nan=False, width=64), min_size=2, max_size=20)


@given(ANY)
def test_squashed_values_keep_their_order_within_a_third(values):
    values = np.sort(np.array(values))
    squashed = squash(values)
    # Values beyond 10¹⁶ are squashed to a third, give or take a rounding.
    rounding = np.finfo(np.float64).eps
    assert (np.abs(squashed) <= 1 / 3 + rounding).all()
    assert (np.diff(squashed) >= -rounding).all()
    assert (np.sign(squashed) * np.sign(values) >= 0).all()


def test_what_is_not_a_number_is_in_the_middle():
    assert squash(np.array([np.nan, np.inf, -np.inf])).tolist() == [0.0, 1 / 3, -1 / 3]


@given(ANY)
def test_two_classes_are_told_apart_by_the_sign(values):
    """A value above 0 is for the first class here, and for the second in scikit-learn."""
    values = np.array(values)
    decision = binary_decision(values)
    assert ((decision > 0) == ~(values > 0)).all()
    clear = np.abs(values) > 0
    assert (decision[clear] == -values[clear]).all()
