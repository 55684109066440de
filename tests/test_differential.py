"""DCSVC, the vote and SVC side by side on random problems, and all of them beside long double.

What is asserted follows from the definitions: conditions of optimality, duality gaps, and the
errors that the precision in use has promised. Rows that these leave undecided are ties.
"""

import os
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.svm import SVC

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.machines.precision import plan

# The same cases every time, or as many new ones as asked for.
ASKED_FOR = os.environ.get("DCSVM_EXAMPLES")
MANY = settings(max_examples=int(ASKED_FOR or 40), derandomize=not ASKED_FOR, deadline=None)
# Of the size of the terms of a sum: what even double precision does not keep.
LARGEST_ERROR, ROUNDED = 16, 1e-6
IN_DOUBLE = 64 * np.finfo(np.float64).eps


pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:.*rows are so far:RuntimeWarning"
)


class Problem(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    asked: np.ndarray
    parameters: dict
    weight: np.ndarray | None
    container: object

    def fit(self, estimator):
        rows = self.container(self.X)
        return estimator.set_params(**self.parameters).fit(rows, self.y, self.weight)


@st.composite
def problems(draw, scaled=True):
    """A few rows of a few classes: of any scale and place, dense or sparse, weighted or not."""
    k, d = draw(st.integers(2, 4)), draw(st.integers(1, 5))
    n = draw(st.integers(3 * k, 36))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    apart = draw(st.sampled_from([0.0, 0.5, 3.0]))
    X = rng.normal(size=(n, d)) + apart * rng.normal(size=(k, d))[y]
    X += draw(st.sampled_from([0.0, 0.0, 10.0, 1000.0]))
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.0, 0.5] if d > 2 else [0.0]))] = 0.0
    if draw(st.integers(0, 5)) == 0:
        X[rng.integers(n)] *= 10.0 ** draw(st.integers(1, 8))
    kernel = draw(st.sampled_from(["linear", "poly", "rbf", "sigmoid"]))
    # Machines of the linear kernel have no γ that would make up for a scale.
    most = 2 if kernel == "linear" else 100
    X *= 10.0 ** (draw(st.integers(-most, most)) if scaled and draw(st.booleans()) else 0)
    assume(len(np.unique(X, axis=0)) == n)
    single = draw(st.booleans()) and np.abs(X).max() < 1e30 and np.abs(X[X != 0]).min() > 1e-30
    X = X.astype(np.float32 if single else np.float64)
    parameters = {
        "kernel": kernel,
        "C": 10.0 ** draw(st.integers(-3, 4)),
        "degree": draw(st.integers(1, 4)),
        "coef0": draw(st.sampled_from([0.0, 1.0])),
        "tol": draw(st.sampled_from([1e-3, 1e-6])),
        "class_weight": draw(st.sampled_from([None, "balanced"])),
        "max_iter": 20_000,
    }
    weight = rng.choice([0.1, 1.0, 7.0], n) if draw(st.booleans()) else None
    container = draw(st.sampled_from([np.asarray, sparse.csr_matrix, np.asfortranarray]))
    asked = np.concatenate([X, X[rng.integers(n, size=20)] + (X[rng.integers(n, size=20)] - X[0])])
    return Problem(X, y, asked, parameters, weight, container)


def exact_kernel(kernel, A, B):
    """Kernel values in long double."""
    A, B = A.astype(np.longdouble), B.astype(np.longdouble)
    if kernel.name == "rbf":
        return np.exp(-kernel.gamma * ((A[:, None] - B) ** 2).sum(axis=2))
    products = A @ B.T
    if kernel.name == "linear":
        return products
    products = kernel.gamma * products + kernel.coef0
    return products**kernel.degree if kernel.name == "poly" else np.tanh(products)


def exact_values(machines, X):
    """Values of all machines in long double, from their own coefficients."""
    K = exact_kernel(machines.kernel, *scaled_rows(machines, X))
    values = [K[:, index] @ coef for index, coef in supports(machines)]
    return np.column_stack(values) + machines.intercept


def promised_errors(machines, X):
    """How far off the values may be: as estimated, and as rounding is of numbers of their size."""
    planned, (X, pool) = plan(machines), scaled_rows(machines, X)
    K = exact_kernel(machines.kernel, X, pool)
    largest = np.abs(K)
    if machines.kernel.name == "linear":  # one vector stands for all terms
        largest[:] = np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(pool, axis=1).max())
    sizes = [largest[:, index] @ np.abs(coef) for index, coef in supports(machines)]
    values = [np.abs(K[:, index] @ coef) for index, coef in supports(machines)]
    offset = np.abs(machines.intercept)
    relative = 16 * np.finfo(planned.real).eps * (np.column_stack(values) + offset)
    return LARGEST_ERROR * planned.error + relative + IN_DOUBLE * np.column_stack(sizes)


def scaled_rows(machines, X):
    """Rows and support vectors, as the kernel sees them."""
    pool = machines.pool.toarray() if sparse.issparse(machines.pool) else machines.pool
    X = X.astype(np.longdouble)
    if machines.shared_scaling is not None:
        X = (X - machines.shared_scaling.centre[0]) * machines.shared_scaling.inverse_scale[0]
    return X, pool.astype(np.longdouble)


def supports(machines):
    """Support vectors and coefficients of every machine."""
    for first, last in zip(machines.start[:-1], machines.start[1:], strict=True):
        yield machines.index[first:last], machines.coef[first:last]


def values_of(machines, X):
    return machines.all_values(machines.prepare(X), 0, X.shape[0])


def converged(problem, estimator):
    """The fitted estimator and its machines, all of which have ended by their tolerance."""
    fitted = problem.fit(estimator)
    assume(fitted.machines_.converged.all())
    return fitted, fitted.machines_


@MANY
@given(problems())
def test_values_are_as_exact_as_promised(problem):
    machines = problem.fit(OneVsOneSVC()).machines_
    event(f"{plan(machines).real.__name__}, {problem.parameters['kernel']}")
    exact, allowed = exact_values(machines, problem.asked), promised_errors(machines, problem.asked)
    assert (np.abs(values_of(machines, problem.asked) - exact) <= allowed).all()


@MANY
@given(problems(scaled=False))
def test_machines_are_optimal(problem):
    fitted, machines = converged(problem, OneVsOneSVC())
    assume(machines.shared_scaling is None)
    bounds, tol = bounds_of(problem), problem.parameters["tol"]
    values, errors = exact_values(machines, problem.X), promised_errors(machines, problem.X)
    for m, (i, j) in enumerate(combinations(range(fitted.classes_.size), 2)):
        own = np.flatnonzero(np.isin(problem.y, [i, j]))
        sign = np.where(problem.y[own] == i, 1.0, -1.0)
        alpha = alphas(machines, m, problem.X[own]) * sign
        assert (alpha >= 0).all()
        assert (alpha <= bounds[own] * (1 + ROUNDED)).all()
        margin = sign * values[own, m] - 1
        allowed = tol + errors[own, m].max()
        assert (margin[alpha < bounds[own] * (1 - ROUNDED)] >= -allowed).all()
        assert (margin[alpha > 0] <= allowed).all()


@MANY
@given(problems(scaled=False))
def test_labels_of_the_vote_are_those_of_svc(problem):
    """Wherever no value is within what the duality gaps of the two solutions leave open."""
    assume(problem.parameters["kernel"] != "sigmoid")  # is not positive, so that there is no gap
    vote, machines = converged(problem, OneVsOneSVC())
    assume(machines.shared_scaling is None)
    gamma = machines.kernel.gamma if problem.parameters["kernel"] != "linear" else "scale"
    svc = SVC(decision_function_shape="ovo", gamma=gamma).set_params(**problem.parameters)
    svc.set_params(C=1.0, class_weight=None)  # whose "balanced" does not count the weights of rows
    svc.fit(problem.container(problem.X), problem.y, bounds_of(problem))
    assume((svc.fit_status_ == 0) and (svc.n_iter_ < problem.parameters["max_iter"]).all())
    asked, k, bounds = problem.container(problem.asked), len(vote.classes_), bounds_of(problem)
    theirs = svc.decision_function(asked).reshape(len(problem.asked), -1) * (1 if k > 2 else -1)
    intercept = svc.intercept_ * (1 if k > 2 else -1)
    norm = np.sqrt(np.diag(exact_kernel(machines.kernel, problem.asked, problem.asked)))
    errors = promised_errors(machines, problem.asked)
    is_clear = np.ones(len(problem.asked), dtype=bool)
    for m, (i, j) in enumerate(combinations(range(k), 2)):
        own = np.flatnonzero(np.isin(problem.y, [i, j]))
        sign = np.where(problem.y[own] == i, 1.0, -1.0)
        K = exact_kernel(machines.kernel, problem.X[own], problem.X[own])
        solutions = [
            (alphas(machines, m, problem.X[own]), machines.intercept[m]),
            (alphas_of_svc(svc, i, j)[own], intercept[m]),
        ]
        apart = solutions[0][0] - solutions[1][0]
        distance = np.sqrt(max(float(apart @ K @ apart), 0.0))
        gaps = [duality_gap(K, sign, bounds[own], b, at) for b, at in solutions]
        assert distance <= np.sqrt(2 * np.maximum(gaps, 0)).sum() + ROUNDED * np.sqrt(np.trace(K))
        unknown = distance * norm + abs(solutions[0][1] - solutions[1][1]) + errors[:, m]
        is_clear &= np.abs(theirs[:, m]) > unknown
    event(f"{10 * is_clear.mean() // 1:.0f} of 10 rows are clear")
    np.testing.assert_array_equal(vote.predict(asked)[is_clear], svc.predict(asked)[is_clear])


def duality_gap(K, sign, bounds, b, intercept):
    """By how much a solution of the dual may be short of the best; b is α with the sign of y."""
    missed = np.maximum(0, 1 - sign * (K @ b + intercept))
    return float(b @ K @ b + bounds @ missed - np.abs(b).sum())


def alphas_of_svc(svc, i, j):
    """Those of the machine of classes i < j, signed, for every training row."""
    start = np.concatenate([[0], np.cumsum(svc.n_support_)])
    found = np.zeros(svc.shape_fit_[0])
    coef = svc.dual_coef_.toarray() if sparse.issparse(svc.dual_coef_) else svc.dual_coef_
    for own, row, sign in ((i, j - 1, 1), (j, i, -1)):
        part = slice(start[own], start[own + 1])
        found[svc.support_[part]] = sign * np.abs(coef[row, part])
    return found


@MANY
@given(problems(), st.sampled_from(["default", "paper", "structure"]))
def test_a_prediction_is_what_its_decisions_say(problem, kind):
    """No class is left that lost a decision of the path, but for what rounding leaves open."""
    clf = {
        "default": DCSVC(),
        "paper": DCSVC.paper(),
        "structure": DCSVC(shortlist=None, theta=0.0),
    }[kind]
    clf = problem.fit(clf.set_params(theta=0.01))
    asked = problem.container(problem.asked)
    labels = clf.apply(asked)
    np.testing.assert_array_equal(clf.classes_[labels], clf.predict(asked))
    decision = clf.decision_function(asked)
    if len(clf.classes_) > 2:
        np.testing.assert_array_equal(decision.argmax(axis=1), labels)
    exact = exact_values(clf.machines_, problem.asked)
    errors = promised_errors(clf.machines_, problem.asked)
    for m, (i, j) in enumerate(combinations(range(len(clf.classes_)), 2)):
        if len(clf.classes_) == 2:
            clear = np.abs(exact[:, m]) > errors[:, m]
            np.testing.assert_array_equal(labels[clear], np.where(exact[clear, m] > 0, i, j))


@MANY
@given(problems(scaled=False), st.integers(-300, 300))
def test_the_unit_of_the_features_does_not_matter(problem, exponent):
    """A power of two rounds nothing; γ="scale" takes it back, but for the linear kernel."""
    kernel = problem.parameters["kernel"].replace("linear", "poly")
    parameters = problem.parameters | {"kernel": kernel, "coef0": 0.0}
    X, asked = problem.X.astype(np.float64), problem.asked.astype(np.float64)
    problem = problem._replace(X=X, asked=asked, parameters=parameters)
    other = problem._replace(X=problem.X * 2.0**exponent)
    made = DCSVC(shortlist=None, theta=0.01)
    clf, scaled = problem.fit(clone(made)), other.fit(clone(made))
    rows, larger = (problem.container(problem.asked * f) for f in (1.0, 2.0**exponent))
    np.testing.assert_array_equal(clf.predict(rows), scaled.predict(larger))


def bounds_of(problem):
    """C of every row."""
    weight = np.ones(len(problem.y)) if problem.weight is None else problem.weight
    if problem.parameters["class_weight"]:
        sums = np.bincount(problem.y, weights=weight)
        weight = weight * (sums.sum() / (len(sums) * sums))[problem.y]
    return problem.parameters["C"] * weight


def alphas(machines, m, X):
    """coef of every row of X in a machine, zero where it is no support vector."""
    pool = machines.pool.toarray() if sparse.issparse(machines.pool) else machines.pool
    found = np.zeros(len(X))
    for t in range(machines.start[m], machines.start[m + 1]):
        (at,) = np.flatnonzero((pool[machines.index[t]] == X).all(axis=1))
        found[at] += machines.coef[t]
    return found
