"""Estimators that need nothing but the machines."""

import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("make", [OneVsOneSVC, DAGSVC])
def test_machines_are_shared_or_trained_alike(make):
    X, y = load_digits(return_X_y=True)
    source = DCSVC(C=3, gamma=0.001, scaling="global", class_weight="balanced").fit(
        X[:500], y[:500]
    )
    shared = make.from_machines(source)
    assert shared.machines_ is source.machines_
    assert shared.n_features_in_ == 64
    assert {n: v for n, v in source.get_params().items() if n in shared.get_params()} == (
        shared.get_params()
    )
    trained = make(**shared.get_params()).fit(X[:500], y[:500])
    assert (shared.predict(X) == trained.predict(X)).all()


def test_only_estimators_with_machines_can_share_them():
    other = DivideAndConquerClassifier(LogisticRegression()).fit(X, Y)
    with pytest.raises(TypeError, match=r"takes a fitted DCSVC.*not DivideAndConquerClassifier"):
        OneVsOneSVC.from_machines(other)
