"""Machines trained without some of the rows."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs

from dcsvm import OneVsOneSVC
from dcsvm.data.rows import canonical_rows
from dcsvm.probability.left_out import (
    ENOUGH_ROWS,
    PARTS,
    enough_rows,
    fold_of_rows,
    train_leaving_out,
    weights_left_out,
)


def rows_and_parameters(X, y, weight=None, **parameters):
    clf = OneVsOneSVC(**{"gamma": 0.5, "tol": 1e-5, **parameters}).fit(X, y)
    weight = np.ones(len(y)) if weight is None else weight
    rows = canonical_rows(X, y, weight, int(y.max()) + 1)
    return clf, rows, clf._training_parameters(lambda machines: None)


@pytest.mark.parametrize("kernel", ["rbf", "linear", lambda a, b: a @ b.T + 1])
def test_the_machines_of_a_fold_are_those_trained_without_its_rows(kernel):
    X, y = load_iris(return_X_y=True)
    clf, rows, parameters = rows_and_parameters(X, y, kernel=kernel)
    whole, left_out = train_leaving_out(rows, np.ones(3), parameters, None)
    grid = X[::7] + 0.1
    query = whole.prepare(grid)
    expected = clf.machines_.all_values(clf.machines_.prepare(grid), 0, len(grid))
    np.testing.assert_allclose(whole.all_values(query, 0, len(grid)), expected, atol=1e-3)
    assert len(left_out.folds) == PARTS
    for machines, numbers in left_out.folds:
        stay = np.setdiff1d(np.arange(rows.n_rows), numbers)
        codes = rows.codes(stay)
        alone = OneVsOneSVC(kernel=kernel, gamma=0.5, tol=1e-5)
        alone.fit(rows.X[stay], codes, sample_weight=rows.weight[stay])
        values = machines.all_values(machines.prepare(grid), 0, len(grid))
        again = alone.machines_.all_values(alone.machines_.prepare(grid), 0, len(grid))
        np.testing.assert_allclose(values, again, atol=1e-3)


def test_every_row_of_a_small_set_is_left_out_once_and_evenly():
    X, y = make_blobs(n_samples=403, centers=4, random_state=0)
    _, rows, parameters = rows_and_parameters(X, y)
    _, left_out = train_leaving_out(rows, np.ones(4), parameters, None)
    numbers = np.concatenate([fold.rows for fold in left_out.folds])
    np.testing.assert_array_equal(np.sort(numbers), np.arange(rows.n_rows))
    for fold in left_out.folds:
        sizes = np.bincount(rows.codes(fold.rows), minlength=4)
        assert (abs(sizes - np.diff(rows.class_start) / PARTS) < 1).all()


def test_large_sets_have_one_fold_of_a_fifth():
    X, y = np.arange(10.0 * ENOUGH_ROWS)[:, np.newaxis], np.arange(10 * ENOUGH_ROWS) % 3
    rows = canonical_rows(X, y, np.ones(len(y)), 3)
    fold = fold_of_rows(rows)
    assert set(fold) == {-1, 0}
    assert (fold == 0).mean() == pytest.approx(1 / PARTS, abs=1e-3)


@pytest.mark.parametrize("n_classes", [2, 12, 40])
def test_as_many_folds_as_leave_out_enough_rows(n_classes):
    n = 2100
    X, y = np.arange(float(n))[:, np.newaxis], np.arange(n) % n_classes
    fold = fold_of_rows(canonical_rows(X, y, np.ones(n), n_classes))
    left_out = (fold >= 0).sum()
    assert left_out >= enough_rows(n_classes) - n_classes
    assert left_out - (fold == 0).sum() < enough_rows(n_classes), "a fold less would do"
    assert enough_rows(n_classes) == {2: 900, 12: 1200, 40: 1500}[n_classes]


def test_the_only_row_of_a_class_stays():
    X, y = np.arange(12.0)[:, np.newaxis], np.array([0] * 6 + [1] + [2] * 5)
    fold = fold_of_rows(canonical_rows(X, y, np.ones(12), 3))
    assert fold[6] == -1
    assert (np.delete(fold, 6) >= 0).all()
    # Of each class something stays in every fold.
    assert len(set(fold[:6])) == PARTS
    assert len(set(fold[7:])) == PARTS


def test_classes_weigh_as_much_as_in_all_rows():
    X, y = make_blobs(n_samples=[700, 1400, 900], random_state=1)
    weight = np.random.RandomState(0).uniform(0.5, 2, size=len(y))
    _, rows, parameters = rows_and_parameters(X, y, weight)
    _, left_out = train_leaving_out(rows, np.ones(3), parameters, None)
    numbers = np.concatenate([fold.rows for fold in left_out.folds])
    found = weights_left_out(left_out)
    shares = np.bincount(rows.codes(numbers), weights=found)
    np.testing.assert_allclose(
        shares / shares.sum(), np.bincount(y, weights=weight) / weight.sum(), rtol=1e-9
    )
    assert found.sum() == pytest.approx(rows.weight[numbers].sum())
