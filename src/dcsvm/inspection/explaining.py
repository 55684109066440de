"""Explanations, made from the rounds of some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.estimators.access import route_of
from dcsvm.estimators.prediction import count_round
from dcsvm.inspection.explanation import Dropped, ExplainedStep, Explanation
from dcsvm.inspection.subject import Subject, look_at, one_row
from dcsvm.routing.dag.splitting import MarginSplitter
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.route import Phase, Round

ROWS_AT_ONCE = 512
# Numbers of classes by rounds that are held at a time, about.
CELLS_AT_ONCE = 2**22


def explain(clf: Any, x: Any) -> Explanation:
    """Tell how one row comes to its class.

    Parameters
    ----------
    clf : fitted DCSVC, DivideAndConquerClassifier or DAGSVC
        Or a pipeline that ends in one.
    x : array-like of shape (n_features,) or (1, n_features)
        The row.

    Returns
    -------
    explanation : Explanation
        ``print(explanation)`` tells it in words, `to_dict` gives plain data.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dcsvm import DCSVC
    >>> from dcsvm.inspection import explain
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = DCSVC.paper().fit(X, y)
    >>> found = explain(clf, X[100])
    >>> found.label, found.runner_up, found.decisions
    (2, 1, 2)
    """
    subject = look_at(clf)
    return _explain_rows(subject, subject.rows(one_row(x)))[0]


def explanations(clf: Any, X: Any) -> Iterator[Explanation]:
    """Explain every row of X, one after the other, some hundred at a time.

    Parameters
    ----------
    clf : fitted DCSVC, DivideAndConquerClassifier or DAGSVC
        Or a pipeline that ends in one.
    X : array-like of shape (n_samples, n_features)
        The rows.

    Returns
    -------
    explanations : iterator of Explanation
        In the order of the rows.
    """
    subject = look_at(clf)
    checked = subject.rows(X)  # here, so that what is wrong with X shows at once
    k = len(subject.classifier.classes_)
    at_once = max(1, min(ROWS_AT_ONCE, CELLS_AT_ONCE // k**2))
    return (
        found
        for begin in range(0, checked.shape[0], at_once)
        for found in _explain_rows(subject, checked[begin : begin + at_once])
    )


def _explain_rows(subject: Subject, X: Any) -> list[Explanation]:
    telling = _Telling(subject, X)
    clf = subject.classifier
    for round_ in route_of(clf).rounds(clf.machines_, X, clf.n_jobs):
        telling.tell(round_)
    return telling.explanations()


class _Telling:
    """Collects the steps of some rows."""

    def __init__(self, subject: Subject, X: Any) -> None:
        self.clf = subject.classifier
        self.labels = subject.labels
        self.theta = subject.theta
        self.pairs = self.clf.machines_.pairs
        n, k = X.shape[0], len(self.labels)
        self.steps: list[list[ExplainedStep]] = [[] for _ in range(n)]
        self.decision = np.zeros((n, k))
        self.outcome = np.zeros(n, dtype=np.int64)
        self.known: list[dict[int, float]] = [{} for _ in range(n)]
        # Of classes dropped together, that with the higher score is nearer, and the loser of a
        # machine nearer than those for which its value was implausible.
        self.nearness = np.zeros((n, k))
        route = route_of(self.clf)
        if isinstance(route, Elimination):
            scores = route.shortlist.scores(X, self.clf.machines_)[:, :k].astype(np.float64)
            with np.errstate(invalid="ignore"):
                self.behind = np.nan_to_num(scores.max(axis=1, keepdims=True) - scores)
            self.nearness -= self.behind
            self.gap = float(route.shortlist.gap)
            by_value = getattr(self.clf, "routing", None) == "margin"
        else:
            by_value = isinstance(route.grower.splitter, MarginSplitter)
        self.by_value = by_value

    def tell(self, round_: Round) -> None:
        """Add a step to each row of a round."""
        count_round(self.decision, round_)
        self.outcome[round_.rows] = round_.is_in.argmax(axis=1)
        left = self._by_row(round_.is_in)
        dropped = self._by_row(round_.was_in & ~round_.is_in)
        if round_.phase is Phase.SCORES:
            self._scores(round_, dropped, left)
        elif round_.phase is Phase.VOTE:
            self._vote(round_, dropped, left)
        else:
            self._machine(round_, dropped, left)

    def _by_row(self, is_in: NDArray[np.bool_]) -> list[list[int]]:
        """The classes marked, row by row."""
        rows, classes = np.nonzero(is_in)
        ends = np.searchsorted(rows, np.arange(1, len(is_in) + 1)).tolist()
        flat = classes.tolist()
        return [flat[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)]

    def _names(self, classes: list[int]) -> tuple[Any, ...]:
        return tuple(self.labels[c] for c in classes)

    def _scores(self, round_: Round, dropped: list[list[int]], left: list[list[int]]) -> None:
        gap = self.gap if np.isfinite(self.gap) else None
        for t, row in enumerate(round_.rows.tolist()):
            behind = self.behind[row].tolist()
            out = tuple(Dropped(self.labels[c], "score", behind=behind[c]) for c in dropped[t])
            step = ExplainedStep("scores", None, None, None, out, self._names(left[t]), gap=gap)
            self.steps[row].append(step)

    def _machine(self, round_: Round, dropped: list[list[int]], left: list[list[int]]) -> None:
        evidence = self._evidence(round_, dropped)
        pairs = self.pairs[round_.machine].tolist()
        values, machines = round_.values.tolist(), round_.machine.tolist()
        for t, row in enumerate(round_.rows.tolist()):
            i, j = pairs[t]
            winner, loser = (i, j) if values[t] > 0 else (j, i)
            self.known[row][machines[t]] = values[t]
            self.nearness[row, loser] = np.inf
            for_vote = round_.phase is Phase.VOTER
            out = tuple(
                Dropped(self.labels[c], "lost") if c == loser else evidence[t, c]
                for c in dropped[t]
            )
            aside = not for_vote and loser not in dropped[t]
            step = ExplainedStep(
                "machine",
                (self.labels[i], self.labels[j]),
                values[t],
                self.labels[winner],
                out,
                self._names(left[t]),
                set_aside=self.labels[loser] if aside else None,
                for_vote=for_vote,
            )
            self.steps[row].append(step)

    def _evidence(self, round_: Round, dropped: list[list[int]]) -> dict[tuple[int, int], Dropped]:
        """Why classes are out that are none of the machine's own."""
        where = [(t, c) for t, classes in enumerate(dropped) for c in classes]
        if not where:
            return {}
        rows, classes = np.array(where).T
        machine = round_.machine[rows]
        own = (self.pairs[machine] == classes[:, np.newaxis]).any(axis=1)
        rows, classes, machine = rows[~own], classes[~own], machine[~own]
        if len(rows) == 0:
            return {}
        table = self.clf.table_
        places = list(zip(rows.tolist(), classes.tolist(), strict=True))
        if self.by_value:
            low = table.values.low[machine, classes].astype(np.float64).tolist()
            high = table.values.high[machine, classes].astype(np.float64).tolist()
            return {
                (t, c): Dropped(self.labels[c], "implausible", low=a, high=b)
                for (t, c), a, b in zip(places, low, high, strict=True)
            }
        side = np.where(round_.values[rows] > 0, 0, 1)
        counts = table.counts[machine, classes].astype(np.float64)
        share = counts[np.arange(len(side)), side] / counts.sum(axis=1)
        return {
            (t, c): Dropped(self.labels[c], "side", share=s)
            for (t, c), s in zip(places, share.tolist(), strict=True)
        }

    def _vote(self, round_: Round, dropped: list[list[int]], left: list[list[int]]) -> None:
        for t, row in enumerate(round_.rows.tolist()):
            voters = sorted([*left[t], *dropped[t]])
            votes = dict.fromkeys(voters, 0)
            for machine, value in self.known[row].items():
                i, j = self.pairs[machine].tolist()
                if i in votes and j in votes:
                    votes[i if value > 0 else j] += 1
            winner = left[t][0]
            counted = {self.labels[c]: votes[c] for c in sorted(voters, key=lambda c: -votes[c])}
            out = tuple(Dropped(self.labels[c], "vote") for c in dropped[t])
            step = ExplainedStep(
                "vote", None, None, self.labels[winner], out, self._names(left[t]), votes=counted
            )
            self.steps[row].append(step)
            for c in dropped[t]:
                self.nearness[row, c] = votes[c]

    def explanations(self) -> list[Explanation]:
        """What there is to tell of each row."""
        n = len(self.steps)
        everyone = np.arange(n)
        others = self.decision.copy()
        others[everyone, self.outcome] = -np.inf
        last = others == others.max(axis=1, keepdims=True)
        runner_up = np.where(last, self.nearness, -np.inf).argmax(axis=1)
        # A class that scores badly beyond all bounds is still a class.
        runner_up = np.where(last[everyone, runner_up], runner_up, last.argmax(axis=1))
        decisions = [sum(step.kind == "machine" for step in steps) for steps in self.steps]
        evaluations = self._evaluations()
        return [
            Explanation(
                self.labels[self.outcome[r]],
                self.labels[runner_up[r]],
                tuple(self.steps[r]),
                decisions[r],
                None if evaluations is None else float(evaluations[r]),
                self.theta,
            )
            for r in range(n)
        ]

    def _evaluations(self) -> NDArray[np.float64] | None:
        asked = np.array([m for known in self.known for m in known], dtype=np.int32)
        start = np.cumsum([0, *map(len, self.known)], dtype=np.int64)
        cost = self.clf.machines_.path_cost(start, asked)
        if "kernel_evaluations" not in cost:
            return None
        return np.asarray(cost["kernel_evaluations"] + route_of(self.clf).cost)
