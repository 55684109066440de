"""Sharpness and spread, against a general minimiser; what is learnt of rows with known answers."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit

from dcsvm.data.pairs import class_pairs
from dcsvm.data.some_pairs import NO_MACHINE
from dcsvm.probability import fitting
from dcsvm.probability.contests import Contests
from dcsvm.probability.fitting import fit_calibration, fit_mixture, parts_of, rows_of_pairs


def contests_of(seed, n=600, k=4, noise=0.7):
    """Rows for which class c is right, and all machines of it tend to say so."""
    random = np.random.RandomState(seed)
    codes = random.randint(k, size=n)
    score = np.eye(k)[codes] + noise * random.normal(size=(n, k))
    i, j = class_pairs(k).T
    values = score[:, i] - score[:, j]
    classes = np.argsort(-score, axis=1)
    a, b = classes[:, i], classes[:, j]
    low, high = np.minimum(a, b), np.maximum(a, b)
    machine = (low * k - low * (low + 1) // 2 + high - low - 1).astype(np.int32)
    found = Contests(classes, machine, np.take_along_axis(values, machine.astype(int), axis=1))
    return found, codes


@pytest.mark.parametrize("seed", range(4))
def test_sharpness_and_spread_have_the_least_loss(seed):
    random = np.random.RandomState(seed)
    n, k, m = 300, 6, 4
    classes = np.argsort(random.uniform(size=(n, k)), axis=1)[:, :m]
    compared = np.log(random.dirichlet(np.ones(m) * 0.5, size=n) + 1e-9)
    at = np.array([random.choice(m, p=np.exp(row) / np.exp(row).sum()) for row in compared])
    codes = classes[np.arange(n), at]
    codes[:20] = random.randint(k, size=20)
    weight, frequency = random.uniform(0.5, 2, size=n), np.full(k, 1 / k)
    sharpness, spread = fit_mixture(compared, classes, codes, weight, frequency)

    def loss(z):
        q = np.exp(np.exp(z[0]) * compared)
        q /= q.sum(axis=1, keepdims=True)
        p = expit(z[1]) / k + (1 - expit(z[1])) * (q * (classes == codes[:, None])).sum(axis=1)
        prior = fitting.WEIGHT_OF_SPREAD * np.log(expit(z[1]))
        return -(weight * np.log(p)).sum() - prior + fitting.WEIGHT_OF_SHARPNESS * z[0] ** 2 / 2

    found = [np.log(sharpness), np.log(spread / (1 - spread))]
    best = min((minimize(loss, [0.0, e]).fun for e in (-6.0, -3.0)), default=0)
    assert loss(found) <= best + 1e-3


def test_gradient_and_curvature():
    random = np.random.RandomState(0)
    compared = np.log(random.dirichlet(np.ones(4), size=50))
    own = random.randint(-1, 4, size=50)
    weight, frequency = random.uniform(size=50), np.full(50, 0.2)
    at = np.array([0.3, -2.0])

    def of(z):
        return fitting._loss(z, compared, own, weight, frequency)

    _, gradient, hessian = of(at)
    np.testing.assert_allclose(gradient, approx_fprime(at, lambda z: of(z)[0], 1e-7), rtol=1e-4)
    slopes = approx_fprime(at, lambda z: of(z)[1], 1e-7)
    np.testing.assert_allclose(hessian, slopes, rtol=1e-3, atol=1e-4)


def test_probabilities_are_calibrated_on_other_rows():
    found, codes = contests_of(0)
    frequency = np.bincount(codes).astype(float)
    calibration = fit_calibration(found, codes, np.ones(len(codes)), frequency, 6)
    others, their_codes = contests_of(1, n=4000)
    p = calibration.probabilities(others)
    right = p.argmax(axis=1) == their_codes
    for low in (0.4, 0.6, 0.8):
        among = (p.max(axis=1) >= low) & (p.max(axis=1) < low + 0.2)
        assert right[among].mean() == pytest.approx(p[among].max(axis=1).mean(), abs=0.06)


def test_rows_left_out_are_judged_by_the_others():
    found, codes = contests_of(3, n=200)
    frequency, weight = np.bincount(codes).astype(float), np.ones(200)
    whole = fit_calibration(found, codes, weight, frequency, 6)
    parts = parts_of(codes)
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(200))
    for part, others in zip(parts, reversed(parts), strict=True):
        known = Contests(*(array[others] for array in found))
        half = fit_calibration(known, codes[others], weight[others], frequency, 6)
        judge = replace(whole, sigmoids=half.sigmoids)
        p = judge.probabilities(Contests(*(array[part] for array in found)))
        own = p[np.arange(len(part)), codes[part]]
        np.testing.assert_allclose(whole.left_out.probability[part], own)


def test_a_row_of_weight_two_counts_twice():
    found, codes = contests_of(2, n=200)
    frequency = np.bincount(codes).astype(float)
    weight = np.full(200, 2.0)
    doubled = fit_calibration(found, codes, weight, frequency, 6)
    both = Contests(*(np.concatenate([part, part]) for part in found))
    twice = fit_calibration(both, np.concatenate([codes, codes]), np.ones(400), frequency, 6)
    assert doubled.sharpness == pytest.approx(twice.sharpness, rel=1e-6)
    assert doubled.spread == pytest.approx(twice.spread, rel=1e-4)


def test_pairs_without_a_machine_or_without_the_class_of_the_row_are_no_rows():
    found = Contests(
        np.array([[1, 0, 2]]), np.array([[0, 2, NO_MACHINE]], dtype=np.int32), np.ones((1, 3))
    )
    rows = rows_of_pairs(found, np.array([0]), np.array([3.0]))
    assert rows.machine.tolist() == [0]
    assert rows.sign.tolist() == [1.0]
    assert rows.weight.tolist() == [3.0]
    assert rows_of_pairs(found, np.array([1]), np.ones(1)).sign.tolist() == [-1.0, 1.0]


def test_no_rows_at_all_leave_the_frequencies():
    empty = Contests(
        np.empty((0, 3), dtype=int), np.empty((0, 3), dtype=np.int32), np.empty((0, 3))
    )
    none = np.empty(0, dtype=int)
    calibration = fit_calibration(empty, none, np.empty(0), np.array([1.0, 2.0, 1.0]), 3)
    assert calibration.spread > 0.9
    assert calibration.frequency.tolist() == [0.25, 0.5, 0.25]
