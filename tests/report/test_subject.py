"""What a report is about: the rows, the predictions, and which rows are followed."""

import numpy as np

from dcsvm import OneVsOneSVC
from dcsvm.report import subject
from dcsvm.report.subject import study


def test_predictions_are_those_of_the_model_and_of_the_vote(digits, fitted):
    _, _, X, y = digits
    found = study(fitted, X, y, max_rows=50, random_state=0)
    place = found.rows.place
    assert len(place) == 50
    np.testing.assert_array_equal(fitted.classes_[found.ours.predicted], fitted.predict(X[place]))
    vote = OneVsOneSVC.from_machines(fitted)
    np.testing.assert_array_equal(fitted.classes_[found.vote.predicted], vote.predict(X[place]))
    cost = fitted.decision_cost(X[place])
    np.testing.assert_array_equal(found.ours.cost["decisions"], cost.decisions)
    np.testing.assert_array_equal(found.followed, np.arange(50))
    assert found.classifier is fitted
    assert found.theta == fitted.theta_


def test_few_rows_are_followed_where_paths_are_long(digits, fitted, monkeypatch):
    _, _, X, y = digits
    monkeypatch.setattr(subject, "MOST_DROPPED", 600)
    monkeypatch.setattr(subject, "LEAST_FOLLOWED", 10)
    found = study(fitted, X, y, max_rows=None, random_state=0)
    assert len(found.followed) == 60
