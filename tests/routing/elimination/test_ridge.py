"""Ridge scores against scikit-learn's, and against refitting without a row."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from dcsvm.routing.elimination.ridge import PENALTIES, ridge_scores


def problem(n=60, d=5, k=4, seed=0, apart=2.0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % k
    Z = rng.normal(size=(k, d))[codes] * apart + rng.normal(size=(n, d)) + 3.0
    return Z, codes, rng.integers(1, 4, n).astype(float), k


def reference(Z, codes, weight, k, penalty, of=None):
    """scikit-learn's ridge on indicators; the strength is that for all rows of `of`."""
    whole_Z, whole_weight = (Z, weight) if of is None else of
    share = whole_weight / whole_weight.sum()
    centred = whole_Z - share @ whole_Z
    mean_eigenvalue = np.trace((centred * whole_weight[:, np.newaxis]).T @ centred) / Z.shape[1]
    targets = np.where(codes[:, np.newaxis] == np.arange(k), 1.0, -1.0)
    return Ridge(alpha=penalty * mean_eigenvalue).fit(Z, targets, sample_weight=weight)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("d", [1, 5])
def test_weights_are_those_of_scikit_learn(penalty, d, monkeypatch):
    monkeypatch.setattr("dcsvm.routing.elimination.ridge.PENALTIES", (penalty,))
    Z, codes, weight, k = problem(d=d)
    found = ridge_scores(Z, codes, weight, k, np.arange(len(Z)))
    expected = reference(Z, codes, weight, k, penalty)
    np.testing.assert_allclose(found.weights, expected.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.intercept, expected.intercept_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_scores_of_rows_left_out_are_those_of_a_fit_without_them(penalty, monkeypatch):
    monkeypatch.setattr("dcsvm.routing.elimination.ridge.PENALTIES", (penalty,))
    Z, codes, weight, k = problem()
    found = ridge_scores(Z, codes, weight, k, np.arange(len(Z))).left_out
    for r in range(len(Z)):
        rest = np.arange(len(Z)) != r
        without = reference(Z[rest], codes[rest], weight[rest], k, penalty, of=(Z, weight))
        np.testing.assert_allclose(found[r], without.predict(Z[r : r + 1])[0], atol=1e-7)


def test_a_weight_is_a_repetition(monkeypatch):
    monkeypatch.setattr("dcsvm.routing.elimination.ridge.PENALTIES", (1e-3,))
    Z, codes, weight, k = problem()
    times = weight.astype(int)
    weighted = ridge_scores(Z, codes, weight, k, np.arange(len(Z)))
    Z2, codes2 = np.repeat(Z, times, axis=0), np.repeat(codes, times)
    repeated = ridge_scores(Z2, codes2, np.ones(len(Z2)), k, np.arange(len(Z2)))
    np.testing.assert_allclose(weighted.weights, repeated.weights, atol=1e-9)
    np.testing.assert_allclose(weighted.intercept, repeated.intercept, atol=1e-9)


def test_the_penalty_is_that_under_which_most_rows_left_out_are_right():
    Z, codes, weight, k = problem(n=40, d=30, seed=3, apart=0.5)
    found = ridge_scores(Z, codes, weight, k, np.arange(len(Z)))
    right = []
    for penalty in PENALTIES:
        total = 0.0
        for r in range(len(Z)):
            rest = np.arange(len(Z)) != r
            without = reference(Z[rest], codes[rest], weight[rest], k, penalty, of=(Z, weight))
            total += weight[r] * (without.predict(Z[r : r + 1])[0].argmax() == codes[r])
        right.append(total)
    assert max(right) > min(right), "the comparison must mean something"
    best = PENALTIES[int(np.argmax(right))]
    expected = reference(Z, codes, weight, k, best)
    np.testing.assert_allclose(found.weights, expected.coef_, rtol=1e-5, atol=1e-8)


def test_penalties_compared_on_few_rows_are_fitted_to_all(monkeypatch):
    monkeypatch.setattr("dcsvm.routing.elimination.ridge.ROWS_TO_COMPARE", 20)
    winners = set()
    for seed, d in enumerate([5, 30, 80, 80]):
        Z, codes, weight, k = problem(n=100, d=d, seed=seed, apart=0.5)
        every, some = np.arange(100), np.arange(0, 100, 5)
        found = ridge_scores(Z, codes, weight, k, every)
        alone = []
        for penalty in PENALTIES:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("dcsvm.routing.elimination.ridge.PENALTIES", (penalty,))
                alone.append(ridge_scores(Z, codes, weight, k, every))
        right = [weight[some] @ (a.left_out[some].argmax(axis=1) == codes[some]) for a in alone]
        winners.add(int(np.argmax(right)))
        for one, other in zip(found, alone[int(np.argmax(right))], strict=True):
            np.testing.assert_array_equal(one, other)
    assert {len(PENALTIES) - 1} < winners, "the last penalty tried must not always win, nor never"


def test_features_that_say_nothing_leave_the_shares_of_the_classes():
    codes = np.array([0, 0, 0, 1])
    found = ridge_scores(np.ones((4, 2)), codes, np.ones(4), 2, np.arange(4))
    assert np.isfinite(found.left_out).all()
    np.testing.assert_allclose(found.weights, 0.0, atol=1e-12)
    np.testing.assert_allclose(found.intercept, [0.5, -0.5])


@pytest.mark.parametrize("factor", [1e-150, 1e200])
def test_unit_of_the_features_does_not_matter(factor):
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(3), 20)
    Z = rng.normal(size=(60, 4)) + codes[:, np.newaxis]
    weight, checked = np.ones(60), np.arange(60)
    fitted = ridge_scores(Z, codes, weight, 3, checked)
    other = ridge_scores(Z * factor, codes, weight, 3, checked)
    np.testing.assert_allclose(other.weights * factor, fitted.weights, rtol=1e-9)
    np.testing.assert_allclose(other.left_out, fitted.left_out, rtol=1e-9)
