"""Accuracy and cost are those of the estimators."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.report.comparison import accuracy


def test_summary_counts_what_the_estimators_say(case):
    model, X, y, data = case
    ours, vote = data["summary"]["ours"], data["summary"]["vote"]
    assert ours["accuracy"] == accuracy_score(y, model.predict(X))
    cost = model.decision_cost(X)
    assert ours["decisions"] == pytest.approx(cost.decisions.mean(), rel=1e-3)
    assert vote["decisions"] == 45
    assert ours["seconds"] > 0
    histogram = np.array(data["summary"]["decisions"])
    assert histogram.sum() == len(X)
    assert histogram @ np.arange(len(histogram)) == cost.decisions.sum()
    if isinstance(model, DCSVC):
        rival = OneVsOneSVC.from_machines(model)
        labels = rival.predict(X)
        expected = rival.decision_cost(X)
        assert ours["kernel_evaluations"] == pytest.approx(cost.kernel_evaluations.mean(), rel=1e-3)
        assert vote["kernel_evaluations"] == expected.kernel_evaluations[0]
        assert vote["support_vectors"] == expected.support_vectors[0]
    else:
        labels = vote_of_estimators(model, X)
        assert ours["kernel_evaluations"] is None
    assert vote["accuracy"] == accuracy_score(y, labels)
    assert data["summary"]["agreement"] == accuracy_score(labels, model.predict(X))


def vote_of_estimators(model, X):
    votes = np.zeros((len(X), len(model.classes_)))
    for (i, j), estimator in zip(model.machines_.pairs, model.estimators_, strict=True):
        is_i = estimator.predict(X).astype(bool)
        votes[:, i] += is_i
        votes[:, j] += ~is_i
    return model.classes_[votes.argmax(axis=1)]


def test_thresholds_are_those_of_rethreshold(case):
    model, X, y, data = case
    points = {p["theta"]: p for p in data["thresholds"]}
    own = getattr(model, "theta_", model.theta)
    assert own in points
    for theta in (own, 0.02, 0.2):
        other = model.rethreshold(theta=theta)
        assert points[theta]["accuracy"] == other.score(X, y)
        expected = other.decision_cost(X).decisions.mean()
        assert points[theta]["decisions"] == pytest.approx(expected, rel=1e-3)


def test_rows_without_a_label_do_not_count():
    assert accuracy(np.array([0, -1, 2, 3]), np.array([0, 1, 2, 1])) == pytest.approx(2 / 3)
    assert accuracy(None, np.array([0, 1])) is None
