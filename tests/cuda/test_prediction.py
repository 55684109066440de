import gc
import weakref

import numpy as np
from tests.cuda.problems import classes_in_plane
from tests.oracles import machine_values

from dcsvm import DCSVC
from dcsvm.cuda import prediction
from dcsvm.cuda.prediction import all_values_there, forget, machines_on, route_answers, votes_there
from dcsvm.estimators.access import route_of
from dcsvm.estimators.voting import count_votes


def fitted():
    X, y = classes_in_plane()
    return DCSVC(theta=0.002).fit(X, y), X


def test_machines_stay_as_long_as_they_are_needed(device):
    clf, X = fitted()
    route_answers(device, clf.machines_, route_of(clf), X)
    there = weakref.ref(machines_on(device, clf.machines_))
    assert machines_on(device, clf.machines_) is there()
    del clf
    gc.collect()
    assert there() is None


def test_machines_can_be_forgotten(device):
    clf, _ = fitted()
    first = machines_on(device, clf.machines_)
    forget(clf.machines_, None)
    assert machines_on(device, clf.machines_) is not first


def test_blocks_of_rows_give_the_same(device, monkeypatch):
    clf, X = fitted()
    given = device, clf.machines_, route_of(clf), X, True, True
    whole = route_answers(*given)
    blocks_there = prediction.blocks_there
    monkeypatch.setattr(prediction, "blocks_there", lambda d, X, n: blocks_there(d, X, 7))
    for numbers, expected in zip(route_answers(*given), whole, strict=True):
        assert np.array_equal(numbers, expected)


def test_votes_and_values_are_those_of_all_machines(device):
    clf, X = fitted()
    expected = machine_values(clf.machines_, X)
    ((_, values),) = all_values_there(device, clf.machines_, X)
    assert np.allclose(values, expected, atol=1e-4)
    ((_, votes, confidence),) = votes_there(device, clf.machines_, X)
    assert np.array_equal(votes, count_votes(expected, clf.machines_.pairs, 4))
    i, j = clf.machines_.pairs.T
    of_second = expected[:, i == 2].sum(axis=1) - expected[:, j == 2].sum(axis=1)
    assert np.allclose(confidence[:, 2], of_second, atol=1e-4)
