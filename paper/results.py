"""Means over trials, with their standard errors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paper import methods
from paper.problems import PAPER, SETTINGS, TIMES


class Mean(NamedTuple):
    """A mean and its standard error; the error is NaN for a single trial."""

    mean: float
    error: float
    n: int


def mean_of(numbers):
    """The mean of trials."""
    numbers = np.asarray(numbers, dtype=np.float64)
    error = numbers.std(ddof=1) / np.sqrt(len(numbers)) if len(numbers) > 1 else np.nan
    return Mean(float(numbers.mean()), float(error), len(numbers))


class Results:
    """The results of all tasks, by set, setting, method and measure."""

    def __init__(self, by_task):
        self.trials = {}
        for task in sorted(by_task):
            self.trials.setdefault((task.name, task.kind), []).append(by_task[task])

    def sets(self, kind):
        """The sets of which there are trials, in the paper's order."""
        return [name for name in PAPER if (name, kind) in self.trials]

    def n_trials(self, name, kind):
        """How many trials are finished."""
        return len(self.trials.get((name, kind), []))

    def first(self, name, setting):
        """The first trial, for values that are the same in all."""
        return self.trials[name, setting][0]

    def mean(self, name, setting, method, measure):
        """The mean of a measure, or None where there is none."""
        numbers = self._numbers(name, setting, method, measure)
        return mean_of(numbers) if numbers else None

    def _numbers(self, name, setting, method, measure):
        """A measure, trial by trial."""
        if measure == "seconds":
            timed = self.trials.get((name, TIMES.get(setting)), [])
            return [trial["seconds"][method] for trial in timed if method in trial["seconds"]]
        lines = [trial["methods"].get(method, {}) for trial in self.trials.get((name, setting), [])]
        return [line[measure] for line in lines if measure in line]

    def less_vote(self, name, setting, method):
        """Accuracy less that of one-versus-one, trial by trial."""
        trials = [trial["methods"] for trial in self.trials[name, setting]]
        return mean_of([t[method]["accuracy"] - t[methods.VOTE]["accuracy"] for t in trials])

    def ratio(self, name, setting, method, measure):
        """A measure as a share of one-versus-one's, trial by trial, or None where there is none."""
        shares = [
            number / votes
            for number, votes in zip(
                self._numbers(name, setting, method, measure),
                self._numbers(name, setting, methods.VOTE, measure),
                strict=True,
            )
        ]
        return mean_of(shares) if shares else None

    def e1071(self, name):
        """Accuracy of e1071's built-in, or None."""
        trials = self.trials.get((name, "e1071"), [])
        return mean_of([trial["accuracy"] for trial in trials]) if trials else None

    def literal(self, name, theta=None, measure="vote"):
        """A mean of the runs in R, of the vote or of the paper's rule at θ in per cent."""
        trials = self.trials[name, "literal"]
        if theta is None:
            return mean_of([trial[measure] for trial in trials])
        return mean_of([trial["rule"][_key(trial["rule"], theta)][measure] for trial in trials])

    def curve(self, name, setting, measure):
        """(θ in per cent, mean) of the paper's rule, order "purity", by θ."""
        points = {}
        for trial in self.trials[name, setting]:
            for theta, point in trial["curve"].items():
                points.setdefault(float(theta), []).append(point[measure])
            for theta in methods.THETAS:
                at = trial["methods"][methods.dcsvm("purity", theta)][measure]
                points.setdefault(theta, []).append(at)
        return [(theta, mean_of(points[theta])) for theta in sorted(points)]

    def separation(self, name, setting):
        """Mean share of separated entries of the table, per cent, by θ."""
        return np.mean([trial["separation"] for trial in self.trials[name, setting]], axis=0)

    @property
    def settings(self):
        """The settings of which there are trials."""
        return [setting for setting in SETTINGS if self.sets(setting)]


def _key(table, theta):
    """JSON turns numbers that are keys into strings."""
    return next(key for key in table if float(key) == theta)
