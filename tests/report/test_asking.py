"""The machines asked most, the pairs confused most, and what is left after each decision."""

import numpy as np
from sklearn.metrics import confusion_matrix

from dcsvm.inspection.fitted import CountedRows, find_classifier


def machine_usage(fitted, X):
    return fitted.machine_usage(CountedRows(X, np.ones(len(X)))).astype(int)


def test_steps_count_all_rows(case):
    model, X, _, data = case
    found = data["asking"]
    decisions = model.decision_cost(X).decisions
    assert all(sum(counts) == len(X) for counts in found["steps"])
    decided = [counts[0] for counts in found["steps"]]
    assert decided == [(decisions <= step).sum() for step in range(len(decided))]
    assert decided[-1] == len(X)
    assert found["mean"][-1] == 1


def test_the_machines_asked_most_come_first(case):
    model, X, _, data = case
    usage = machine_usage(find_classifier(model), X)
    asked = data["asking"]["asked"]
    assert [n for _, _, n in asked] == sorted(usage, reverse=True)[: len(asked)]
    for i, j, n in asked:
        assert usage[model.machines_.machine_of(i, j)] == n
    assert data["asking"]["never_asked"] == (usage == 0).sum()


def test_confused_pairs_have_an_example(case):
    model, X, y, data = case
    counts = confusion_matrix(y, model.predict(X))
    np.fill_diagonal(counts, 0)
    rows = data["paths"]["rows"]
    confused = data["asking"]["confused"]
    assert [n for *_, n, _ in confused] == sorted(counts[counts > 0], reverse=True)[: len(confused)]
    for truth, predicted, n, example in confused:
        assert counts[truth, predicted] == n
        assert (rows["truth"][example], rows["predicted"][example]) == (truth, predicted)
