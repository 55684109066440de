"""The rows that `fit` keeps for inspection."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from dcsvm import DCSVC, DivideAndConquerClassifier
from dcsvm.data.rows import canonical_rows, rows_in_place
from dcsvm.data.sample import MOST_NUMBERS, MOST_ROWS, sample_rows


def training_rows(n, sizes, make=canonical_rows, n_features=3):
    rng = np.random.default_rng(n)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(codes), n_features))
    return make(X, codes, rng.uniform(0.5, 2, len(codes)), len(sizes))


def test_few_rows_are_all_kept():
    rows = training_rows(0, [5, 1, 30])
    kept = sample_rows(rows)
    assert kept.is_all
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
    kept = clf.fit(X, y)._sample
    label_of = {tuple(x): c for x, c in zip(X, y, strict=True)}
    assert [label_of[tuple(x)] for x in kept.X] == clf.classes_[kept.codes].tolist()
    if isinstance(clf, DCSVC):
        assert clf.rethreshold(theta=0.1)._sample is kept
