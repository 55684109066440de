"""Rounds of folds, growth of the grid, and interrupts, with a judge that knows all answers."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from dcsvm.estimators.search.folds import Fold
from dcsvm.estimators.search.grid import Setting
from dcsvm.estimators.search.scoring import Judged, Scoring
from dcsvm.estimators.search.search import Options, Search

N = 1000
CLASSES = np.array([0, 1])


class KnownJudge:
    """Accuracies by a formula; keeps what it was asked for."""

    def __init__(self, accuracy, n_folds=5, interrupt_after=None, n_tests=N):
        self.folds = [Fold(np.arange(2), np.arange(n_tests))] * n_folds
        self.settings = [Setting("rbf", 0.1), Setting("rbf", 0.2)]
        self.accuracy = accuracy
        self.asked = []
        self.interrupt_after = interrupt_after

    def judge(self, s, Cs, folds):
        if self.interrupt_after == len(self.asked):
            raise KeyboardInterrupt
        self.asked.append((s, Cs.tolist(), list(folds)))
        return [[self.judged(self.accuracy(s, C), f) for C in Cs] for f in folds]

    def judged(self, accuracy, f):
        codes = np.arange(N) % 2
        wrong = np.random.default_rng(f).permutation(N) >= accuracy * N
        voted = np.where(wrong, 1 - codes, codes)
        return Judged(codes, voted, None, None, codes, None, None)


class Silent:
    def done(self, name, state):
        self.state = state


def search(judge, Cs=(1.0, 10.0, 100.0), racing=False, grows=False, stops=False, scoring=None):
    options = Options(racing, grows, stops)
    scoring = Scoring(scoring, DummyClassifier(), CLASSES)
    return Search(judge, scoring, np.array(Cs), options, Silent())


def peak_at_10(s, C):
    return 0.9 - 0.2 * abs(np.log10(C) - 1) - 0.001 * s


def test_without_racing_all_folds_go_together():
    judge = KnownJudge(peak_at_10)
    results = search(judge).run()
    assert [(s, folds) for s, _, folds in judge.asked] == [
        (0, [0, 1, 2, 3, 4]),
        (1, [0, 1, 2, 3, 4]),
    ]
    assert results.best() == (0, 1)
    expected = [[[peak_at_10(s, C) for C in results.Cs] for s in range(2)]] * 5
    np.testing.assert_allclose(results.score, expected, atol=1 / N)


def test_racing_goes_on_with_those_that_can_win():
    judge = KnownJudge(peak_at_10)
    one = search(judge, racing=True)
    results = one.run()
    assert [folds for *_, folds in judge.asked] == [[0]] * 2 + [[1]] * 2 + [[2, 3, 4]] * 2
    assert [Cs for _, Cs, _ in judge.asked[2:]] == [[10.0]] * 4
    assert results.best() == (0, 1)
    assert np.isnan(results.score[1:, :, [0, 2]]).all()
    assert not np.isnan(results.score[0]).any()
    assert one.progress.state.n_done == one.progress.state.n_all == 30


def test_no_racing_where_folds_are_few_or_small_or_scorers_want_more_than_labels():
    for judge in (KnownJudge(peak_at_10, n_folds=2), KnownJudge(peak_at_10, n_tests=40)):
        search(judge, racing=True).run()
        assert len(judge.asked) == 2
    judge = KnownJudge(peak_at_10)
    search(judge, racing=True, scoring=lambda classifier, X, y: 1.0).run()
    assert len(judge.asked) == 2


@pytest.mark.parametrize("racing", [False, True])
def test_the_grid_grows_at_its_edge_until_the_best_is_inside(racing):
    judge = KnownJudge(lambda s, C: 0.9 - 0.05 * abs(np.log10(C) - 4))
    results = search(judge, grows=True, racing=racing).run()
    assert results.Cs.tolist() == [1, 10, 100, 1e3, 1e4, 1e5]
    assert results.Cs[results.best()[1]] == 1e4
    assert (~np.isnan(results.score[0])).all()


def test_the_grid_does_not_grow_for_ever():
    results = search(KnownJudge(lambda s, C: 0.5 + np.log10(C) / 100), grows=True).run()
    assert results.Cs.max() == 1e7


def test_an_interrupt_keeps_what_is_finished_where_asked_for():
    with pytest.raises(KeyboardInterrupt):
        search(KnownJudge(peak_at_10, interrupt_after=1)).run()
    one = search(KnownJudge(peak_at_10, interrupt_after=1), stops=True)
    results = one.run()
    assert one.is_interrupted
    assert results.best() == (0, 1)
    assert np.isnan(results.score[:, 1]).all()
    with pytest.raises(KeyboardInterrupt):  # nothing is finished
        search(KnownJudge(peak_at_10, interrupt_after=0), stops=True).run()


def test_an_interrupt_while_the_grid_grows():
    judge = KnownJudge(lambda s, C: 0.5 + np.log10(C) / 100, interrupt_after=3)
    results = search(judge, grows=True, stops=True).run()
    assert results.Cs.max() == 1e5
    assert results.best() == (0, 5)
