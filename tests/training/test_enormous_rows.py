"""One enormous training row leaves the machines of the others as they are."""

import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import train_test_split
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


def test_one_enormous_row_does_not_make_classes_implausible():
    train, asked, y_train, y_asked = train_test_split(*load_digits(return_X_y=True), random_state=0)
    train[0] = 1e11
    vote = OneVsOneSVC(kernel="linear").fit(train, y_train).score(asked, y_asked)
    assert DCSVC(kernel="linear").fit(train, y_train).score(asked, y_asked) > vote - 0.01
