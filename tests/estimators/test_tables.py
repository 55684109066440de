"""A table that is built late is the one that would have been built at once."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris

from dcsvm import DCSVC
from dcsvm.estimators.tables import FEW_NUMBERS, LateTable, may_be_late, table_and_signs


@pytest.fixture(scope="module")
def problem():
    return load_iris(return_X_y=True)


def same(one, other):
    np.testing.assert_array_equal(one.counts, other.counts)
    for name in ("low", "high", "spread", "n_rows"):
        np.testing.assert_array_equal(getattr(one.values, name), getattr(other.values, name))
    np.testing.assert_array_equal(one.classes, other.classes)
    for late, early in zip(one.values.tail or (), other.values.tail or (), strict=True):
        np.testing.assert_array_equal(late, early)


def test_a_late_table_is_that_of_a_fit_with_theta(problem):
    late, early = DCSVC().fit(*problem), DCSVC(theta=0.001).fit(*problem)
    assert may_be_late(vars(late)["table_"].rows)
    assert not isinstance(vars(early)["table_"], LateTable)
    same(late.table_, early.table_)
    assert late.table_ is late.table_


def test_it_is_stored_as_the_table(problem):
    clf = DCSVC().fit(*problem)
    stored = pickle.loads(pickle.dumps(clf))
    assert not isinstance(vars(stored)["table_"], LateTable)
    same(stored.table_, clf.table_)


def test_what_a_table_is_made_of_is_enough(problem):
    clf = DCSVC().fit(*problem)
    late = vars(clf)["table_"]
    table, signs = table_and_signs(late.machines, late.rows, late.classes, 1, want_signs=True)
    same(table, clf.table_)
    assert sum(block.n_rows for block in signs) == late.rows.n_rows


def test_many_rows_are_not_kept_for_a_table(problem):
    rng = np.random.default_rng(0)
    y = np.arange(FEW_NUMBERS // 100) % 3
    X = 30 * rng.normal(size=(3, 101))[y] + rng.normal(size=(len(y), 101))
    clf = DCSVC().fit(X, y)
    assert clf.shortlist_ is None  # few support vectors: all machines vote
    assert not isinstance(vars(clf)["table_"], LateTable)
