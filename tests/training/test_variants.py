"""Variants of a problem, each against one that is trained from nothing."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC
from tests.kernel_problems import KERNELS, problem
from tests.oracles import kernel_matrix
from tests.training.test_compiled import dual_objective, mostly_noise, parameters

from dcsvm.data.rows import canonical_rows, rows_in_place
from dcsvm.data.some_pairs import SomePairs
from dcsvm.training.train import train_machines
from dcsvm.training.variants import Variants, train_variants

# The factors of C, and the folds, of the variants: folds of the whole, and two chains of C.
FACTORS = [1.0, 1.0, 1.0, 1.0, 8.0, 1 / 8, 8.0]
FOLDS = [None, 0, 1, 2, None, None, 2]
START = np.array([-1, 0, 0, 0, 0, 4, 3])


def folds_and_costs(n, n_folds=3):
    fold = np.random.default_rng(0).integers(n_folds, size=n)
    factor = np.array(
        [c * (np.ones(n) if f is None else fold != f) for c, f in zip(FACTORS, FOLDS, strict=True)]
    )
    return Variants(factor, START)


def canonical(X, y, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    return canonical_rows(X, y, weight, y.max() + 1)


def cold(variants):
    return variants._replace(start=np.full(len(variants.start), -1))


def weights_of(rows):
    return np.ones(rows.n_classes)


def machine(machines, m):
    entries = slice(machines.start[m], machines.start[m + 1])
    return machines.pool[machines.index[entries]], machines.coef[entries]


def check_values(rows, machines, asked, values):
    """They are those that the machines give."""
    query = machines.prepare(rows.take(asked))
    found = machines.all_values(query, 0, len(asked))
    codes = rows.codes(asked)
    expected = np.full(values.shape, np.nan)
    for m, (i, j) in enumerate(machines.pairs):
        expected[codes == i, j] = found[codes == i, m]
        expected[codes == j, i] = found[codes == j, m]
    np.testing.assert_allclose(values, expected, rtol=1e-4, atol=2e-4)


def check_variants(rows, found, variants, given, weight=None):
    """Each is feasible, and as good as one trained on its rows alone, from nothing."""
    weight = weights_of(rows) if weight is None else weight
    for v, machines in enumerate(found.machines):
        of_variant = np.flatnonzero(variants.factor[v])
        start = np.searchsorted(of_variant, rows.class_start)
        alone = type(rows)(
            rows.X[of_variant], (rows.weight * variants.factor[v])[of_variant], start
        )
        expected = train_machines(alone, weight, given)
        assert machines.converged.all()
        for m in range(machines.n_machines):
            (S, a), (T, b) = machine(machines, m), machine(expected, m)
            kernel = machines.kernel
            if machines.pair_scaling is not None:
                continue
            ours = dual_objective(kernel_matrix(kernel, S, S), a)
            theirs = dual_objective(kernel_matrix(kernel, T, T), b)
            assert abs(a.sum()) < 1e-9 * np.abs(a).sum()
            assert ours == pytest.approx(theirs, rel=3e-4)
        query = machines.prepare(rows.X)
        difference = machines.all_values(query, 0, rows.n_rows)
        difference -= expected.all_values(expected.prepare(rows.X), 0, rows.n_rows)
        assert np.abs(difference).max() < 0.02
        check_values(rows, machines, np.flatnonzero(variants.is_asked[v]), found.values[v])


@pytest.mark.parametrize("precise", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("kernel", KERNELS)
def test_variants_are_as_good_as_those_from_nothing(kernel, container, weighted, precise):
    X, y, *_ = problem(k=4, n=400)
    weight = np.random.default_rng(0).uniform(0.2, 3, len(y)) if weighted else None
    rows = canonical(container(X), y, weight)
    given = parameters(**{"C": 1.0, **KERNELS[kernel], "tol": 1e-6 if precise else 1e-3})
    if kernel == "sigmoid":  # not definite: there are many optima
        given = parameters(kernel="linear", C=0.1)
    variants = folds_and_costs(rows.n_rows)
    found = train_variants(rows, weights_of(rows), given, variants)
    check_variants(rows, found, variants, given)


@pytest.mark.parametrize("scaling", ["global", "pair"])
def test_scaling_is_that_of_all_rows(scaling):
    X, y, *_ = problem(k=4, n=400)
    rows = canonical(X * [1, 5, 20, 0.1, 3], y)
    given = parameters(scaling=scaling, gamma="scale")
    variants = folds_and_costs(rows.n_rows)
    found = train_variants(rows, weights_of(rows), given, variants)
    nothing = train_variants(rows, weights_of(rows), given, cold(variants))
    for v, machines in enumerate(found.machines):
        np.testing.assert_allclose(found.values[v], nothing.values[v], atol=0.02)
        check_values(rows, machines, np.flatnonzero(variants.is_asked[v]), found.values[v])


def test_variants_of_large_classes_leave_variables_out_on_the_way():
    X, y = mostly_noise(n=4500)
    rows, given = canonical(X, y), parameters(gamma=0.1)
    variants = folds_and_costs(rows.n_rows)
    found = train_variants(rows, weights_of(rows), given, variants)
    check_variants(rows, found, variants, given)
    few = parameters(gamma=0.1, cache_size=5)
    check_same(train_variants(rows, weights_of(rows), few, variants), found, exactly=False)


def test_warm_starts_save_steps():
    X, y = load_digits(return_X_y=True)
    rows, given = canonical(X / 16.0, y), parameters(gamma=0.05, C=10.0)
    variants = folds_and_costs(rows.n_rows)
    warm = train_variants(rows, weights_of(rows), given, variants)
    from_nothing = train_variants(rows, weights_of(rows), given, cold(variants))
    steps = [sum(m.n_iter.sum() for m in found.machines[1:]) for found in (warm, from_nothing)]
    assert steps[0] < 0.8 * steps[1]
    svc = SVC(gamma=0.05, C=10.0, decision_function_shape="ovo")
    left_out = variants.factor[1] == 0
    svc.fit(rows.X[~left_out], rows.codes(np.flatnonzero(~left_out)))
    asked = rows.X[left_out]
    machines = warm.machines[1]
    values = machines.all_values(machines.prepare(asked), 0, len(asked))
    np.testing.assert_allclose(values, svc.decision_function(asked), atol=0.02)


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_threads_change_nothing(n_jobs):
    X, y = mostly_noise(n=600, k=4)
    rows = canonical(X, y)
    variants = folds_and_costs(rows.n_rows)
    for cost in (1.0, 1e3):  # in single and in double precision
        given = {"gamma": 0.1, "C": cost, "max_iter": 20_000}
        one = train_variants(rows, weights_of(rows), parameters(n_jobs=1, **given), variants)
        many = train_variants(rows, weights_of(rows), parameters(n_jobs=n_jobs, **given), variants)
        check_same(many, one, exactly=True)


def check_same(found, expected, exactly):
    for a, b in zip(found.machines, expected.machines, strict=True):
        if exactly:
            assert (a.coef == b.coef).all()
            assert (a.intercept == b.intercept).all()
    for a, b in zip(found.values, expected.values, strict=True):
        np.testing.assert_allclose(a, b, atol=0.0 if exactly else 0.02)


def test_the_first_variant_is_the_machines_of_a_fit():
    X, y, *_ = problem()
    rows, given = canonical(X, y), parameters(gamma=0.1)
    found = train_variants(rows, weights_of(rows), given, folds_and_costs(rows.n_rows)).machines[0]
    expected = train_machines(rows, weights_of(rows), given)
    assert (found.coef == expected.coef).all()
    assert (found.intercept == expected.intercept).all()
    assert (found.pool == expected.pool).all()


def test_precomputed_and_callable_kernels_are_trained_too():
    X, y, *_ = problem(k=4, n=300)
    variants = folds_and_costs(len(y))
    built_in = canonical(X, y)
    expected = train_variants(built_in, np.ones(4), parameters(gamma=0.1, tol=1e-6), variants)

    def kernel(A, B):
        return rbf_kernel(A, B, gamma=0.1)

    reported = []
    given = parameters(kernel=kernel, tol=1e-6, on_trained=reported.extend)
    found = train_variants(built_in, np.ones(4), given, variants)
    check_same(found, expected, exactly=False)
    assert sorted(reported) == list(range(6))

    K = kernel(built_in.X, built_in.X)
    codes = built_in.codes(np.arange(built_in.n_rows))
    rows = rows_in_place(K, codes, np.ones(len(y)), 4)
    found = train_variants(rows, np.ones(4), parameters(kernel="precomputed", tol=1e-6), variants)
    check_same(found, expected, exactly=False)


@pytest.mark.parametrize("kernel", ["rbf", lambda A, B: rbf_kernel(A, B, gamma=0.1)])
def test_a_class_may_be_left_out_altogether(kernel):
    X, y, *_ = problem(k=3, n=200)
    rows = canonical(X, y)
    factor = np.ones((4, rows.n_rows))
    factor[1, rows.of_class(0)] = 0
    factor[2, rows.of_class(1)] = 0
    factor[3, : rows.class_start[2]] = 0
    variants = Variants(factor, np.array([-1, 0, 0, 1]))
    found = train_variants(rows, np.ones(3), parameters(kernel=kernel, gamma=0.1), variants)
    intercept = np.array([m.intercept for m in found.machines])
    np.testing.assert_allclose(intercept[1, :2], [-1, -1])
    np.testing.assert_allclose(intercept[2, [0, 2]], [1, -1])
    np.testing.assert_allclose(intercept[3], [0, -1, -1])
    for machines, lacking in zip(found.machines[1:], [[0, 1], [0, 2], [0, 1, 2]], strict=True):
        assert (machines.n_support[lacking] == 0).all()
        assert machines.converged.all()
    for v in range(1, 4):
        asked = np.flatnonzero(variants.is_asked[v])
        assert np.isnan(found.values[v][np.arange(len(asked)), rows.codes(asked)]).all()
        for c in range(3):
            if not factor[v, rows.of_class(c)].any():  # nothing but the other class is known
                values = found.values[v][rows.codes(asked) == c]
                assert np.isin(np.round(np.delete(values, c, axis=1), 9), [-1, 0, 1]).all()


def test_values_of_asked_rows_and_of_some_pairs():
    X, y, *_ = problem(k=4, n=300)
    rows = canonical(X, y)
    asked = np.zeros((2, rows.n_rows), dtype=bool)
    asked[0, ::3] = asked[1, 5] = True
    variants = Variants(np.ones((2, rows.n_rows)), np.array([-1, 0]), asked)
    some = SomePairs(4, np.array([[0, 1], [1, 3]]))
    found = train_variants(rows, np.ones(4), parameters(gamma=0.1), variants, some)
    for v in range(2):
        check_values(rows, found.machines[v], np.flatnonzero(asked[v]), found.values[v])
    assert found.machines[1].n_iter.sum() == 0, "nothing has changed"


def test_machines_beyond_single_precision_are_those_of_double_precision():
    X, y = mostly_noise(n=200, k=3)
    rows = canonical(X, y)
    given = parameters(gamma=0.1, C=2e3)
    variants = folds_and_costs(rows.n_rows)
    found = train_variants(rows, np.ones(3), given, variants)
    for v, machines in enumerate(found.machines):
        assert machines.converged.all()
        of_variant = variants.factor[v] > 0
        start = np.searchsorted(np.flatnonzero(of_variant), rows.class_start)
        weight = (rows.weight * variants.factor[v])[of_variant]
        alone = train_machines(type(rows)(rows.X[of_variant], weight, start), np.ones(3), given)
        for m in range(3):
            (S, a), (T, b) = machine(machines, m), machine(alone, m)
            ours = dual_objective(kernel_matrix(machines.kernel, S, S), a)
            theirs = dual_objective(kernel_matrix(machines.kernel, T, T), b)
            assert ours == pytest.approx(theirs, rel=1e-4)


def test_merged_rows_may_be_left_out_in_part():
    X, y, *_ = problem(k=3, n=200)
    weight = np.ones(len(y))
    weight[:20] = 2
    rows = canonical(X, y, weight)
    twice = rows.weight == 2
    factor = np.vstack([np.ones(rows.n_rows), np.where(twice, 0.5, 1.0)])
    variants = Variants(factor, np.array([-1, 0]), np.vstack([~twice & False, twice]))
    given = parameters(gamma=0.1)
    found = train_variants(rows, np.ones(3), given, variants)
    check_variants(rows, found, variants, given)
    assert len(found.values[1]) == twice.sum()
