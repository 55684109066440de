"""theta="auto" against trying every θ by hand."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.estimators.theta_search import THETAS


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:900], y[:900], X[900:], y[900:]


@pytest.mark.parametrize("parameters", [{}, {"shortlist": None}, {"routing": "sign"}])
def test_theta_auto_is_the_largest_that_loses_little(parameters, digits):
    X, y, asked, truth = digits
    names = np.array([f"digit {c}" for c in range(10)])
    clf = DCSVC(C=10, theta="auto", accuracy_tolerance=0.002, random_state=0, **parameters)
    clf.fit(X, names[y])
    assert clf.theta_ in THETAS
    assert clf.theta == "auto"
    given = DCSVC(C=10, theta=clf.theta_, **parameters).fit(X, names[y])
    assert (clf.predict(asked) == given.predict(asked)).all()
    vote = OneVsOneSVC.from_machines(clf)
    assert clf.score(asked, names[truth]) >= vote.score(asked, names[truth]) - 0.012
    again = DCSVC(C=10, theta="auto", accuracy_tolerance=0.002, random_state=0, **parameters)
    assert again.fit(X, names[y]).theta_ == clf.theta_
    greedy = DCSVC(C=10, theta="auto", accuracy_tolerance=1.0, **parameters).fit(X, names[y])
    assert greedy.theta_ == max(THETAS)
    weighted = {name: 1.0 + (name == "digit 3") for name in names}
    heavy = DCSVC(theta="auto", class_weight=weighted, **parameters).fit(X[:300], names[y[:300]])
    assert heavy.theta_ in THETAS


def test_theta_auto_says_why_it_cannot():
    with pytest.raises(ValueError, match="precomputed"):
        DCSVC(theta="auto", kernel="precomputed").fit(np.eye(6), [0, 1, 2] * 2)
    one_each = DCSVC(theta="auto").fit([[0.0], [1.0], [5.0]], [0, 1, 2])
    assert one_each.theta_ == 0.0
