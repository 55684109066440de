"""What a trial measures."""

import numpy as np
import pytest
from paper.results import Results
from paper.runner import Task

from dcsvm import DCSVC
from paper import (
    methods,
    problems,
    published,
    tables,
    trial,
)


def test_a_trial_measures_what_a_plain_fit_measures(by_task):
    found = by_task[Task("wine", "paper", 1, True)]["methods"]
    data = problems.problem("wine", "paper")
    train, test = data.split(1)
    clf = DCSVC.paper(theta=0.001, C=1, gamma=1 / 13, scaling="pair")
    clf.fit(data.X[train], data.y[train])
    cost = clf.decision_cost(data.X[test])
    line = found["DCSVM purity 0.1"]
    assert line["accuracy"] == pytest.approx(100 * clf.score(data.X[test], data.y[test]))
    assert line["decisions"] == pytest.approx(cost.decisions.mean())
    assert line["support_vectors"] == pytest.approx(cost.support_vectors.mean())
    assert found[methods.VOTE]["decisions"] == 3
    assert found[methods.DAG]["decisions"] == 2


def test_times_are_trials_of_their_own(by_task, results):
    seconds = [by_task[Task("wine", "tuned time", t, True)]["seconds"] for t in (0, 1)]
    assert set(seconds[0]) == set(methods.TIMED)
    shares = [s[methods.DAG] / s[methods.VOTE] for s in seconds]
    assert results.ratio("wine", "tuned", methods.DAG, "seconds").mean == np.mean(shares)
    nothing = Results({task: r for task, r in by_task.items() if "time" not in task.kind})
    assert nothing.ratio("wine", "tuned", methods.DAG, "seconds") is None
    assert "wine" not in tables.times(nothing, "tuned")


def test_all_methods_are_there(by_task):
    expected = {methods.VOTE, methods.DAG, methods.DEFAULT, methods.BUILT_IN}
    rules = {methods.dcsvm(o, t) for o in methods.ORDERS for t in published.THETAS}
    assert set(by_task[Task("iris", "paper", 0, True)]["methods"]) == expected | rules
    linear = {methods.REST, methods.CRAMMER}
    assert set(by_task[Task("iris", "tuned", 0, True)]["methods"]) == expected | rules | linear


def test_separation_grid():
    assert trial.SEPARATION[0] == 0
    assert trial.SEPARATION[-1] == 5
    assert len(trial.SEPARATION) == 51
