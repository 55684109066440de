"""The figures beside the accuracy are those of scikit-learn and SciPy."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from dcsvm.report.scores import only_one_right, scores, wilson


@pytest.mark.parametrize("seed", range(5))
def test_figures_are_those_of_scikit_learn(seed):
    random = np.random.default_rng(seed)
    truth = random.choice(6, 200, p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05])
    predicted = np.where(random.random(200) < 0.7, truth, random.choice(6, 200))
    found = scores(np.append(truth, -1), np.append(predicted, 0))
    assert found["n"] == 200
    assert found["balanced"] == pytest.approx(balanced_accuracy_score(truth, predicted))
    assert found["macro_f1"] == pytest.approx(f1_score(truth, predicted, average="macro"))
    always = DummyClassifier().fit(truth[:, np.newaxis], truth)
    assert found["baseline"] == accuracy_score(truth, always.predict(truth[:, np.newaxis]))
    assert found["largest"] == always.predict(truth[:1, np.newaxis])[0]


@pytest.mark.parametrize(("n_right", "n"), [(0, 5), (1, 1), (97, 100), (4000, 4000), (3, 7)])
def test_interval_is_that_of_scipy(n_right, n):
    expected = binomtest(n_right, n).proportion_ci(method="wilson")
    assert wilson(n_right, n) == pytest.approx([expected.low, expected.high])


def test_rows_without_a_label_have_no_figures():
    none = np.full(3, -1)
    assert scores(none, np.zeros(3, dtype=int)) is None
    assert only_one_right(none, np.array([0, 1, 2]), np.array([-1, 0, 0])) == [0, 0]


def test_rows_that_one_of_two_predicts():
    truth = np.array([0, 0, 1, 1, 2])
    assert only_one_right(truth, np.array([0, 0, 1, 0, 0]), np.array([0, 1, 0, 1, 0])) == [2, 1]
