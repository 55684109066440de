"""`DCSVCCV`, beside GridSearchCV over SVC and DCSVC."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.metrics import balanced_accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RepeatedStratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from dcsvm import DCSVC, DCSVCCV, OneVsOneSVC
from dcsvm.inspection import explain

GRID = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [1e-5, 1e-3, 5e-3]}
SMALL = {"C": [1.0, 10.0], "gamma": [5e-4, 1e-3]}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400], y[:400]


def over(grid, **parameters):
    return DCSVCCV(Cs=grid["C"], gammas=grid.get("gamma", "auto"), **parameters)


def assert_same_scores(found, expected, atol=0.002):
    assert found.cv_results_["params"] == expected.cv_results_["params"]
    for fold in range(found.scores_.shape[0]):
        name = f"split{fold}_test_score"
        np.testing.assert_allclose(
            found.cv_results_[name], expected.cv_results_[name], atol=atol, err_msg=name
        )


@pytest.mark.parametrize(
    "cv",
    [None, RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0), TimeSeriesSplit(3)],
)
def test_scores_are_those_of_grid_search_over_svc(digits, cv):
    found = over(GRID, racing=False, cv=cv).fit(*digits)
    expected = GridSearchCV(SVC(), GRID, cv=cv).fit(*digits)
    # One row in a fold, for a tie that rounding breaks.
    assert_same_scores(found, expected, atol=1.01 / len(digits[0]) * found.scores_.shape[0])
    name = "mean_test_score"
    np.testing.assert_allclose(found.cv_results_[name], expected.cv_results_[name], atol=0.003)
    assert found.best_score_ == pytest.approx(expected.best_score_, abs=0.001)


def test_racing_skips_points_and_finds_the_same(digits):
    every = over(GRID, racing=False).fit(*digits)
    raced = over(GRID).fit(*digits)
    assert raced.best_params_ == every.best_params_
    assert raced.best_score_ == every.best_score_
    known = ~np.isnan(raced.scores_)
    assert 0.2 < known.mean() < 0.9
    np.testing.assert_allclose(raced.scores_[known], every.scores_[known], atol=0.01)
    assert np.isnan(raced.cv_results_["mean_test_score"]).any()


def test_groups_and_own_splits(digits):
    X, y = digits
    groups = np.random.default_rng(0).integers(8, size=len(y))
    found = over(SMALL, cv=GroupKFold(4), racing=False).fit(X, y, groups=groups)
    expected = GridSearchCV(SVC(), SMALL, cv=GroupKFold(4)).fit(X, y, groups=groups)
    assert_same_scores(found, expected, atol=0.01)
    splits = [(np.arange(0, 250), np.arange(250, 350)), (np.arange(100, 400), np.arange(0, 100))]
    found = over(SMALL, cv=splits).fit(X, y)
    assert_same_scores(found, GridSearchCV(SVC(), SMALL, cv=splits).fit(X, y), atol=0.0101)


def decisions(classifier, X, y):
    return -classifier.decision_cost(X).decisions.mean()


@pytest.mark.parametrize("scoring", ["f1_macro", make_scorer(balanced_accuracy_score)])
def test_scorers_of_labels(digits, scoring):
    found = over(SMALL, scoring=scoring, cv=3, racing=False).fit(*digits)
    expected = GridSearchCV(SVC(), SMALL, scoring=scoring, cv=3).fit(*digits)
    assert_same_scores(found, expected, atol=0.01)


def test_scorers_that_want_more_than_labels(digits):
    X, y = digits[0][:200], digits[1][:200]
    one = {"C": [10.0], "gamma": [1e-3]}
    found = over(one, scoring=decisions, cv=2).fit(X, y)
    expected = GridSearchCV(DCSVC(), one, scoring=decisions, cv=2).fit(X, y)
    assert_same_scores(found, expected, atol=0.3)


def test_scorers_of_decision_values_with_two_classes():
    X, y = make_classification(n_samples=300, flip_y=0.1, random_state=0)
    y = np.where(y == 1, "yes", "no")
    found = over({"C": [0.1, 1.0], "gamma": [0.01, 0.1]}, scoring="roc_auc").fit(X, y)
    expected = GridSearchCV(SVC(), {"C": [0.1, 1.0], "gamma": [0.01, 0.1]}, scoring="roc_auc")
    assert_same_scores(found, expected.fit(X, y), atol=0.003)


def test_weights_of_rows_and_classes():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X = X + rng.normal(scale=0.5, size=X.shape)
    weight = rng.integers(0, 4, size=150)
    twice = np.repeat(np.arange(150), weight)
    folds = np.arange(150) % 3
    splits = [(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(3)]
    same = [
        (np.flatnonzero(folds[twice] != f), np.flatnonzero(folds[twice] == f)) for f in range(3)
    ]
    grid = {"C": [1.0, 10.0], "gamma": [0.1, 1.0]}
    for class_weight in (None, "balanced", {0: 1, 1: 5, 2: 0.5}):
        one = over(grid, cv=splits, class_weight=class_weight).fit(X, y, sample_weight=weight)
        other = over(grid, cv=same, class_weight=class_weight).fit(X[twice], y[twice])
        np.testing.assert_allclose(one.scores_, other.scores_, atol=0.02)
        svc = GridSearchCV(SVC(class_weight=class_weight), grid, cv=same).fit(X[twice], y[twice])
        np.testing.assert_allclose(
            other.cv_results_["mean_test_score"], svc.cv_results_["mean_test_score"], atol=0.007
        )


def test_features_are_scaled_inside_the_folds(digits):
    """The test rows have another scale: with a leak, the scores would be others."""
    X, y = digits
    X = X[:400].copy()
    y = y[:400]
    X[200:] *= np.linspace(0.2, 5, 64)
    cv = [(np.arange(200), np.arange(200, 400)), (np.arange(200, 400), np.arange(200))]
    grid = {"C": [1.0, 10.0], "gamma": [0.003, 0.02]}
    found = over(grid, scaling="global", cv=cv).fit(X, y)
    inside = make_pipeline(StandardScaler(), SVC())
    prefixed = {f"svc__{name}": values for name, values in grid.items()}
    expected = GridSearchCV(inside, prefixed, cv=cv).fit(X, y)
    np.testing.assert_allclose(
        found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"], atol=0.0051
    )
    leaking = GridSearchCV(SVC(), grid, cv=cv).fit(StandardScaler().fit_transform(X), y)
    difference = leaking.cv_results_["mean_test_score"] - expected.cv_results_["mean_test_score"]
    assert np.abs(difference).max() > 0.05
    per_pair = over(grid, scaling="pair", cv=cv).fit(X, y)
    fits = GridSearchCV(OneVsOneSVC(scaling="pair"), grid, cv=cv).fit(X, y)
    assert_same_scores(per_pair, fits, atol=0.0051)


def test_gamma_scale_is_that_of_each_fold(digits):
    X, y = digits
    found = over({"C": [1.0, 10.0], "gamma": ["scale", "auto"]}, cv=3, racing=False).fit(X, y)
    grid = {"C": [1.0, 10.0], "gamma": ["scale", "auto"]}
    assert_same_scores(found, GridSearchCV(SVC(), grid, cv=3).fit(X, y), atol=0.005)
    assert found.gamma_ == "scale"


def test_kernels_of_all_kinds(digits):
    X, y = digits
    X = X / 16

    def product(A, B):
        return A @ B.T

    kernels = ["rbf", "linear", "poly", product]
    found = DCSVCCV(Cs=[0.1, 1.0], gammas=[0.02, 0.05], kernel=kernels, cv=3, racing=False)
    found.fit(X, y)
    params = found.cv_results_["params"]
    assert len(params) == 2 * (2 + 1 + 2 + 1)
    for place in (0, 1, 4, 5, 6, 10):
        expected = cross_val_score(SVC(**params[place]), X, y, cv=3).mean()
        assert found.cv_results_["mean_test_score"][place] == pytest.approx(expected, abs=0.003)
    assert isinstance(found.best_estimator_.kernel, str)
    assert found.best_estimator_.kernel == found.kernel_

    K = X @ X.T
    matrix = DCSVCCV(Cs=[0.1, 1.0], kernel="precomputed", cv=3).fit(K, y)
    linear = DCSVCCV(Cs=[0.1, 1.0], kernel="linear", cv=3).fit(X, y)
    np.testing.assert_allclose(matrix.scores_, linear.scores_, atol=0.009)
    assert matrix.gamma_ is None
    assert (matrix.predict(K) == linear.predict(X)).mean() > 0.99


def test_sparse_rows(digits):
    X, y = digits
    dense = over(SMALL, cv=3).fit(X, y)
    of_sparse = over(SMALL, cv=3).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(of_sparse.scores_, dense.scores_, atol=0.005)
    assert (of_sparse.predict(X) == dense.predict(X)).all()


def test_once_fitted_it_is_the_best_dcsvc(digits):
    X, y = digits
    found = over(SMALL, cv=3).fit(X, y)
    best = DCSVC(**found.best_params_).fit(X, y)
    assert isinstance(found, DCSVC)
    assert (found.predict(X) == best.predict(X)).all()
    assert (found.decision_function(X) == best.decision_function(X)).all()
    assert found.theta_ == best.theta_
    assert (found.machines_.coef == best.machines_.coef).all()
    assert explain(found, X[0]).label == best.predict(X[:1])[0]
    other = found.rethreshold(theta=0.0, shortlist=None)
    assert type(other) is DCSVC
    assert other.dag_.n_nodes > 1
    assert OneVsOneSVC.from_machines(found.best_estimator_).score(X, y) > 0.99
    assert clone(found).Cs == SMALL["C"]


def test_without_refit_there_are_scores_alone(digits):
    found = over(SMALL, cv=3, refit=False).fit(*digits)
    assert found.C_ in SMALL["C"]
    assert not hasattr(found, "best_estimator_")
    with pytest.raises(AttributeError):
        found.predict(digits[0])


def test_theta_is_chosen_by_cost(digits):
    X, y = digits[0][:250], digits[1][:250]
    found = over(SMALL, cv=2, thetas=[0.0, 0.001, 0.2]).fit(X, y)
    results = found.theta_results_
    assert results["theta"].tolist() == [0.0, 0.001, 0.2]
    good = results["mean_test_score"] >= results["mean_test_score"].max() - 0.001
    cost = results["mean_kernel_evaluations"]
    assert found.theta_ == results["theta"][good][cost[good].argmin()]
    assert found.best_estimator_.theta == found.theta_
    paper = DCSVCCV.paper(Cs=[10.0], gammas=[1e-3], cv=2).fit(X, y)
    assert paper.theta_ == 0.001
    assert paper.dag_.n_nodes > 1


def test_a_class_that_is_missing_from_a_fold():
    X, y = load_iris(return_X_y=True)
    y = y.copy()
    y[:2] = 7  # both in the first fold
    cv = [(np.arange(30, 150), np.arange(30)), (np.arange(0, 150, 2), np.arange(1, 150, 2))]
    grid = {"C": [1.0], "gamma": [0.1, 0.5]}
    found = over(grid, cv=cv).fit(X, y)
    assert_same_scores(found, GridSearchCV(SVC(), grid, cv=cv).fit(X, y), atol=0.014)


def test_machines_needed_alone(digits):
    X, y = digits
    one = {"C": [10.0], "gamma": [1e-3]}
    found = over(one, cv=2, machines="needed").fit(X, y)
    expected = GridSearchCV(DCSVC(machines="needed"), one, cv=2).fit(X, y)
    assert_same_scores(found, expected, atol=1e-9)
    assert found.machines_.some_pairs is not None


def test_a_search_that_is_refused_or_interrupted_leaves_the_estimator_as_it_was(digits):
    X, y = digits
    found = over(SMALL, cv=3).fit(X, y)
    before = found.predict(X)
    with pytest.raises(ValueError, match="no splits"):
        found.set_params(cv=[]).fit(X, y)
    assert (found.predict(X) == before).all()
    with pytest.raises(ValueError, match="cannot be one of several"):
        DCSVCCV(kernel=["rbf", "precomputed"]).fit(X, y)
    with pytest.raises(ValueError, match="No point"):
        over(SMALL, cv=3, scoring=lambda classifier, X, y: np.nan).fit(X, y)


def test_an_interrupt_keeps_the_best_so_far_where_asked_for(digits):
    X, y = digits
    calls = []

    def interrupts(classifier, X, y):
        calls.append(1)
        if len(calls) == 8:
            raise KeyboardInterrupt
        return (classifier.predict(X) == y).mean()

    with pytest.warns(UserWarning, match="interrupted"):
        found = over(SMALL, cv=3, scoring=interrupts, on_interrupt="best").fit(X, y)
    assert found.gamma_ == SMALL["gamma"][0]
    assert np.isnan(found.scores_).sum() == 5
    calls.clear()
    with pytest.raises(KeyboardInterrupt):
        over(SMALL, cv=3, scoring=interrupts).fit(X, y)


def test_a_best_at_the_edge_is_warned_of(digits):
    with pytest.warns(UserWarning, match=r"C=0.01 \(Cs\)"):
        DCSVCCV(Cs=[0.01, 0.02, 0.03], gammas=[1e-3], cv=3).fit(*digits)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_change_nothing(digits, n_jobs):
    X, y = digits
    one = over(SMALL, cv=3).fit(X, y)
    many = over(SMALL, cv=3, n_jobs=n_jobs).fit(X, y)
    assert (one.scores_ == many.scores_).all()
    assert (one.machines_.coef == many.machines_.coef).all()
