"""Rules as tables."""

import numpy as np
import pytest
from tests.export.problems import by_rule, fitted, rows

from dcsvm import DCSVC
from dcsvm.export.rules import rule_of


def test_kinds():
    kinds = {rule: rule_of(by_rule(fitted(), rule)).kind for rule in ("default", "paper", "vote")}
    assert kinds == {"default": "elimination", "paper": "structure", "vote": "vote"}
    assert rule_of(DCSVC().fit(*rows()[:2])).kind == "vote"  # which is fastest here


@pytest.mark.parametrize("rule", ["paper", "margin structure", "DAGSVM"])
def test_a_structure_is_complete_and_the_classifier_unchanged(rule):
    clf = by_rule(fitted(), rule)
    before = clf.dag_.n_nodes
    found = rule_of(clf)
    assert clf.dag_.n_nodes == before
    assert (found.dag.child >= 0).all()
    assert set(found.kept) == set(found.dag.machine[7:])
    assert found.most_decisions == 6
    if rule == "DAGSVM":
        assert found.dag.n_nodes == 7 * 8 // 2


def test_machines_that_no_node_evaluates_are_left_out():
    from dcsvm.export import to_c

    clf = by_rule(fitted(), "paper").rethreshold(theta=0.3)
    kept = rule_of(clf).kept
    assert 0 < len(kept) < clf.machines_.n_machines
    assert to_c(clf).table_bytes < to_c(by_rule(fitted(), "vote")).table_bytes
    assert np.all(np.diff(kept) > 0)
