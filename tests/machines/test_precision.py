"""How far single precision is from double, and that the estimate of it is neither blind nor shy."""

import numpy as np
import pytest
from sklearn.svm import SVC
from tests.oracles import machine_values

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm._core import EngineDouble, EngineFloat
from dcsvm.estimators.voting import count_votes
from dcsvm.machines.precision import ALLOWED_ERROR, plan


def overlapping(n=900, d=6, k=3, outliers=0, seed=0):
    """Classes that overlap so much that most coefficients end at C."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    X = rng.normal(size=(n, d)) + 0.5 * y[:, None]
    X[:outliers] *= 8
    return X[: n // 2], y[: n // 2], X[n // 2 :]


def in_engine(machines, X):
    assert isinstance(machines.engine, EngineFloat)
    return machines.all_values(machines.prepare(X), 0, len(X))


@pytest.mark.parametrize("C", [1, 100, 1000])
@pytest.mark.parametrize("outliers", [0, 5])
@pytest.mark.parametrize("scaling", [None, "pair"])
def test_values_are_as_exact_as_estimated(C, outliers, scaling, instruction_set):
    X, y, asked = overlapping(outliers=outliers)
    machines = DCSVC(C=C, gamma=1 / 6, scaling=scaling).fit(X, y).machines_
    apart = in_engine(machines, asked) - machine_values(machines, asked)
    estimate = plan(machines).error
    assert np.sqrt((apart**2).mean(axis=0)).max() <= estimate <= ALLOWED_ERROR
    assert np.abs(apart).max() <= 6 * estimate
    # Nor is it so careful that good machines are turned away.
    assert np.sqrt((apart**2).mean(axis=0)).max() >= estimate / 20


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
@pytest.mark.parametrize("C", [1, 10])
def test_other_kernels_are_no_less_exact_than_estimated(kernel, C, instruction_set):
    X, y, asked = overlapping()
    machines = DCSVC(kernel=kernel, C=C, gamma=0.02, coef0=1.0).fit(X, y).machines_
    if isinstance(machines.engine, EngineFloat):
        apart = in_engine(machines, asked) - machine_values(machines, asked)
        assert np.abs(apart).max() <= 6 * plan(machines).error


@pytest.mark.parametrize(("allowed", "form"), [(2e-5, "exp_dot"), (5e-6, "exp_distance")])
def test_where_the_expanded_form_is_not_exact_enough_distances_are(allowed, form, monkeypatch):
    monkeypatch.setattr("dcsvm.machines.precision.ALLOWED_ERROR", allowed)
    X, y, asked = overlapping()
    machines = DCSVC(C=1, gamma=1.5).fit(X, y).machines_
    planned = plan(machines)
    assert planned.parts["form"] == form
    apart = in_engine(machines, asked) - machine_values(machines, asked)
    assert np.abs(apart).max() <= 6 * planned.error


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_coefficients_that_are_too_large_stay_in_double_precision():
    X, y, asked = overlapping(n=120)
    clf = DCSVC(C=1e8, gamma=1e-3, max_iter=10**5).fit(X, y)
    machines = clf.machines_
    assert isinstance(machines.engine, EngineDouble)
    values = machines.all_values(machines.prepare(asked), 0, len(asked))
    np.testing.assert_allclose(values, machine_values(machines, asked), atol=1e-6)


def test_a_large_cost_is_trained_and_answered_as_by_svc():
    X, y, asked = overlapping()
    ours = DCSVC(C=1000, gamma=1 / 6).fit(X, y)
    theirs = SVC(C=1000, gamma=1 / 6, decision_function_shape="ovo").fit(X, y)
    found = in_engine(ours.machines_, asked)
    np.testing.assert_allclose(found, theirs.decision_function(asked), atol=2e-2)


def test_the_label_of_a_row_depends_on_the_instruction_set_at_ties_alone(instruction_set):
    """Sums are in another order, so that values differ by less than the error that is estimated."""
    X, y, asked = overlapping(k=5, n=1500)
    vote = OneVsOneSVC(C=10, gamma=1 / 6).fit(X, y)
    machines = vote.machines_
    assert isinstance(machines.engine, EngineFloat)
    exact = machine_values(machines, asked)
    is_clear = np.abs(exact).min(axis=1) > 6 * plan(machines).error
    assert is_clear.mean() > 0.9
    expected = count_votes(exact, machines.pairs, 5).argmax(axis=1)
    assert (vote.predict(asked)[is_clear] == expected[is_clear]).all()
