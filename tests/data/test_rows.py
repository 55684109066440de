"""Canonical training rows, and those that `fit` keeps for inspection."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from dcsvm import DCSVC, DivideAndConquerClassifier
from dcsvm.data.rows import (
    MOST_NUMBERS,
    MOST_ROWS,
    canonical_rows,
    canonical_rows_and_places,
    rows_in_place,
    sample_rows,
)
from dcsvm.estimators.access import sample_of


def as_dense(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_equal_rows_of_a_class_become_one_with_their_weight(container, dtype):
    X = np.array([[1, 2], [0, 3], [1, 2], [1, 2], [0, 3], [-0.0, 3]], dtype=dtype)
    y = np.array([1, 0, 1, 0, 0, 0])
    rows = canonical_rows(container(X), y, np.array([1.0, 2, 4, 8, 16, 32]), 2)
    found = {
        (c, *as_dense(rows.X)[r].tolist()): rows.weight[r]
        for c in range(2)
        for r in range(rows.n_rows)[rows.of_class(c)]
    }
    assert found == {(0, 0.0, 3.0): 50.0, (0, 1.0, 2.0): 8.0, (1, 1.0, 2.0): 5.0}
    assert rows.X.dtype == dtype
    assert rows.of_pair(0, 1).tolist() == [0, 1, 2]


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_the_order_of_the_rows_does_not_matter(container):
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (200, 3)).astype(float)
    y, weight = rng.integers(0, 4, 200), rng.integers(1, 5, 200).astype(float)
    reference = canonical_rows(container(X), y, weight, 4)
    assert reference.n_rows == len(np.unique(np.column_stack([y, X]), axis=0))
    for _ in range(3):
        order = rng.permutation(200)
        other = canonical_rows(container(X[order]), y[order], weight[order], 4)
        assert (as_dense(other.X) == as_dense(reference.X)).all()
        assert (other.weight == reference.weight).all()
        assert (other.class_start == reference.class_start).all()


def test_rows_in_place_keep_their_places():
    X = np.arange(12.0).reshape(6, 2)
    y = np.array([1, 0, 1, 0, 0, 1])
    weight = np.array([1.0, 2, 0, 4, 5, 6])
    rows = rows_in_place(X, y, weight, 2)
    assert rows.place.tolist() == [1, 3, 4, 0, 5]
    assert rows.weight.tolist() == [2, 4, 5, 1, 6]
    assert rows.class_start.tolist() == [0, 3, 5]
    assert (rows.take(slice(1, 4)) == X[[3, 4, 0]]).all()


@pytest.mark.parametrize("make", [canonical_rows, rows_in_place])
def test_rows_and_classes_by_number(make):
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1, 2], [4, 1, 7]))
    X = np.column_stack([y, rng.normal(size=12)])
    rows = make(X, y, np.ones(12), 3)
    numbers = np.array([11, 0, 4, 3, 5])
    assert rows.codes(numbers).tolist() == [2, 0, 1, 0, 2]
    assert rows.take(numbers)[:, 0].tolist() == [2, 0, 1, 0, 2]
    assert (rows.take(numbers) == rows.take(slice(0, 12))[numbers]).all()
    assert (rows.take(slice(2, 6)) == rows.take(np.arange(2, 6))).all()
    assert rows.of_pair(0, 2).tolist() == [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11]


@pytest.mark.parametrize("make", [canonical_rows, rows_in_place])
def test_sample_draws_from_every_class(make):
    sizes = [50, 2, 1, 30]
    y = np.repeat(np.arange(4), sizes)
    X, weight = np.column_stack([y, np.arange(83)]), np.arange(83) + 1.0
    drawn = make(X, y, weight, 4).sample(10, np.random.RandomState(0))
    assert np.diff(drawn.class_start).tolist() == [10, 2, 1, 10]
    found = drawn.take(np.arange(23))
    assert (found[:, 0] == np.repeat(np.arange(4), [10, 2, 1, 10])).all()
    assert (drawn.weight == found[:, 1] + 1).all()
    assert len(set(found[:, 1].tolist())) == 23


def training_rows(n, sizes, make=canonical_rows, n_features=3):
    rng = np.random.default_rng(n)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(codes), n_features))
    return make(X, codes, rng.uniform(0.5, 2, len(codes)), len(sizes))


def test_few_rows_are_all_kept():
    rows = training_rows(0, [5, 1, 30])
    kept = sample_rows(rows)
    assert len(kept.codes) == kept.n_rows
    assert np.array_equal(kept.X, rows.X)
    assert np.array_equal(kept.weight, rows.weight)
    assert np.bincount(kept.codes).tolist() == [5, 1, 30]


@pytest.mark.parametrize("make", [canonical_rows, rows_in_place])
def test_many_rows_are_drawn_in_proportion_and_stand_for_all(make):
    sizes = [30_000, 3, 10_000, 1]
    rows = training_rows(1, sizes, make)
    kept = sample_rows(rows)
    assert MOST_ROWS - 10 < len(kept.codes) <= MOST_ROWS
    assert kept.n_rows == sum(sizes)
    counts = np.bincount(kept.codes, minlength=4)
    assert counts.min() >= 1
    assert counts[0] / counts[2] == pytest.approx(3, rel=0.02)
    total = np.add.reduceat(rows.weight, rows.class_start[:-1])
    assert np.bincount(kept.codes, weights=kept.weight) == pytest.approx(total)
    assert {tuple(x) for x in kept.X} <= {tuple(x) for x in rows.X}


def test_long_rows_take_bounded_room():
    rows = training_rows(2, [150, 150], n_features=5000)
    assert sample_rows(rows).X.size <= MOST_NUMBERS
    thin = sparse.random(3000, 2000, density=0.001, format="csr", random_state=0)
    kept = sample_rows(rows_in_place(thin, np.arange(3000) % 2, np.ones(3000), 2))
    assert len(kept.codes) == pytest.approx(MOST_ROWS, abs=2)


def test_more_classes_than_rows_to_keep():
    kept = sample_rows(training_rows(3, [2] * 1500))
    assert len(kept.codes) <= MOST_ROWS


@pytest.mark.parametrize("clf", [DCSVC(), DivideAndConquerClassifier(LogisticRegression(C=0.1))])
def test_estimators_keep_rows_of_the_classes_they_say(clf):
    X, y = load_iris(return_X_y=True)
    kept = sample_of(clf.fit(X, y))
    label_of = {tuple(x): c for x, c in zip(X, y, strict=True)}
    assert [label_of[tuple(x)] for x in kept.X] == clf.classes_[kept.codes].tolist()
    if isinstance(clf, DCSVC):
        assert sample_of(clf.rethreshold(theta=0.1)) is kept


def test_what_becomes_of_each_row():
    X = np.array([[2.0], [1.0], [2.0], [5.0], [1.0], [7.0]])
    codes, weight = np.array([0, 0, 0, 1, 1, 0]), np.array([1.0, 1.0, 2.0, 1.0, 1.0, 0.0])
    rows, number = canonical_rows_and_places(X, codes, weight, 2)
    assert number[0] == number[2]
    assert number[5] == -1
    counted = number >= 0
    np.testing.assert_array_equal(rows.X[number[counted]], X[counted])
    np.testing.assert_array_equal(rows.codes(number[counted]), codes[counted])
    assert rows.weight[number[0]] == 3
