"""The search itself: which points are evaluated in which folds, and what is known afterwards.

Points of one kernel and γ are evaluated together, in one round for all folds. With racing there is
a round for the first fold, one for the second, and one for all others, each for the points that can
still win.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.estimators.search.grid import further_costs
from dcsvm.estimators.search.judging import Judge
from dcsvm.estimators.search.progress import SearchProgress, SearchState
from dcsvm.estimators.search.racing import (
    BLOCKS,
    FEWEST_FOLDS,
    FEWEST_ROWS,
    hopeless,
    scores_by_block,
)
from dcsvm.estimators.search.results import Results
from dcsvm.estimators.search.scoring import Judged, Scoring

Floats = NDArray[np.float64]


class Options(NamedTuple):
    """How a search goes on."""

    racing: bool
    grows: bool  # where the best value of C is the last
    stops_at_interrupt: bool  # and keeps what is known then


class Search:
    """Evaluates the points of a grid."""

    def __init__(
        self,
        judge: Judge,
        scoring: Scoring,
        Cs: Floats,
        options: Options,
        progress: SearchProgress,
    ) -> None:
        self.judge = judge
        self.scoring = scoring
        self.options = options
        self.progress = progress
        self.results = Results.empty(len(judge.folds), judge.settings, Cs)
        self.is_interrupted = False
        self.n_given_up = self.n_before = 0

    def run(self) -> Results:
        """Evaluate all points, and those by which the grid grows."""
        known = self.results
        try:
            self._evaluate_all()
            known = self.results
            while self.options.grows and (more := self._further()) is not None:
                self.n_before += known.score.size
                self.results = more
                self._evaluate_all()
                known = self.results = known.beside(more)
        except KeyboardInterrupt:
            if self.results is not known:
                self.results = known.beside(self.results)
            if not self.options.stops_at_interrupt or self.results.best() is None:
                raise
            self.is_interrupted = True
        return self.results

    def _further(self) -> Results | None:
        best = self.results.best()
        if best is None:
            return None
        Cs = further_costs(self.results.Cs, best[1])
        if len(Cs) == 0:
            return None
        return Results.empty(len(self.judge.folds), self.judge.settings, Cs)

    def _evaluate_all(self) -> None:
        results = self.results
        alive = np.ones(results.score.shape[1:], dtype=bool)
        by_block = np.zeros((*alive.shape, BLOCKS + 1))
        rounds = self._rounds()
        for number, folds in enumerate(rounds):
            for s in range(len(results.settings)):
                self._evaluate(s, np.flatnonzero(alive[s]), folds, by_block)
            if number + 1 < len(rounds):
                before = alive.sum()
                alive[alive] = ~hopeless([*by_block[alive]])
                left = sum(map(len, rounds[number + 1 :]))
                self.n_given_up += int(before - alive.sum()) * left

    def _rounds(self) -> list[list[int]]:
        """The folds of each round."""
        n = len(self.judge.folds)
        is_small = n < FEWEST_FOLDS or len(self.judge.folds[0].test) < FEWEST_ROWS
        if not self.options.racing or not self.scoring.needs_labels_alone or is_small:
            return [list(range(n))]
        return [[0], [1], list(range(2, n))]

    def _evaluate(
        self, s: int, points: NDArray[np.int64], folds: Sequence[int], by_block: Floats
    ) -> None:
        """Evaluate some values of C with one kernel in some folds."""
        results = self.results
        if len(points) == 0:
            return
        begin = perf_counter()
        judged = self.judge.judge(s, results.Cs[points], folds)
        seconds = (perf_counter() - begin) / (len(points) * len(folds))
        for f, of_fold in zip(folds, judged, strict=True):
            for c, of_point in zip(points.tolist(), of_fold, strict=True):
                results.fit_time[f, s, c] = seconds
                begin = perf_counter()
                results.score[f, s, c] = self._score(of_point, by_block[s, c])
                results.score_time[f, s, c] = perf_counter() - begin
        self._report(s)

    def _score(self, judged: Judged, by_block: Floats) -> float:
        if len(self._rounds()) == 1:
            return self.scoring.score(judged)
        found = scores_by_block(judged, self.scoring)
        by_block += found  # the sum over folds orders points as the mean does
        return float(found[-1])

    def _report(self, s: int) -> None:
        results = self.results
        best = results.best()
        n_done = self.n_before + int((~np.isnan(results.fit_time)).sum()) + self.n_given_up
        state = SearchState(
            n_done,
            self.n_before + results.score.size,
            None if best is None else float(results.mean_score[best]),
            {} if best is None else results.parameters(*best),
        )
        named = results.settings[s].parameters.items()
        name = ", ".join(f"{n}={v}" for n, v in named) or str(results.settings[s].kernel)
        self.progress.done(name, state)
