import numpy as np
import pytest
from tests.cuda.problems import classes_in_plane

from dcsvm import OneVsOneSVC
from dcsvm.cuda import voting
from dcsvm.cuda.prediction import route_answers
from dcsvm.estimators.voting import VoteRoute


@pytest.mark.parametrize("most", [2**15, 7])
def test_answers_are_those_of_the_vote(device, most, monkeypatch):
    monkeypatch.setattr(voting, "MOST_GRID", most)
    X, y = classes_in_plane()
    vote = OneVsOneSVC().fit(X, y)
    given = device, vote.machines_, VoteRoute(), X * 0.8, True, True
    leaf, counts, decisions = route_answers(*given)
    assert np.array_equal(vote.classes_[leaf], vote.predict(X * 0.8))
    assert (counts == vote.machines_.n_machines).all()
    assert np.allclose(decisions, vote.decision_function(X * 0.8), atol=1e-4)
