"""Coupling, against libsvm's and against its definition."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from dcsvm.probability.coupling import couple


def test_the_probabilities_of_svc_come_out_of_its_sigmoids():
    X, y = load_digits(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        svc = SVC(probability=True, random_state=0, decision_function_shape="ovo").fit(
            X[::3], y[::3]
        )
        expected = svc.predict_proba(X[1::9])
        logits = -(svc.decision_function(X[1::9]) * svc.probA_ + svc.probB_)
    np.testing.assert_allclose(couple(logits), expected, atol=2e-3)  # libsvm stops early


@pytest.mark.parametrize("m", [3, 4, 6])
def test_the_definition(m):
    logits = np.random.RandomState(m).normal(size=(5, m * (m - 1) // 2)) * 2
    pairs = list(zip(*np.triu_indices(m, 1), strict=True))

    def loss(z, of_row):
        p = np.exp(z - np.log(np.exp(z).sum()))
        r = expit(of_row)
        return sum(((1 - r[t]) * p[a] - r[t] * p[b]) ** 2 for t, (a, b) in enumerate(pairs))

    for row, found in zip(logits, couple(logits), strict=True):
        best = minimize(loss, np.zeros(m), args=(row,), tol=1e-12).x
        np.testing.assert_allclose(found, np.exp(best) / np.exp(best).sum(), atol=1e-4)


def test_two_classes_have_what_the_sigmoid_says():
    logits = np.array([[-3.0], [0.0], [1.5]])
    np.testing.assert_allclose(couple(logits)[:, 0], expit(logits[:, 0]), rtol=1e-5)


def test_pairs_that_agree_are_taken_at_their_word():
    p = np.array([0.5, 0.3, 0.15, 0.05])
    a, b = np.triu_indices(4, 1)
    np.testing.assert_allclose(couple(np.log(p[a] / p[b])[np.newaxis])[0], p, rtol=1e-6)


def test_probabilities_are_positive_and_add_up_for_any_pairs():
    logits = np.random.RandomState(0).normal(size=(200, 66)) * 50
    found = couple(logits)
    assert (found > 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
