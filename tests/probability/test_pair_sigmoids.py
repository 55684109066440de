"""Sigmoids of machines, against a general minimiser and against logistic regression."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_expit
from sklearn.linear_model import LogisticRegression

from dcsvm.probability.pair_sigmoids import (
    WEIGHT_OF_OFFSET,
    WEIGHT_OF_SLOPE,
    PairRows,
    common_slope,
    fit_pair_sigmoids,
)


def rows_of(seed, n_machines=4, n=400, slopes=(1.0, 2.0, 3.0, 4.0), offsets=(0.0, 1.0, -1.0, 0.5)):
    random = np.random.RandomState(seed)
    machine = random.randint(n_machines, size=n)
    value = random.normal(size=n)
    logit = np.array(slopes)[machine] * value + np.array(offsets)[machine]
    sign = np.where(random.uniform(size=n) < 1 / (1 + np.exp(-logit)), 1.0, -1.0)
    return PairRows(machine, value, sign, random.uniform(0.5, 2, size=n))


@pytest.mark.parametrize("seed", range(3))
def test_each_machine_has_the_least_loss(seed):
    rows = rows_of(seed)
    found, common = fit_pair_sigmoids(rows, 4), common_slope(rows)
    for m in range(4):
        own = rows.machine == m
        x, s, w = rows.value[own], rows.sign[own], rows.weight[own]

        def loss(p, x=x, s=s, w=w):
            fit = -(w * log_expit(s * (p[0] * x + p[1]))).sum()
            shrinking = WEIGHT_OF_SLOPE * (p[0] / common - 1) ** 2 + WEIGHT_OF_OFFSET * p[1] ** 2
            return fit + shrinking / 2

        best = minimize(loss, [common, 0.0], tol=1e-10)
        assert loss([found.slope[m], found.offset[m]]) <= best.fun + 1e-3
        np.testing.assert_allclose([found.slope[m], found.offset[m]], best.x, atol=0.02)


def test_the_common_slope_is_that_of_a_logistic_regression():
    rows = rows_of(5)
    regression = LogisticRegression(C=1e9, fit_intercept=False, tol=1e-8)
    regression.fit(rows.value[:, np.newaxis], rows.sign, sample_weight=rows.weight)
    assert common_slope(rows) == pytest.approx(regression.coef_[0, 0], rel=1e-3)


def test_a_machine_without_rows_has_the_common_slope():
    rows = rows_of(1, n_machines=2, slopes=(2.0, 2.0), offsets=(0.0, 0.0))
    found = fit_pair_sigmoids(rows, 3)
    assert found.slope[2] == pytest.approx(common_slope(rows))
    assert found.offset[2] == 0


def test_rows_that_are_all_on_their_side_give_finite_numbers():
    value = np.linspace(0.1, 3, 50)
    sign = np.ones(50)
    sign[25:] = -1
    value[25:] *= -1
    found = fit_pair_sigmoids(PairRows(np.zeros(50, dtype=int), value, sign, np.ones(50)), 1)
    assert np.isfinite(found.slope).all()
    assert np.isfinite(found.offset).all()
    assert found.slope[0] > 1


def test_machines_that_are_mostly_wrong_still_rise():
    rows = rows_of(2)
    found = fit_pair_sigmoids(rows._replace(sign=-rows.sign), 4)
    assert (found.slope > 0).all()


def test_a_row_of_weight_two_counts_twice():
    rows = rows_of(3)
    doubled = rows._replace(weight=rows.weight * 2)
    twice = PairRows(*(np.concatenate([part, part]) for part in rows))
    np.testing.assert_allclose(
        fit_pair_sigmoids(doubled, 4).slope, fit_pair_sigmoids(twice, 4).slope, rtol=1e-9
    )


def test_log_odds():
    found = fit_pair_sigmoids(rows_of(4), 4)
    machine = np.array([[0, 3]], dtype=np.int32)
    expected = found.slope[[0, 3]] * [0.5, -1.0] + found.offset[[0, 3]]
    np.testing.assert_allclose(found.logits(machine, np.array([[0.5, -1.0]]))[0], expected)
