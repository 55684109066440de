"""What is left after each decision is what `decision_path` and `explain` say."""

import numpy as np

from dcsvm.inspection import explanations
from dcsvm.inspection.fitted import CountedRows, find_classifier
from dcsvm.report.narrowing import MOST_STEPS, narrow


def test_counts_are_those_of_explanations(case):
    model, X, _, _ = case
    found = narrow(find_classifier(model), X)
    decisions = model.decision_cost(X).decisions
    assert found.usage.sum() == decisions.sum()
    usage = find_classifier(model).machine_usage(CountedRows(X, np.ones(len(X))))
    np.testing.assert_array_equal(found.usage, usage)
    n_voted = 0
    for row, told in enumerate(explanations(model, X)):
        expected = [10]
        for round_ in told.rounds:
            expected[-1 if round_.machine is None else len(expected) :] = [len(round_.left)]
            n_voted += round_.kind == "vote"
        whole = expected + [1] * (MOST_STEPS + 1 - len(expected))
        assert found.left[row].tolist() == whole
    assert found.n_voted == n_voted
    assert found.by_scores == (getattr(model, "shortlist_", None) is not None)
