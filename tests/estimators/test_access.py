"""Fitted estimators are taken apart and put together again."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.utils._param_validation import InvalidParameterError, validate_parameter_constraints

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC
from dcsvm.estimators import access

X, Y = load_iris(return_X_y=True)
ESTIMATORS = [
    DCSVC(),
    DCSVC(shortlist=None),
    OneVsOneSVC(),
    DAGSVC(),
    DivideAndConquerClassifier(LogisticRegression()),
]


@pytest.mark.parametrize("clf", ESTIMATORS, ids=repr)
def test_a_restored_estimator_is_fitted_in_every_respect(clf):
    clf = clf.fit(X, Y)
    parameters = clf.get_params(deep=False)
    assert set(access.parameter_names(type(clf))) == parameters.keys()
    other = access.with_parameters(type(clf), parameters)
    assert access.fitted_state(other) == {}
    access.restore(other, access.fitted_state(clf))
    assert vars(other) == vars(clf)  # so that nothing that `fit` sets is forgotten
    assert np.array_equal(other.decision_function(X), clf.decision_function(X))


def test_names_of_features_are_part_of_the_state():
    import pandas as pd

    clf = DCSVC().fit(pd.DataFrame(X, columns=list("abcd")), Y)
    assert access.fitted_state(clf)["feature_names"].tolist() == list("abcd")


def test_parameters_are_checked():
    with pytest.raises(InvalidParameterError, match="'theta' parameter of DCSVC"):
        access.with_parameters(DCSVC, {"theta": 2})


@pytest.mark.parametrize("clf", [ESTIMATORS[0], ESTIMATORS[4]])
def test_route_sample_and_rows(clf):
    clf = clf.fit(X, Y)
    rows = access.validated_rows(clf, X.tolist())
    assert (rows == X).all()
    with pytest.raises(ValueError, match="features"):
        access.validated_rows(clf, X[:, :2])
    places = access.route_of(clf).predict(clf.machines_, rows, 1)
    assert (clf.classes_[places] == clf.predict(X)).all()
    sample = access.sample_of(clf)
    assert {tuple(x) for x in sample.X} == {tuple(x) for x in X}


def test_estimators_without_sample():
    assert access.sample_of(OneVsOneSVC().fit(X, Y)) is None


@pytest.mark.parametrize("clf", ESTIMATORS, ids=repr)
def test_there_are_constraints_of_every_parameter(clf):
    constraints = access.parameter_constraints(type(clf))
    assert constraints.keys() >= clf.get_params(deep=False).keys()


def test_constraints_are_those_of_the_parameters():
    constraints = access.parameter_constraints(DCSVC)
    validate_parameter_constraints(constraints, {"theta": 0.1, "table_rows": None}, "DCSVC")
    for wrong in ({"theta": 0.7}, {"table_rows": 0}):
        with pytest.raises(InvalidParameterError, match=next(iter(wrong))):
            validate_parameter_constraints(constraints, wrong, "DCSVC")


@pytest.mark.parametrize("clf", ESTIMATORS, ids=repr)
def test_probabilities_of_validated_rows(clf):
    rows = access.validated_rows(clf.fit(X, Y), X)
    assert access.probabilities_of(clf, rows) is None
    clf.calibrate(X, Y)
    assert np.array_equal(access.probabilities_of(clf, rows), clf.predict_proba(X))
