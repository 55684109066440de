"""Plausible ranges against hand-computed numbers and simulated values, and their levels."""

import numpy as np
import pytest
from scipy.stats import norm, t

from dcsvm import PredictionTable
from dcsvm.data.pairs import class_pairs, n_pairs
from dcsvm.routing.candidate_sets import pack, unpack
from dcsvm.routing.dag.splitting import SignSplitter
from dcsvm.routing.plausibility import (
    HIGHEST_LEVEL,
    POOLED_ROWS,
    margin_levels,
    plausible_range,
    sign_levels,
    widening,
)
from dcsvm.routing.sides import sides
from dcsvm.table.prediction_table import TableValues, Tail


def describe(values):
    """The table's account of values, one row of them per class, on a single machine."""
    values = np.asarray(values, dtype=np.float64)
    spread = values.std(axis=1, ddof=1) if values.shape[1] > 1 else np.zeros(len(values))
    columns = [values.min(axis=1), values.max(axis=1), spread]
    low, high, spread = (c.astype(np.float32)[np.newaxis] for c in columns)
    return TableValues(low, high, spread, np.full(len(values), values.shape[1]))


def random_table(k, seed=0, rows=30, spread=1.0):
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(n_pairs(k), k)) * 2
    values = means[:, :, np.newaxis] + spread * rng.normal(size=(n_pairs(k), k, rows))
    counts = np.stack([(values > 0).sum(axis=2), (values <= 0).sum(axis=2)], axis=-1)
    low, high, s = values.min(axis=2), values.max(axis=2), values.std(axis=2, ddof=1)
    halves = (v.astype(np.float16) for v in (low, high, s))
    return PredictionTable(range(k), counts, TableValues(*halves, np.full(k, rows)))


def test_widening_by_hand():
    # n = 10, θ = 0.01: t with 209 degrees of freedom at 0.995 is 2.5993, times √1.1; Blom's
    # expected maximum of 10 is Φ⁻¹(9.625 / 10.25) = 1.5466.
    assert widening(np.array([10]), 0.01)[0] == pytest.approx(2.5993 * 1.1**0.5 - 1.5466, abs=1e-3)
    # A million rows have been further than 0.0005 asks for.
    assert widening(np.array([10**6]), 0.0005)[0] == 0
    assert widening(np.array([5]), 0.0)[0] == np.inf


@pytest.mark.parametrize("n", [2, 5, 30, 400])
def test_the_expected_maximum_that_widening_takes_off_is_that_of_simulated_numbers(n):
    rng = np.random.default_rng(n)
    maxima = rng.normal(size=(20_000, n)).max(axis=1)
    theta = 1e-4
    reach = t.ppf(1 - theta / 2, n - 1 + POOLED_ROWS) * np.sqrt(1 + 1 / n)
    # 20 000 maxima of deviation below 1 have a mean within 0.03 with near certainty; Blom's
    # approximation is good to 0.02.
    assert reach - widening(np.array([n]), theta)[0] == pytest.approx(maxima.mean(), abs=0.05)


def test_range_by_hand():
    values = TableValues(
        np.array([[-1.0, 0.0]], dtype=np.float16),
        np.array([[1.0, 2.0]], dtype=np.float16),
        np.array([[1.0, 3.0]], dtype=np.float16),
        np.array([11, 31]),
    )
    low, high = plausible_range(values, 0.01)
    pooled = (10 * 1.0 + 30 * 9.0) / 40  # 7
    deviation = [
        np.sqrt((POOLED_ROWS * pooled + 10 * 1.0) / (POOLED_ROWS + 10)),
        np.sqrt((POOLED_ROWS * pooled + 30 * 9.0) / (POOLED_ROWS + 30)),
    ]
    wider = widening(np.array([11, 31]), 0.01) * deviation
    np.testing.assert_allclose(low[0], [-1 - wider[0], 0 - wider[1]], rtol=1e-6)
    np.testing.assert_allclose(high[0], [1 + wider[0], 2 + wider[1]], rtol=1e-6)


@pytest.mark.parametrize("far", [1e3, 1e30])
def test_a_range_is_narrowed_by_no_more_than_its_own_deviation(far):
    values = np.random.default_rng(0).normal(size=(3, 1000))
    values[2, 0] = far
    tail = Tail(np.array([1.0, 1e-3]), np.array([0.0, 2.0]), 0.1)
    with np.errstate(over="ignore"):
        described = describe(values)._replace(tail=tail)
        low, high = plausible_range(described, 1e-3)
    narrowing = -widening(described.n_rows, 1e-3, tail)[:2]
    assert (narrowing > 1).all()
    deviations = values[:2].std(axis=1, ddof=1)
    assert low[0, :2] == pytest.approx(values[:2].min(axis=1) + narrowing * deviations)
    assert high[0, :2] == pytest.approx(values[:2].max(axis=1) - narrowing * deviations)


def test_classes_of_one_row_each_are_plausible_everywhere():
    low, high = plausible_range(describe([[0.5], [-0.5]]), 0.01)
    assert np.isneginf(low).all()
    assert np.isposinf(high).all()


def test_theta_zero_drops_nothing():
    low, high = plausible_range(describe([[0.0, 0.0], [1.0, 2.0]]), 0.0)
    assert np.isneginf(low).all()
    assert np.isposinf(high).all()


def share_outside(draw, n, theta, repeats=300, fresh=2000):
    """Of fresh values of classes that are alike, the mean share outside the plausible range."""
    outside = []
    for _ in range(repeats):
        low, high = plausible_range(describe(draw((8, n))), theta)
        new = draw((8, fresh // 8))
        outside.append(((new < low.T) | (new > high.T)).mean())
    return np.mean(outside)


@pytest.mark.parametrize("theta", [0.05, 0.01, 0.002])
@pytest.mark.parametrize("n", [10, 50])
def test_normal_values_are_outside_with_a_chance_of_about_theta(n, theta):
    # The range is that of a prediction interval, except that it begins at the extremes and not
    # at the mean. Extremes vary, and the tail is convex: somewhat more than θ is outside, or no
    # more than n values without any widening leave, 2 / (n + 1).
    rng = np.random.default_rng(n)
    found = share_outside(lambda shape: rng.normal(size=shape), n, theta)
    assert 0.3 * min(theta, 2 / (n + 1)) <= found <= 3 * min(theta, 2 / (n + 1))


@pytest.mark.parametrize("theta", [0.05, 0.01])
@pytest.mark.parametrize("n", [10, 50])
def test_heavy_tails_are_outside_rarely_too(n, theta):
    # Beyond the largest of n lies 1 / (n + 1) of any distribution, on either side: that much no
    # tail can exceed, and the widening leaves a part of it.
    rng = np.random.default_rng(n)
    found = share_outside(lambda shape: rng.standard_t(3, size=shape), n, theta)
    assert found <= min(5 * theta, 1.1 * 2 / (n + 1))  # 2 400 draws: known to about 2 %
    assert found >= theta / 10


# Of 30 values the largest lies 2 deviations from the mean: its reach is less than that.
NARROWING = Tail(np.array([1.0, 1e-3]), np.array([0.0, 1.0]), 0.1)


def plain_levels(values, theta):
    """Levels of all machines, by the formulas as they stand."""
    low, high = plausible_range(values, theta)
    first = np.fmin.reduce(values.low.astype(np.float64), axis=1)
    last = np.fmax.reduce(values.high.astype(np.float64), axis=1)
    span = np.where(np.isfinite(last - first) & (last > first), last - first, 1.0)
    origin = np.where(np.isfinite(first), first, 0.0)
    scale = (HIGHEST_LEVEL - 1) / span
    with np.errstate(invalid="ignore"):
        x, y = ((b - origin[:, np.newaxis]) * scale[:, np.newaxis] for b in (low, high))
    x, y = np.nan_to_num(x, nan=0.0), np.nan_to_num(y, nan=HIGHEST_LEVEL)
    return origin, scale, *(np.ceil(np.clip(b, 0, HIGHEST_LEVEL)) for b in (x, y))


@pytest.mark.parametrize("theta", [0.0, 0.02])
@pytest.mark.parametrize("k", [2, 17, 70])
@pytest.mark.parametrize("strange", [None, np.inf, np.nan, 2e-7])
@pytest.mark.parametrize("tail", [None, NARROWING])
def test_levels_are_those_of_the_formulas(k, theta, strange, tail, instruction_set):
    table = random_table(k, seed=k)
    table.values = table.values._replace(tail=tail)
    if strange is not None:
        for part in table.values[:3]:
            part[:, k // 2] = strange
        table.values.high[-1] = np.inf
    levels = margin_levels(table, theta, n_jobs=2)
    origin, scale, low, high = plain_levels(table.values, theta)
    np.testing.assert_array_equal(levels.origin, origin)
    np.testing.assert_allclose(levels.scale, scale, rtol=1e-15)
    for c in class_pairs(k).T:
        low[np.arange(len(low)), c], high[np.arange(len(low)), c] = 0, HIGHEST_LEVEL
    # One level where rounding decides.
    assert np.abs(levels.low[:, :k] - low).max() <= 1
    assert np.abs(levels.high[:, :k] - high).max() <= 1
    assert (levels.low[:, :k] != low).mean() < 0.001
    assert (levels.high[:, :k] != high).mean() < 0.001


@pytest.mark.parametrize("theta", [0.001, 0.02])
@pytest.mark.parametrize("k", [3, 17])
def test_levels_keep_what_the_range_keeps_and_one_level_more(k, theta):
    table = random_table(k, seed=k)
    levels = margin_levels(table, theta)
    low, high = (b.astype(np.float64) for b in plausible_range(table.values, theta))
    machine = np.repeat(np.arange(n_pairs(k)), 400)
    rng = np.random.default_rng(1)
    values = rng.normal(size=len(machine)) * 6
    kept = levels.plausible(machine, values)
    width = 1 / levels.scale[machine][:, np.newaxis]
    v = values[:, np.newaxis]
    own = np.zeros(kept.shape, dtype=bool)
    for c in class_pairs(k).T:
        own[np.arange(len(machine)), c[machine]] = True
    assert kept[own].all()
    rounding = 1e-4 * width
    inside = (low[machine] + rounding <= v) & (v <= high[machine] - rounding)
    assert kept[inside].all()
    # Outside the span of the levels nothing is told apart.
    last = levels.origin + (HIGHEST_LEVEL - 1) / levels.scale
    spanned = (levels.origin[machine] < values) & (values < last[machine])
    near = (low[machine] - width - rounding <= v) & (v <= high[machine] + width + rounding)
    assert not kept[(~near & ~own) & spanned[:, np.newaxis]].any()
    assert not kept.all()


def test_values_that_are_no_numbers_have_a_level():
    levels = margin_levels(random_table(4), 0.01)
    at = levels.plausible(np.zeros(3, dtype=int), np.array([np.nan, -np.inf, np.inf]))
    least = levels.plausible(np.zeros(2, dtype=int), np.array([-1e300, 1e300]))
    assert (at[1:] == least).all()
    assert at[:, :2].all()


@pytest.mark.parametrize("theta", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("k", [2, 5, 20])
def test_sign_levels_are_the_sets_of_the_papers_rule(k, theta):
    at_theta = sides(random_table(k, seed=k), theta)
    levels, rule = sign_levels(at_theta), SignSplitter(at_theta, "purity")
    machine = np.arange(n_pairs(k), dtype=np.int32)
    everyone = np.tile(pack(np.ones((1, k), dtype=bool)), (len(machine), 1))
    i, j = class_pairs(k).T
    for value in (5e-324, 1e-30, 0.3, 1e300, 0.0, -5e-324, -0.3, -1e300, np.nan):
        interval = np.full(len(machine), int(value > 0))
        expected = unpack(rule.children(machine, everyone, interval), k)
        found = levels.plausible(machine, np.full(len(machine), value))
        found[machine, j if value > 0 else i] = False
        assert (found == expected).all(), value


def test_a_table_without_values_says_what_to_do():
    table = PredictionTable.from_likelihoods(range(2), [[1.0, 0.0]])
    with pytest.raises(ValueError, match="routing='sign'"):
        margin_levels(table, 0.01)


def test_blom_is_close_for_two():
    # The expected maximum of two standard normal numbers is 1 / √π.
    assert norm.ppf(1.625 / 2.25) == pytest.approx(np.pi**-0.5, abs=0.03)
