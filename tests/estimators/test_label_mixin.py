"""`score` for labels of every kind."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from dcsvm import DCSVC

X, CODES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[CODES]


def test_score_takes_weights():
    clf = DCSVC(gamma=100.0).fit(X[::2], NAMES[::2])
    right = clf.predict(X) == NAMES
    assert 0 < right.mean() < 1
    weight = np.where(right, 1.0, 0.0)
    assert clf.score(X, NAMES, sample_weight=weight) == 1.0
    assert clf.score(X, NAMES) == right.mean()


def test_score_refuses_labels_that_cannot_be_right():
    clf = DCSVC().fit(X, NAMES)
    with pytest.raises(ValueError, match="labels like 0, but the classes learnt are like 'setosa'"):
        clf.score(X, CODES)
