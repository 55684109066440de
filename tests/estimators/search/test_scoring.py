"""Scores of folds by scorers of every kind."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, f1_score, make_scorer

from dcsvm.estimators.search.scoring import Judged, Scoring

CLASSES = np.array(["a", "b", "c"])
CODES = np.array([0, 1, 2, 0, 1, 2])
VOTED = np.array([0, 1, 2, 1, 1, 0])


def judged(weight=None, make=None):
    return Judged(CODES, VOTED, weight, np.zeros((6, 2)), CLASSES[CODES], None, make)


def scoring(of):
    return Scoring(of, DummyClassifier(), CLASSES)


@pytest.mark.parametrize("weight", [None, np.array([1.0, 2.0, 1.0, 5.0, 1.0, 1.0])])
@pytest.mark.parametrize("of", [None, "accuracy", make_scorer(accuracy_score)])
def test_accuracy(of, weight):
    expected = accuracy_score(CODES, VOTED, sample_weight=weight)
    assert scoring(of).needs_labels_alone
    assert scoring(of).score(judged(weight)) == pytest.approx(expected)


def test_scorers_of_labels_see_labels_and_weights():
    weight = np.arange(1.0, 7)
    expected = f1_score(CODES, VOTED, average="macro", sample_weight=weight)
    assert scoring("f1_macro").score(judged(weight)) == pytest.approx(expected)
    stay = np.arange(6) != 3
    expected = f1_score(CODES[stay], VOTED[stay], average="macro", sample_weight=weight[stay])
    assert scoring("f1_macro").without(judged(weight), ~stay) == pytest.approx(expected)
    assert scoring(None).without(judged(), ~stay) == pytest.approx(0.8)


def test_a_function_may_ask_for_anything():
    class Fitted:
        secret_ = 0.25

    def by_attribute(classifier, X, y):
        assert X.shape == (6, 2)
        return classifier.secret_ + (classifier.predict(X) == y).mean()

    assert not scoring(by_attribute).needs_labels_alone
    found = scoring(by_attribute).score(judged(np.ones(6), make=Fitted))
    assert found == pytest.approx(0.25 + 4 / 6)
    assert not scoring("roc_auc_ovr").needs_labels_alone
