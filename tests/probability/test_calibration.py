"""From coupled probabilities to those of all classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from dcsvm.data.some_pairs import NO_MACHINE
from dcsvm.probability.calibration import (
    WITHOUT_MACHINE,
    Calibration,
    LeftOutRows,
    sharpened,
    with_most_for,
)
from dcsvm.probability.contests import Contests
from dcsvm.probability.coupling import couple
from dcsvm.probability.pair_sigmoids import PairSigmoids

NOTHING = LeftOutRows(np.empty(0, dtype=int), np.empty(0), np.empty(0))


def calibration(k=4, sharpness=1.5, spread=0.1):
    m = k * (k - 1) // 2
    sigmoids = PairSigmoids(np.linspace(1, 2, m), np.linspace(-0.5, 0.5, m))
    frequency = np.arange(1, k + 1) / (k * (k + 1) / 2)
    return Calibration(sigmoids, sharpness, spread, frequency, NOTHING)


def test_the_steps_one_by_one():
    found = Contests(
        np.array([[2, 0, 3]]), np.array([[1, 5, 2]], dtype=np.int32), np.array([[-1.0, 0.5, 0.2]])
    )
    c = calibration()
    a, b = c.sigmoids
    # Pairs (2, 0), (2, 3) and (0, 3); values are positive for the lower class.
    logits = np.array([-(a[1] * -1.0 + b[1]), a[5] * 0.5 + b[5], a[2] * 0.2 + b[2]])
    np.testing.assert_allclose(c.logits(found)[0], logits)
    p = couple(logits[np.newaxis])[0] ** 1.5
    expected = 0.1 * c.frequency
    expected[[2, 0, 3]] += 0.9 * p / p.sum()
    np.testing.assert_allclose(c.probabilities(found)[0], expected)


def test_without_a_machine_the_higher_score_decides():
    found = Contests(
        np.array([[0, 3, 1]]),
        np.array([[2, 0, NO_MACHINE]], dtype=np.int32),
        np.array([[1.0, 1.0, 0.0]]),
    )
    assert calibration().logits(found)[0, 2] == WITHOUT_MACHINE


def test_sharpness():
    p = np.array([[0.7, 0.2, 0.1]])
    np.testing.assert_allclose(sharpened(np.log(p), 1.0), p)
    np.testing.assert_allclose(sharpened(np.log(p), 2.0), p**2 / (p**2).sum())


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_the_winner_has_most_and_the_change_is_the_least(k, seed):
    random = np.random.RandomState(seed)
    p = random.dirichlet(np.ones(k))
    winner = random.randint(k)
    found = with_most_for(p[np.newaxis].copy(), np.array([winner]))[0]
    assert found.argmax() == winner
    assert np.log(found).argmax() == winner
    assert found.astype(np.float32).argmax() == winner
    assert found.sum() == pytest.approx(1)
    assert (found > 0).all()
    nearest = minimize(
        lambda q: ((q - p) ** 2).sum(),
        p,
        method="SLSQP",
        constraints=[
            {"type": "eq", "fun": lambda q: q.sum() - 1},
            {"type": "ineq", "fun": lambda q: q[winner] - q},
        ],
        options={"ftol": 1e-14, "maxiter": 300},
    ).x
    np.testing.assert_allclose(found, nearest, atol=2e-5)


def test_probabilities_that_agree_with_the_winner_stay():
    p = np.array([[0.6, 0.3, 0.1]])
    np.testing.assert_array_equal(with_most_for(p.copy(), np.array([0])), p)


def test_equal_probabilities_of_all_classes():
    found = with_most_for(np.full((1, 4), 0.25), np.array([2]))
    assert found.argmax() == 2
    np.testing.assert_allclose(found, 0.25, atol=1e-6)
