"""One enormous training row leaves the machines of the others as they are."""

import pytest
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from dcsvm import DCSVC, OneVsOneSVC

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "sigmoid"])
@pytest.mark.parametrize("size", [1e6, 1e11, 1e19, 1e38, 1e100])
def test_labels_are_those_of_svc(kernel, size):
    train, asked = X[::2].copy(), X[1::2]
    train[7] = size
    expected = SVC(kernel=kernel, gamma=0.1).fit(train, Y[::2]).predict(asked)
    vote = OneVsOneSVC(kernel=kernel, gamma=0.1).fit(train, Y[::2])
    assert (vote.predict(asked) == expected).all()
    assert (DCSVC(kernel=kernel, gamma=0.1).fit(train, Y[::2]).predict(asked) == expected).all()
