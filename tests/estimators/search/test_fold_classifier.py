"""What a scorer sees, against SVC fitted to the fold."""

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.datasets import load_digits
from sklearn.svm import SVC
from tests.training.test_compiled import parameters

from dcsvm.estimators.search.fold_classifier import FoldClassifier, voted_codes, wins_all
from dcsvm.estimators.search.fold_machines import fold_problem, train_folds
from dcsvm.estimators.search.folds import Rows, make_folds
from dcsvm.estimators.search.grid import Setting


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_votes_are_those_of_svc(C):
    X, y = load_digits(return_X_y=True)
    X, y = X[:600] / 16, y[:600]
    rows = Rows(X, y, X, y, np.arange(10), None)
    problem = fold_problem(rows, make_folds(3, rows, None), False, np.ones_like)
    ((found,),) = train_folds(problem, Setting("rbf", 0.05), [C], [0], parameters())
    train, test = problem.folds[0]
    voted = voted_codes(found, y[test], problem.rows, problem.place[test], 1)
    expected = SVC(C=C, gamma=0.05).fit(X[train], y[train]).predict(X[test])
    assert (voted == expected).mean() > 0.995, "a tie may be broken by rounding"
    assert (voted != y[test]).any(), "some rows had to be voted on"


def test_a_row_wins_by_the_signs_of_the_machines_of_its_class():
    values = np.array([[np.nan, 1.0, 0.1], [-0.1, np.nan, 2.0], [-1.0, 0.0, np.nan]])
    assert wins_all(values, np.arange(3)).tolist() == [True, True, True]
    assert wins_all(-values, np.arange(3)).tolist() == [False, False, False]
    values[2, 1] = 0.1
    assert wins_all(values, np.arange(3)).tolist() == [True, True, False]


class Known:
    """In place of a classifier that is made when needed."""

    answer_ = 42

    def predict(self, X):
        return np.array(["made"] * len(X))

    def decision_function(self, X):
        return np.zeros(len(X))


def test_other_rows_and_other_methods_are_for_the_classifier_that_is_made():
    made = []

    def make():
        made.append(Known())
        return made[-1]

    X = np.eye(3)
    classifier = FoldClassifier(np.array(["a", "b"]), X, np.array([0, 1, 1]), np.ones(3), make)
    assert is_classifier(classifier)
    assert classifier.predict(X).tolist() == ["a", "b", "b"]
    assert (classifier.decision_function(X) == -1).all(), "positive for the second class"
    assert not made
    assert classifier.predict(X[:2]).tolist() == ["made", "made"]
    assert classifier.decision_function(X[:2]).tolist() == [0, 0]
    assert classifier.answer_ == 42
    assert len(made) == 1
    assert not hasattr(classifier, "nothing_of_this_name")
