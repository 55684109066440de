"""Both ways to judge points, against each other and against classifiers fitted to the folds."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.svm import SVC
from tests.training.test_compiled import parameters

from dcsvm import DCSVC
from dcsvm.estimators.search.fold_machines import fold_problem
from dcsvm.estimators.search.folds import Rows, make_folds
from dcsvm.estimators.search.grid import Setting
from dcsvm.estimators.search.judging import JudgeByFits, JudgeByVariants

CS = np.array([1.0, 10.0])
SETTINGS = [Setting("rbf", 1e-3), Setting("linear", None)]


def make(given):
    return DCSVC(**given)


@pytest.fixture(scope="module")
def rows():
    X, y = load_digits(return_X_y=True)
    return Rows(X[:400], y[:400], X[:400], y[:400], np.arange(10), None)


def by_variants(rows, cv=3, precomputed=False, settings=SETTINGS):
    problem = fold_problem(rows, make_folds(cv, rows, None), precomputed, np.ones_like)
    return JudgeByVariants(rows, problem, settings, parameters(), make, owner=object())


def test_labels_are_those_of_fitted_classifiers(rows):
    variants = by_variants(rows)
    fits = JudgeByFits(rows, variants.folds, SETTINGS, make)
    for s in range(2):
        ours, theirs = variants.judge(s, CS, [0, 2]), fits.judge(s, CS, [0, 2])
        for f, fold in enumerate([0, 2]):
            for c, C in enumerate(CS):
                one, other = ours[f][c], theirs[f][c]
                assert (one.voted == other.voted).mean() > 0.95  # by few rows
                train, test = variants.folds[fold]
                svc = SVC(C=C, kernel=SETTINGS[s].kernel, gamma=1e-3)
                expected = svc.fit(rows.X[train], rows.codes[train]).predict(rows.X[test])
                assert (one.voted == expected).mean() > 0.99
                assert one.y.tolist() == other.y.tolist() == rows.codes[test].tolist()


def test_classifiers_are_those_fitted_to_the_rows_of_the_fold(rows):
    variants = by_variants(rows)
    fits = JudgeByFits(rows, variants.folds, SETTINGS, make)
    for one, other in zip(variants.classifiers(0, 10.0), fits.classifiers(0, 10.0), strict=True):
        assert isinstance(one, DCSVC)
        assert one.get_params() == other.get_params()
        assert (one.predict(rows.X) == other.predict(rows.X)).mean() > 0.99
        assert one.theta_ == pytest.approx(other.theta_)


def test_classes_missing_from_a_fold_and_kernel_matrices(rows):
    last = np.flatnonzero(rows.codes == 9)
    others = np.flatnonzero(rows.codes != 9)
    judge = by_variants(rows, cv=[(others[:200], np.r_[others[200:], last])])
    ((judged,),) = judge.judge(0, CS[:1], [0])
    assert (judged.voted != 9).all(), "nothing is known of the class"
    assert (judged.voted == judged.codes).mean() > 0.7
    assert judged.make().classes_.tolist() == list(range(9))

    K = rows.X @ rows.X.T
    of_matrix = rows._replace(X=K, checked=K)
    setting = [Setting("precomputed", None)]
    judge = by_variants(of_matrix, precomputed=True, settings=setting)
    ((judged,),) = judge.judge(0, CS[:1], [1])
    expected = by_variants(rows).judge(1, CS[:1], [1])[0][0]
    assert (judged.voted == expected.voted).mean() > 0.99
    assert judged.X.shape == (len(judged.codes), 400 - len(judged.codes))
    assert (judged.make().predict(judged.X) == expected.voted).mean() > 0.95
