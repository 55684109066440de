"""Splits of every kind, as GridSearchCV makes them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)

from dcsvm.estimators.search import folds as folds_of
from dcsvm.estimators.search.folds import Rows, make_folds

Y = np.tile([0, 1, 2], 10)


def rows(y=Y, weight=None, X=None):
    X = np.arange(2.0 * len(y)).reshape(-1, 2) if X is None else X
    return Rows(X, y, X, y, np.unique(y), weight)


@pytest.mark.parametrize(
    "cv",
    [None, 3, KFold(4), RepeatedStratifiedKFold(n_repeats=2, random_state=0), TimeSeriesSplit(3)],
)
def test_splits_are_those_of_the_splitter(cv):
    folds = make_folds(cv, rows(), None)
    known = StratifiedKFold(cv or 5) if cv is None or isinstance(cv, int) else cv
    for fold, (train, test) in zip(folds, known.split(rows().X, Y), strict=True):
        np.testing.assert_array_equal(fold.train, train)
        np.testing.assert_array_equal(fold.test, test)


def test_groups_stay_together():
    groups = np.repeat(np.arange(6), 5)
    for fold in make_folds(GroupKFold(3), rows(), groups):
        assert not set(groups[fold.train]) & set(groups[fold.test])


def test_masks_repeats_and_negative_numbers():
    mask = np.arange(30) < 20
    (fold,) = make_folds([(mask, [-1, 25])], rows(), None)
    assert fold.train.tolist() == list(range(20))
    assert fold.test.tolist() == [29, 25]
    (fold,) = make_folds([([0, 1, 1, 2], [5])], rows(), None)
    assert fold.times_trained(30)[:4].tolist() == [1, 2, 1, 0]


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        ([], "no splits"),
        ([([0, 3, 6], [1])], "fewer than two classes"),
        ([([0, 1], [])], "no rows to be judged"),
        ([([0, 1], [99])], "not there"),
    ],
)
def test_impossible_splits_are_refused(cv, message):
    with pytest.raises(ValueError, match=message):
        make_folds(cv, rows(), None)


def test_a_fold_needs_weight_in_two_classes():
    with pytest.raises(ValueError, match="fewer than two classes"):
        make_folds([([0, 1], [2])], rows(weight=np.arange(30.0) - 0.5), None)


def test_the_test_part_is_as_given():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": range(30)})
    (fold,) = make_folds([([0, 1, 2], [4, 3])], rows(X=frame), None)
    X, y = folds_of.test_part(rows(X=frame), fold, False)
    assert X["a"].tolist() == [4, 3]
    assert y.tolist() == [1, 0]
    X, _ = folds_of.test_part(rows(X=sparse.csr_matrix(frame)), fold, False)
    assert X.toarray().tolist() == [[4], [3]]
    K = np.arange(900).reshape(30, 30)
    X, _ = folds_of.test_part(rows(X=K), fold, True)
    assert X.tolist() == [[120, 121, 122], [90, 91, 92]]


def test_rows_that_count_once_each():
    X = np.array([[3.0], [1.0], [3.0], [2.0], [9.0]])
    y, weight = np.array([0, 1, 0, 1, 0]), np.array([1.0, 2.0, 1.0, 1.0, 0.0])
    assert sorted(rows(y, weight, X).distinct().ravel().tolist()) == [1, 2, 3]
    other = np.argsort([2, 0, 4, 1, 3])
    same_rows = rows(y[other], weight[other], X[other])
    np.testing.assert_array_equal(rows(y, weight, X).distinct(), same_rows.distinct())
