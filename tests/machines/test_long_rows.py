"""Rows at which single precision overflows get the labels of SVC, and change no other row."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC

KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 5},
    "poly, moved": {"kernel": "poly", "coef0": 1.0},
    "rbf": {},
    "sigmoid": {"kernel": "sigmoid"},
}
SCALES = (1e-300, 1e-100, 1e-38, 1e3, 1e8, 1e38, 1e100, 1e300)


def digits():
    X, y = load_digits(return_X_y=True)
    return X[:500], y[:500], X[500:600]


@pytest.mark.filterwarnings("ignore:.*rows are so far:RuntimeWarning")
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_vote_is_that_of_svc_at_every_scale(kernel):
    X, y, asked = digits()
    svc = SVC(**KERNELS[kernel]).fit(X, y)
    vote = OneVsOneSVC(**KERNELS[kernel]).fit(X, y)
    for scale in SCALES:
        ours, theirs = vote.predict(asked * scale), svc.predict(asked * scale)
        np.testing.assert_array_equal(ours, theirs, err_msg=str(scale))


@pytest.mark.filterwarnings("ignore:.*rows are so far:RuntimeWarning")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shortlist", ["auto", None])
def test_every_way_to_predict_treats_each_row_by_itself(kernel, shortlist):
    X, y, asked = digits()
    clf = DCSVC(**KERNELS[kernel], shortlist=shortlist).fit(X, y)
    vote = OneVsOneSVC.from_machines(clf)
    mixed = asked.copy()
    mixed[3::7] *= 1e38
    mixed[50] *= 1e300
    ordinary = (mixed == asked).all(axis=1)
    for c in (clf, vote, DAGSVC.from_machines(clf)):
        labels = c.predict(mixed)
        np.testing.assert_array_equal(labels[ordinary], c.predict(asked)[ordinary])
        np.testing.assert_array_equal(labels[3::7], c.predict(mixed[3::7]))
        decision = c.decision_function(mixed)
        np.testing.assert_array_equal(decision[ordinary], c.decision_function(asked)[ordinary])
        np.testing.assert_array_equal(c.classes_[decision.argmax(axis=1)], labels)
    labels = clf.predict(mixed)
    one_by_one = [clf.predictor_.predict(x) for x in mixed]
    np.testing.assert_array_equal(one_by_one, labels)
    again, decisions = clf.predict_with_decisions(mixed)
    np.testing.assert_array_equal(again, labels)
    np.testing.assert_array_equal(decisions, clf.decision_cost(mixed).decisions)


def test_a_warning_says_where_double_precision_overflows_too():
    X, y, asked = digits()
    clf = DCSVC(kernel="poly").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.predict(asked * 1e38)
        DCSVC().fit(X, y).predict(asked * 1e300)  # where the rbf kernel is zero, as it should be
    with pytest.warns(RuntimeWarning, match=r"^1 row.* overflow"):
        clf.predict(np.vstack([asked, asked[:1] * 1e200]))


def test_training_rows_beyond_single_precision_count_in_the_table():
    X, y, asked = digits()
    X = X.copy()
    X[0] *= 1e40
    svc = SVC(gamma=1e-3).fit(X, y)
    assert (DCSVC(gamma=1e-3).fit(X, y).predict(asked) == svc.predict(asked)).mean() > 0.98
